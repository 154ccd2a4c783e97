// Package sim drives the production code of commits and maintenance through interleavings and faults that a real table
// meets rarely, and holds every snapshot that comes out against a model that knows nothing of manifests.
//
// Writers are coroutines that stop before each call of the catalog. A scheduler, which a seed decides, says who goes on, what
// the store answers, whose answer is lost, and who crashes. The clock, ids and names come from the world; nothing else moves.
// The same configuration and seed give the same trace, see [Report.TraceHash].
//
// A run is a list of actions, each a line of text (see [Action]): a [Trace] is a small file that [Replay] runs again, whoever
// chose the actions, and that [Shrink] makes smaller while it still fails.
//
// After each commit, told or not, four checks that share no code look at the snapshot: the live files are those of the model; so
// are the numbers that the commit reported; the difference of the two trees, which knows nothing of statuses, is the change
// feed; and all invariants hold. At the end the whole history is checked, what nobody references must be what the faults left
// behind, all commits since some snapshot as one transaction must give the same live files, and a commit without changes
// must change nothing.
package sim
