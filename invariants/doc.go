// Package invariants says what a v4 metadata tree must satisfy and checks it. Its registry lists each rule with
// an ID, a statement, the rule of the format that it comes from and how firm that is; [All] returns it, and
// package oracle generates INVARIANTS.md at the root of the module from it.
//
// The checker does not trust the writer. It takes raw rows, as stored, and recomputes everything itself in the
// plainest way: it has its own bitmap decoder, its own inheritance, its own walk over live files and its own order
// of values. It shares only types with the code that writes trees.
//
// The functions are [CheckKeys], [CheckEntry], [CheckRoot] and [CheckLeaf] for one file or row, [CheckTree] for a
// snapshot, [CheckTransition] for a snapshot and its parent, [CheckCommit] for a transaction and what came of
// it, [CheckMetadata] for a metadata file, [CheckData] for what was read in a data file and [History] for all retained
// snapshots. They yield violations as they find them, in an order that depends on their input alone,
// and stop when the consumer stops. A [Depth] says which leaves they may open.
//
// A zero snapshot id, sequence number or [Table] means unknown: rules that need what is unknown report nothing. That
// is how a lone manifest is checked.
package invariants
