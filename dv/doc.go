// Package dv holds the row-level deletion vectors of data files: a set of row positions as a value, its bytes as a
// deletion-vector-v1 blob, and the Puffin files that blobs stand in (rules 2.3, 10).
//
// A [Vector] is an immutable set. It comes from positions ([Of], [Range], [ParseText]), from bytes ([ParseBlob]), or
// from a table ([Read], which asks the store for the blob's bytes and for nothing else). [Merge] joins it with the
// vector that the file has already; [Build] writes many vectors as one Puffin file and says where each stands.
//
// What is read is trusted in nothing. A blob is either a set of positions, or a [*FaultError] that says which of the
// known faults it has ([Fault]); memory is bounded by a small constant times the bytes at hand, and those by [Limits].
// A reader never needs the footer of a Puffin file (rules 0.6-2): [Inspect], [CheckBlob] and [CheckFooter] are for a
// checker, which holds entry, blob and footer against each other (B43).
package dv
