// Package crash holds the test behind `make crash`: every kind of commit is disturbed at every store call with
// every outcome that the call can have, and the table must be at the old or at the new snapshot afterwards.
package crash
