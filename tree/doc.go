// Package tree is the model of an Iceberg v4 metadata tree: entries and their statuses, what a leaf's entry
// inherits from the root's pointer, row ids, locations, which entries are live, and what changed between two
// snapshots. It knows no bytes, no storage and no cost; everything in it is a value or a pure function.
//
// Rule numbers (rules 6.1) refer to docs/format.md, choices (Q5, T1) to SPEC_NOTES.md.
package tree
