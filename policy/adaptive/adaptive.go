// Package adaptive is the policy that tables have which choose none. [Policy.Plan] asks policy/internal/outlook what the cheapest plan from here on
// would do and takes the first step of it. Beside that it folds masked leaves when these have cost as much (fold.go, ledger.go), keeps the
// root below its limit (root.go, inherited.go, thin.go), and puts leaves into the order of their partitions (neighbors.go, cluster.go where a
// table asks for a little of it, order.go, pile.go and shelve.go where it asks for all).
package adaptive

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/internal/bounded"
	"github.com/firn-io/firn/policy/internal/draft"
	"github.com/firn-io/firn/policy/internal/outlook"
)

// Defaults of [Policy], in bytes.
const (
	DefaultForegroundBytes = 1 << 20
	DefaultRootBytes       = 1 << 20
	DefaultLeafBytes       = 8 << 20
	// DefaultRequestBytes is next to nothing: bytes alone are counted.
	DefaultRequestBytes = 1
)

// The keys of a snapshot's summary in which [Policy] keeps what it has learned (F34).
const (
	summaryRate    = policy.SummaryPrefix + "files-per-commit"
	summaryWaiting = policy.SummaryPrefix + "waiting"
)

// Policy needs no tuning. It learns from the tree what entries and leaves cost and from the snapshots how many files a commit
// adds, and asks in each commit what the cheapest plan would do now if the table went on growing as it does (docs/policy.md).
//
// A foreground commit writes few leaves again. What is due beyond that is left to a maintenance commit, and said in the plan; loose
// files wait for it for one commit. The root stays below its limit in any case.
//
// The zero Policy has the defaults.
type Policy struct {
	// LeafBytes is the size that full leaves have in a small table; default [DefaultLeafBytes]. In a large one they are larger, so
	// that the pointers to them fit into the root.
	LeafBytes int64
	// RootBytes is the limit of the root; default [DefaultRootBytes], what stores read in one request.
	RootBytes int64
	// ForegroundBytes is how many bytes of leaves a commit of a writer may write again; default [DefaultForegroundBytes].
	ForegroundBytes int64
	// ReadDiscount is how many bytes that plans read for nothing, of dead rows and of other partitions, count as much as one that a commit
	// writes, if such a plan were made at each commit; default [DefaultReadDiscount]: one at every tenth, and a byte read for a tenth of a
	// byte written.
	ReadDiscount int64
	// ClusterLeaves is how many leaves a maintenance commit puts into the order of their partitions together, where the table has
	// partitions and plans of one of them gain from it; default [DefaultClusterLeaves]; below 4 is none. 8 is a good number where most
	// plans are for one partition.
	ClusterLeaves int64
	// PartitionLeaves is how many leaves plans of one partition may open on average, in percent of those of perfect order, where the table has
	// partitions; default [DefaultPartitionLeaves]; below 100 is any number. Files that would be too many leaves stay loose until a maintenance
	// commit puts them into the leaves of their partitions, which writes much. [Policy.ClusterLeaves] says nothing then.
	PartitionLeaves int64
	// RequestBytes is how many bytes it counts to write one more object, beside its own; default [DefaultRequestBytes].
	RequestBytes int64
}

// Name implements [policy.Policy].
func (Policy) Name() string { return "adaptive" }

// adaptation is a plan of [Policy] being made.
type adaptation struct {
	*draft.Draft
	limits Policy
	// overrun is how many times as much as estimated the rows of a root may take.
	overrun float64
	// dearer is by how much more than its price the row of a new file may take, in bytes of the estimate.
	dearer  int64
	outlook outlook.Outlook
	// orderly says that leaves are kept in the order of their partitions.
	orderly bool
	// inHand are the partitions that a maintenance commit has put into order.
	inHand []size
	// leaves are those that may be written again, those first that pay soonest, then those that wait for their neighbors, and full ones last.
	leaves []policy.Ref
	// rent is what the masked rows of a leaf cost a commit, and spent what they have cost so far, by the index of the pointer.
	rent, spent []int64
	// neighbors are runs of leaves away from the newest files, which come after the others in leaves, and waits says of each pointer whether
	// it is of one.
	neighbors [][]policy.Ref
	waits     []bool
	// bySize are the pointers that can be thinned, in the order in which they are.
	bySize []int
	// thinSpent is what plans have read so far because a pointer is thin, by its index, and lastThinning the sequence number of the commit that
	// last thinned any.
	thinSpent    []int64
	lastThinning int64
	// noRoom says that no statistics would stay that a leaf got by being written again.
	noRoom bool
}

// Plan implements [policy.Policy].
func (p Policy) Plan(in policy.Input) (policy.Plan, error) {
	p.LeafBytes = bounded.OrDefault(p.LeafBytes, DefaultLeafBytes)
	p.RootBytes = bounded.OrDefault(p.RootBytes, DefaultRootBytes)
	p.ForegroundBytes = bounded.OrDefault(p.ForegroundBytes, DefaultForegroundBytes)
	p.ReadDiscount = bounded.OrDefault(p.ReadDiscount, DefaultReadDiscount)
	p.ClusterLeaves = bounded.OrDefault(p.ClusterLeaves, DefaultClusterLeaves)
	p.PartitionLeaves = bounded.OrDefault(p.PartitionLeaves, DefaultPartitionLeaves)
	p.RequestBytes = bounded.OrDefault(p.RequestBytes, DefaultRequestBytes)
	in = in.Plausible()
	estimated := in.Prices.LooseBytes
	var overrun float64
	in.Prices, overrun = in.Learned()
	a := adaptation{Draft: draft.New(in), limits: p, overrun: overrun, dearer: int64(float64(estimated)/overrun) - in.Prices.LooseBytes}
	rate := filesPerCommit(in)
	a.outlook, a.Term = a.expect(rate), policy.ByRent
	a.orderly = a.wantsOrder()
	a.readRents()
	a.readThinSpent()
	a.noRoom = a.noStatisticsFit()
	a.sortLeaves()
	a.Plan.Summary = map[string]string{summaryRate: strconv.FormatFloat(rate, 'g', 4, 64)}
	if in.Mode == policy.Maintenance {
		a.maintain()
	} else {
		a.serve()
	}
	a.shrink()
	if in.Mode == policy.Foreground {
		a.waitForRoom()
	}
	a.settleThin()
	if text := a.nextLedger(); text != "" {
		a.Plan.Summary[summaryLedger] = text
	}
	return a.Plan, nil
}

// Full leaves have the size that the settings say, unless the pointers to them would take more than one part in pointerPart of the
// root: then they are leafGrowth times as large, as often as it takes. If they grew with each commit, none would ever be full.
const (
	pointerPart = 8
	leafGrowth  = 4
)

// expect returns what the table looks like to the program.
func (a *adaptation) expect(rate float64) outlook.Outlook {
	prices := a.In.Prices
	files := float64(a.Files())
	target := max(1, float64(a.limits.LeafBytes)/float64(max(1, prices.LeafEntryBytes)))
	full := target
	for full*float64(a.limits.RootBytes) < pointerPart*files*float64(prices.PointerBytes) {
		full *= leafGrowth
	}
	return outlook.Outlook{
		Files: rate, Age: max(1, files/rate),
		Loose: float64(max(1, prices.LooseBytes)), Entry: float64(max(1, prices.LeafEntryBytes)),
		Pointer: float64(max(1, prices.PointerBytes)), Fixed: float64(prices.LeafFixedBytes) + float64(a.limits.RequestBytes),
		Target: target, Full: math.Floor(min(full, float64(a.In.Limits.MostRows()))),
	}
}

// sortLeaves finds the leaves that may be written again. Those that wait for their neighbors come after others, and full ones last. One
// of which this commit changes so many entries that telling of them takes more of the root than the pointer does can wait for the next
// commit.
func (a *adaptation) sortLeaves() {
	const waiting, full = 1, 2
	found, places := make([]outlook.Leaf, len(a.In.Pointers)), []place(nil) // leaves without files are not among those found
	for i, pointer := range a.In.Pointers {
		dear := pointer.Changed*a.In.Prices.LooseBytes > a.In.Prices.Pointer(pointer.Thin)+pointer.DVBytes
		if pointer.Movable() && !a.Rewritten[i] && !dear {
			found[i] = a.leaf(policy.Ref{Source: policy.FromPointers, Index: i})
			if l, known := a.lies(i); known && !a.orderly { // what is kept in order is placed by partition anyway
				places = append(places, place{l, a.outlook.IsFull(found[i]) || !a.outlook.Pays(found[i])})
			}
		}
	}
	a.findNeighbors(places)
	keys := make([]sortKey, 0, len(found))
	for i, leaf := range found {
		rank := 0
		switch {
		case leaf.Files == 0:
			continue
		case a.waits[i]:
			rank = waiting
		case a.outlook.IsFull(leaf):
			rank = full
		}
		keys = append(keys, keyOf(ranked(rank, a.outlook.Wait(leaf)), i))
	}
	a.leaves = make([]policy.Ref, len(keys))
	for i, index := range sorted(keys) {
		a.leaves[i] = policy.Ref{Source: policy.FromPointers, Index: index}
	}
}

func (a *adaptation) leaf(ref policy.Ref) outlook.Leaf {
	p := a.In.Pointers[ref.Index]
	pointer := float64(max(1, a.In.Prices.Pointer(p.Thin)))
	l := outlook.Leaf{Files: float64(p.LiveEntries), Pointer: pointer, Rent: pointer + float64(a.rent[ref.Index]), Spent: float64(a.spent[ref.Index])}
	if !a.noRoom {
		l.Rent, l.Spent = l.Rent+float64(a.owedThinRent(ref.Index)), l.Spent+float64(a.thinSpent[ref.Index])
	}
	return l
}

// due returns how many of the first leaves should be written again with the loose files now, or nothing. One leaf alone keeps its
// pointer: whether its masked rows are worth it is another question, see [adaptation.foldsDue]. What is full is so by
// the outlook of the table, whatever size the given one lets a writer make.
func (a *adaptation) due(o outlook.Outlook) int {
	leaves := make([]outlook.Leaf, 0, len(a.leaves))
	for _, ref := range a.leaves {
		leaf := a.leaf(ref)
		if a.outlook.IsFull(leaf) || a.waits[ref.Index] {
			break
		}
		leaves = append(leaves, leaf)
	}
	loose := a.Count(a.Live)
	n := o.Push(float64(loose), leaves)
	if n == 1 && loose == 0 {
		return outlook.Nothing
	}
	return n
}

// serve plans the commit of a writer. What is due and too much for it waits for maintenance: the loose files for one commit, so that
// they are written once, and the leaves until it comes. Meanwhile the plan is what is best without it.
func (a *adaptation) serve() {
	if a.waited() {
		a.wait("leaves wait for a maintenance commit")
		few := a.outlook
		few.Full = math.Floor(max(1, min(few.Full, float64(a.limits.ForegroundBytes)/float64(max(1, a.In.Prices.LeafEntryBytes)))))
		a.arrange(a.pickOrDefer(a.within(a.due(few))), "the cheapest plan without maintenance")
		a.Term = policy.ByMasks
		a.fold(a.foldsDue(), a.left())
		return
	}
	n := a.pickOrDefer(a.due(a.outlook))
	if n != a.within(n) {
		a.wait(fmt.Sprintf("%d leaves and %d loose files should become one leaf, which writes %d bytes of leaves again; "+
			"a commit of a writer may write %d", n, a.Count(a.Live), a.bytes(a.leaves[:n]), a.limits.ForegroundBytes))
		return
	}
	a.arrange(n, "the cheapest plan from here on")
	if folds := a.foldsDue(); len(folds) > 0 {
		a.wait(fmt.Sprintf("%d leaves should be written again without their masked rows or with all statistics", len(folds)))
	}
	if refs := a.neighborsDue(); refs != nil { // no loose file needs to wait for these
		a.Plan.Deferred = append(a.Plan.Deferred, fmt.Sprintf("%d old leaves of neighboring partitions should become one", len(refs)))
	}
	if d, due := a.disordered(); due { // no loose file needs to wait for that
		a.Plan.Deferred = append(a.Plan.Deferred, fmt.Sprintf("%d leaves of %d commits have rows of the same partitions", len(d.refs), d.runs))
	}
}

// within returns how many of the first n leaves the commit of a writer may write again, with what earlier attempts of it wrote.
func (a *adaptation) within(n int) int {
	left := a.left()
	for i := range n {
		if left -= a.bytes(a.leaves[i : i+1]); left < 0 {
			return i
		}
	}
	return n
}

// left returns how many bytes of old leaves the commit of a writer may still write again.
func (a *adaptation) left() int64 {
	left := a.limits.ForegroundBytes
	for i, rewritten := range a.Rewritten {
		if rewritten {
			left -= a.bytes([]policy.Ref{{Source: policy.FromPointers, Index: i}})
		}
	}
	return left
}

// mostMaintained is how many merged leaves one maintenance commit writes at most, and of folded ones as many bytes as so many full leaves of
// a small table have, or one leaf.
const mostMaintained = 8

// maintain plans a maintenance commit.
func (a *adaptation) maintain() {
	for range mostMaintained {
		n := a.pickInOrder(a.due(a.outlook))
		if n == outlook.Nothing {
			break
		}
		a.arrange(n, "the cheapest plan from here on")
	}
	a.mergeNeighbors()
	a.Term = policy.ByMasks
	folds := a.foldsDue()
	bytes := bounded.Times(mostMaintained, a.limits.LeafBytes)
	if len(folds) > 0 { // the first one is folded however large it is, or it never would be
		bytes = max(bytes, a.bytes(folds[:1]))
	}
	if left := a.fold(folds, bytes); left > 0 {
		a.wait(fmt.Sprintf("%d more leaves should be written again without their masked rows or with all statistics", left))
	}
	a.Term = policy.ByScans
	if a.orderly {
		a.restoreOrder()
	} else {
		a.cluster()
	}
	a.makeRoom()
}

// again writes leaves again into so many, and takes them from those that may be: no other step has them then.
func (a *adaptation) again(refs []policy.Ref, leaves int, reason string, args ...any) {
	for _, ref := range refs {
		a.Rewrite(ref)
	}
	a.leaves = slices.DeleteFunc(a.leaves, func(ref policy.Ref) bool { return a.Rewritten[ref.Index] })
	a.Cut(refs, leaves, reason, args...)
}

// enough reports whether a maintenance commit writes as many leaves as it may. Others have no such limit.
func (a *adaptation) enough() bool {
	fresh := 0
	for _, step := range a.Plan.Steps {
		if step.Written < 0 {
			fresh++
		}
	}
	return a.In.Mode == policy.Maintenance && fresh >= mostMaintained
}

// bytes estimates what the live entries of leaves take in a leaf.
func (a *adaptation) bytes(leaves []policy.Ref) int64 {
	var bytes int64
	for _, ref := range leaves {
		bytes += a.In.RewrittenBytes(ref)
	}
	return bytes
}

// write makes one leaf of the loose files and the first n leaves, or several where the files are more than a leaf may have.
func (a *adaptation) write(n int, reason string) {
	if n == outlook.Nothing {
		return
	}
	full := int64(a.outlook.Full)
	for a.Count(a.Live) > full {
		a.Push(full, "%d loose files fill a leaf", a.Count(a.Live))
	}
	taken := a.leaves[:n:n]
	if len(a.Live)+n == 0 || len(a.Live) == 0 && n == 1 { // one leaf alone would be the same again
		return
	}
	rows := a.Count(a.Live) + a.Count(taken)
	if n == 0 {
		a.Push(rows, "%s: %d loose files, %d files a commit", reason, rows, int64(math.Round(a.outlook.Files)))
		return
	}
	a.Merge(taken, "%s: %d loose files and %d leaves, %d rows together", reason, a.Count(a.Live), n, rows)
	a.leaves = a.leaves[n:]
}
