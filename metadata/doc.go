// Package metadata reads, checks, changes and writes the metadata file of an Iceberg table: JSON of format
// versions 1 to 4, of which version 4 is written (rules 14).
//
// A [Table] is a value: nobody changes what it holds, and each change is a function that returns a new Table.
// [Parse] refuses what cannot be read and keeps everything that it does not know, at every level, with its
// JSON text, so that [Table.AppendJSON] writes it again. What can be read but contradicts itself is listed by
// [Table.Problems]; the functions that make a new Table refuse to add to such contradictions.
//
// Rule numbers (rules 14.6) refer to docs/format.md, choices (Q22, MD1) to SPEC_NOTES.md.
package metadata
