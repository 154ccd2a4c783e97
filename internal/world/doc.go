// Package world is a small world with one table, for tests and for the simulator: a store in memory, a clock that
// moves only when it is told to, snapshot ids 1, 2, 3 and so on, and an interpreter of commands that change the table
// with the production commit code, look at it and check it. See [World.Do] for the commands.
//
// The world believes nothing that it is told. It keeps a plain map of the files that should be live, and after each
// commit compares the tree's live files with that map, the change feed with the difference of two such maps, and the
// new snapshot and its metadata with all invariants. What it finds is printed and remembered, see [World.Err].
//
// A scenario file is a script of such commands with what they print.
package world
