// Package rootmanifest builds, writes and reads root manifests: the one file per snapshot that holds loose data
// files, pointers to leaf manifests, and pointers to legacy manifests (rules 1.1, 1.2).
//
// The heart is [Builder], a pure function from a parent's root and a set of steps to the rows of the child's:
//
//   - carry: what no step names goes on as EXISTING; the parent's dead rows stay behind;
//   - mask: positions of a leaf are no longer live, the pointer becomes MODIFIED or, at the end, DELETED;
//   - remove and replace: a loose file leaves a tombstone for this one snapshot;
//   - drop: a row goes without a trace, since its entry moved into a leaf or its leaf was rewritten;
//   - inline: a data file is written loose;
//   - point: a new leaf gets its pointer.
package rootmanifest
