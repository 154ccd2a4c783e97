// Package lint holds the project's rules on its own source as a test: which package may import which, which
// symbols the pure core must not use, how long functions and files may be, what must be documented. Run it
// with `go test ./internal/lint`.
package lint
