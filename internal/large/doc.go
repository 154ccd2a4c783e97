// Package large holds the test behind `make check-large`: the whole history of a table of ten million files is checked
// within 512 MiB of memory. Every run of the tests does the same with a small table.
package large
