// Package world is a small world with one table, for tests and for the simulator: a store in memory, a clock that
// moves only when it is told to, snapshot ids 1, 2, 3 and so on, and an interpreter of commands that change the table
// with the production commit code, look at it and check it. See [World.Do] for the commands.
//
// Writers are coroutines: a commit stops before each call of the store, and the script says who goes on, what the store
// answers, and who crashes. The same script always ends the same way.
//
// The world believes nothing that it is told. It keeps a plain map of the files that should be live in each snapshot,
// with their deleted rows, numbers and statistics. It compares every new snapshot of any branch with that map, whether a
// writer was told of it or not; the change feed with the difference of two such maps; the snapshot and its metadata with
// all invariants; what a transaction was made from with what it met; each metadata file with the one before it; and what
// writers are told with what the catalog saw. What it finds is printed and remembered, see
// [World.Err].
//
// A scenario file is a script of such commands with what they print.
package world
