// Package maintain does the work on a table that no writer asks for: it expires snapshots and deletes what only they
// reached, it finds and deletes objects that nothing reaches, and it lets the policy tidy up the tree.
//
// What is reached is computed from all retained snapshots, never guessed from the newest one (B28, S44):
//
//   - A table reaches its current metadata file, those in its log, and the statistics files that it lists.
//   - A snapshot reaches its root, and the leaves behind the rows of its root, DELETED ones too.
//   - It reaches the data files that are live in it, and those that it deleted or replaced itself (rules 6.4): by a
//     row in root or leaf, or by a position in the delta bitmaps of a pointer that it modified (rules 9.2).
//   - It reaches a Puffin file while one of its blobs belongs to a file that is live in it (B13, MN1).
//   - What only a metadata file of the log still lists, an expired snapshot for instance, is not reached (MN2).
//
// A table with a manifest list, a manifest of format version 1 to 3 or column files is refused: what these reach is not
// read yet. Locations are compared byte by byte but for schemes and authorities that [Naming] declares equal, and
// nothing is deleted while a location differs from one that is reached in these alone (B42).
package maintain
