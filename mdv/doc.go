// Package mdv holds sets of row positions of one manifest: the manifest deletion vector and the two delta bitmaps
// of a root's manifest pointer (rules 9.2), and their bytes, Mumbling bitmap v1 (rules 18).
//
// A [Bitmap] is an immutable value. It comes from positions ([Of], [Range], [ParseText]) or from bytes ([Parse]),
// and goes to bytes with [Bitmap.AppendBinary]. The bytes are canonical: equal sets have equal bytes, those that
// Apache's Java encoder writes (rules 18.4).
//
// Parse trusts nothing. Whatever it accepts is a valid set, and the memory that it takes is bounded by a small
// constant times the length of its input.
//
// The package knows nothing of manifests: whether a position is below the number of a leaf's rows is for the caller
// to ask ([Bitmap.Max]), and an empty bitmap is a legal value here although a manifest stores a null in its place.
package mdv
