// Package commit changes a table: it opens one, collects what should change in a transaction, and publishes the
// change as a new snapshot, whoever else commits at the same time.
//
// A commit resolves where its files stand, asks the policy where entries go, writes the new leaves, builds the
// root, checks it, writes root and metadata under names of their own, and swaps the catalog entry. A lost race
// goes through the same steps again on the winner's snapshot: the first attempt is a retry that nobody beat.
// Leaves are reused; row ids, sequence numbers, timestamps, delta bitmaps and totals are computed again.
//
// How a commit ends is one of a closed set: a [Result], or an error that is a [*ConflictError], a
// [*RefusedError], a [*SelfCheckError], an [*ExhaustedError], an [*UnknownError], or another error, of the store
// or of a tree that cannot be read, from before anything was published. After all but the unknown one the table is
// known not to have changed.
package commit
