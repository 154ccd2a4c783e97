package policy

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Defaults of [Adaptive], in bytes.
const (
	DefaultForegroundBytes = 1 << 20
	DefaultSmallRootBytes  = 1 << 20
	// DefaultRequestBytes is next to nothing: bytes alone are counted.
	DefaultRequestBytes = 1
)

// The keys of a snapshot's summary in which [Adaptive] keeps what it has learned (F34).
const (
	summaryRate    = summaryPrefix + "files-per-commit"
	summaryWaiting = summaryPrefix + "waiting"
)

// Adaptive needs no tuning. It learns from the tree what entries and leaves cost and from the snapshots how many files a commit
// adds, and asks in each commit what the cheapest plan would do now if the table went on growing as it does (docs/policy.md).
//
// A foreground commit writes few leaves again. What is due beyond that is left to a maintenance commit, and said in the plan; loose
// files wait for it for one commit. The root stays below its limit in any case.
//
// The zero Adaptive has the defaults.
type Adaptive struct {
	// LeafBytes is the size that full leaves have in a small table; default [DefaultLeafBytes]. In a large one they are larger, so
	// that the pointers to them fit into the root.
	LeafBytes int64
	// RootBytes is the limit of the root; default [DefaultSmallRootBytes], what stores read in one request.
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
	// commit puts them into the leaves of their partitions, which writes much. [Adaptive.ClusterLeaves] says nothing then.
	PartitionLeaves int64
	// RequestBytes is how many bytes it counts to write one more object, beside its own; default [DefaultRequestBytes].
	RequestBytes int64
}

// Name implements [Policy].
func (Adaptive) Name() string { return "adaptive" }

// adaptation is a plan of [Adaptive] being made.
type adaptation struct {
	*draft
	limits  Adaptive
	outlook outlook
	// orderly says that leaves are kept in the order of their partitions.
	orderly bool
	// inHand are the partitions that a maintenance commit has put into order.
	inHand []size
	// leaves are those that may be written again, those first that pay soonest.
	leaves []Ref
	// rent is what the masked rows of a leaf cost a commit, and spent what they have cost so far, by the index of the pointer.
	rent, spent []int64
	// neighbors are runs of leaves away from the newest files, which come after the others in leaves, and waits says of each pointer whether
	// it is of one.
	neighbors [][]Ref
	waits     []bool
	// bySize are the pointers that can be thinned, in the order in which they are.
	bySize []int
	// lost is what plans have read so far because a pointer is thin, by its index, and thinned the sequence number of the commit that last
	// thinned any.
	lost    []int64
	thinned int64
	// noRoom says that no statistics would stay that a leaf got by being written again.
	noRoom bool
}

// Plan implements [Policy].
func (p Adaptive) Plan(in Input) (Plan, error) {
	p.LeafBytes = orDefault(p.LeafBytes, DefaultLeafBytes)
	p.RootBytes = orDefault(p.RootBytes, DefaultSmallRootBytes)
	p.ForegroundBytes = orDefault(p.ForegroundBytes, DefaultForegroundBytes)
	p.ReadDiscount = orDefault(p.ReadDiscount, DefaultReadDiscount)
	p.ClusterLeaves = orDefault(p.ClusterLeaves, DefaultClusterLeaves)
	p.PartitionLeaves = orDefault(p.PartitionLeaves, DefaultPartitionLeaves)
	p.RequestBytes = orDefault(p.RequestBytes, DefaultRequestBytes)
	in = plausible(in)
	in.Prices = in.LearnedPrices()
	a := adaptation{draft: newDraft(in), limits: p}
	rate := filesPerCommit(in)
	a.outlook, a.term = a.expect(rate), ByRent
	a.orderly = a.inOrder()
	a.keepAccount()
	a.countLost()
	a.noRoom = a.isFull()
	a.sortLeaves()
	a.plan.Summary = map[string]string{summaryRate: strconv.FormatFloat(rate, 'g', 4, 64)}
	if in.Mode == Maintenance {
		a.maintain()
	} else {
		a.serve()
	}
	a.shrink()
	if in.Mode == Foreground {
		a.waitForRoom()
	}
	a.settleThin()
	if text := a.account(); text != "" {
		a.plan.Summary[summaryLedger] = text
	}
	return a.plan, nil
}

// learnCommits is how many commits it takes until the rate has mostly become another one.
const learnCommits = 32

// filesPerCommit returns how many files commits add, as the geometric mean that follows them: a single large commit among small
// ones hardly moves it.
func filesPerCommit(in Input) float64 {
	rate, known := 0.0, false
	for _, s := range slices.Backward(in.History) {
		if v, err := strconv.ParseFloat(s.Summary[summaryRate], 64); err == nil && v >= 1 && !math.IsInf(v, 0) {
			rate, known = math.Log(v), true
			break
		}
	}
	var now int64
	for _, item := range in.New {
		now += item.Count
	}
	switch {
	case now > 0 && known:
		rate += (math.Log(float64(now)) - rate) / learnCommits
	case now > 0:
		rate = math.Log(float64(now))
	}
	return math.Exp(rate)
}

// Full leaves have the size that the settings say, unless the pointers to them would take more than one part in leastPointers of the
// root: then they are leafGrowth times as large, as often as it takes. If they grew with each commit, none would ever be full.
const (
	leastPointers = 8
	leafGrowth    = 4
)

// expect returns what the table looks like to the program.
func (a *adaptation) expect(rate float64) outlook {
	prices := a.in.Prices
	files := float64(a.files())
	target := max(1, float64(a.limits.LeafBytes)/float64(max(1, prices.LeafEntryBytes)))
	full := target
	for full*float64(a.limits.RootBytes) < leastPointers*files*float64(prices.PointerBytes) {
		full *= leafGrowth
	}
	return outlook{
		files: rate, age: max(1, files/rate),
		loose: float64(max(1, prices.LooseBytes)), entry: float64(max(1, prices.LeafEntryBytes)),
		pointer: float64(max(1, prices.PointerBytes)), fixed: float64(prices.LeafFixedBytes) + float64(a.limits.RequestBytes),
		target: target, full: math.Floor(min(full, float64(a.in.Limits.MostRows()))),
	}
}

// sortLeaves finds the leaves that may be written again. Those that wait for their neighbors come after others, and full ones last. One
// of which this commit changes so many entries that telling of them takes more of the root than the pointer does can wait for the next
// commit.
func (a *adaptation) sortLeaves() {
	const waiting, full = 1, 2
	found, places := make([]leaf, len(a.in.Pointers)), []place(nil) // leaves without files are not among those found
	for i, pointer := range a.in.Pointers {
		dear := pointer.Changed*a.in.Prices.LooseBytes > a.in.Prices.Pointer(pointer.Thin)+pointer.DVBytes
		if pointer.movable() && !a.rewritten[i] && !dear {
			found[i] = a.leaf(Ref{FromPointers, i})
			if l, known := a.lies(i); known && !a.orderly { // what is kept in order is placed by partition anyway
				places = append(places, place{l, a.outlook.filled(found[i]) > 0 || !a.outlook.pays(found[i])})
			}
		}
	}
	a.findNeighbors(places)
	keys := make([]sortKey, 0, len(found))
	for i, leaf := range found {
		rank := 0
		switch {
		case leaf.files == 0:
			continue
		case a.waits[i]:
			rank = waiting
		case a.outlook.filled(leaf) > 0:
			rank = full
		}
		keys = append(keys, keyOf(ranked(rank, a.outlook.wait(leaf)), i))
	}
	a.leaves = make([]Ref, len(keys))
	for i, index := range sorted(keys) {
		a.leaves[i] = Ref{FromPointers, index}
	}
}

func (a *adaptation) leaf(ref Ref) leaf {
	p := a.in.Pointers[ref.Index]
	pointer := float64(max(1, a.in.Prices.Pointer(p.Thin)))
	l := leaf{files: float64(p.LiveEntries), pointer: pointer, rent: pointer + float64(a.rent[ref.Index]), spent: float64(a.spent[ref.Index])}
	if !a.noRoom {
		l.rent, l.spent = l.rent+float64(a.lose(ref.Index)), l.spent+float64(a.lost[ref.Index])
	}
	return l
}

// due returns how many of the first leaves should be written again with the loose files now, or nothing. One leaf alone keeps its
// pointer: whether its masked rows are worth it is another question, see [adaptation.foldsDue].
func (a *adaptation) due(o outlook) int {
	leaves := make([]leaf, 0, len(a.leaves))
	for _, ref := range a.leaves {
		leaf := a.leaf(ref)
		if a.outlook.filled(leaf) > 0 || a.waits[ref.Index] {
			break
		}
		leaves = append(leaves, leaf)
	}
	loose := a.count(a.live)
	n := o.push(float64(loose), leaves)
	if n == 1 && loose == 0 {
		return nothing
	}
	return n
}

// serve plans the commit of a writer. What is due and too much for it waits for maintenance: the loose files for one commit, so that
// they are written once, and the leaves until it comes. Meanwhile the plan is what is best without it.
func (a *adaptation) serve() {
	if a.waited() {
		a.wait("leaves wait for a maintenance commit")
		few := a.outlook
		few.full = math.Floor(max(1, min(few.full, float64(a.limits.ForegroundBytes)/float64(max(1, a.in.Prices.LeafEntryBytes)))))
		a.arrange(a.inOrderOrHeld(a.within(a.due(few))), "the cheapest plan without maintenance")
		a.term = ByMasks
		a.fold(a.foldsDue(), a.left())
		return
	}
	n := a.inOrderOrHeld(a.due(a.outlook))
	if n != a.within(n) {
		a.wait(fmt.Sprintf("%d leaves and %d loose files should become one leaf, which writes %d bytes of leaves again; "+
			"a commit of a writer may write %d", n, a.count(a.live), a.bytes(a.leaves[:n]), a.limits.ForegroundBytes))
		return
	}
	a.arrange(n, "the cheapest plan from here on")
	if folds := a.foldsDue(); len(folds) > 0 {
		a.wait(fmt.Sprintf("%d leaves should be written again without their masked rows or with all statistics", len(folds)))
	}
	if refs := a.neighborsDue(); refs != nil { // no loose file needs to wait for these
		a.plan.Deferred = append(a.plan.Deferred, fmt.Sprintf("%d old leaves of neighboring partitions should become one", len(refs)))
	}
	if d, due := a.disordered(); due { // no loose file needs to wait for that
		a.plan.Deferred = append(a.plan.Deferred, fmt.Sprintf("%d leaves of %d commits have rows of the same partitions", len(d.refs), d.runs))
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
	for i, rewritten := range a.rewritten {
		if rewritten {
			left -= a.bytes([]Ref{{FromPointers, i}})
		}
	}
	return left
}

// wait leaves something to a maintenance commit, and says so to the next commit.
func (a *adaptation) wait(reason string) {
	a.plan.Deferred = append(a.plan.Deferred, reason)
	a.plan.Summary[summaryWaiting] = "1"
}

// waited reports whether the last commit of the policy already waited for maintenance. Other engines, whose snapshots say nothing of
// that, may have committed since.
func (a *adaptation) waited() bool { return a.lastSummary()[summaryWaiting] != "" }

// lastSummary returns the summary of the newest snapshot in which the policy has noted anything.
func (a *adaptation) lastSummary() map[string]string { return a.last().Summary }

// last returns the newest snapshot in which the policy has noted anything.
func (a *adaptation) last() Snapshot {
	for _, s := range slices.Backward(a.in.History) {
		if _, ours := s.Summary[summaryRate]; ours {
			return s
		}
	}
	return Snapshot{}
}

// mostMaintained is how many merged leaves one maintenance commit writes at most, and of folded ones as many bytes as so many full leaves of
// a small table have, or one leaf.
const mostMaintained = 8

// maintain plans a maintenance commit.
func (a *adaptation) maintain() {
	for range mostMaintained {
		n := a.ordered(a.due(a.outlook))
		if n == nothing {
			break
		}
		a.arrange(n, "the cheapest plan from here on")
	}
	a.mergeNeighbors()
	a.term = ByMasks
	folds := a.foldsDue()
	bytes := times(mostMaintained, a.limits.LeafBytes)
	if len(folds) > 0 { // the first one is folded however large it is, or it never would be
		bytes = max(bytes, a.bytes(folds[:1]))
	}
	if left := a.fold(folds, bytes); left > 0 {
		a.wait(fmt.Sprintf("%d more leaves should be written again without their masked rows or with all statistics", left))
	}
	a.term = ByScans
	if a.orderly {
		a.keepInOrder()
	} else {
		a.putInOrder()
	}
	a.makeRoom()
}

// again writes leaves again into so many, and takes them from those that may be: no other step has them then.
func (a *adaptation) again(refs []Ref, leaves int, reason string, args ...any) {
	for _, ref := range refs {
		a.rewrite(ref)
	}
	a.leaves = slices.DeleteFunc(a.leaves, func(ref Ref) bool { return a.rewritten[ref.Index] })
	a.cut(refs, leaves, reason, args...)
}

// bytes estimates what the live entries of leaves take in a leaf.
func (a *adaptation) bytes(leaves []Ref) int64 {
	var bytes int64
	for _, ref := range leaves {
		bytes += a.in.rewrittenBytes(ref)
	}
	return bytes
}

// write makes one leaf of the loose files and the first n leaves, or several where the files are more than a leaf may have.
func (a *adaptation) write(n int, reason string) {
	if n == nothing {
		return
	}
	full := int64(a.outlook.full)
	for a.count(a.live) > full {
		a.push(full, "%d loose files fill a leaf", a.count(a.live))
	}
	taken := a.leaves[:n:n]
	if len(a.live)+n == 0 || len(a.live) == 0 && n == 1 { // one leaf alone would be the same again
		return
	}
	rows := a.count(a.live) + a.count(taken)
	if n == 0 {
		a.push(rows, "%s: %d loose files, %d files a commit", reason, rows, int64(math.Round(a.outlook.files)))
		return
	}
	a.merge(taken, "%s: %d loose files and %d leaves, %d rows together", reason, a.count(a.live), n, rows)
	a.leaves = a.leaves[n:]
}
