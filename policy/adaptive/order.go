package adaptive

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/internal/outlook"
)

// DefaultPartitionLeaves is the default of [Policy.PartitionLeaves]: plans of one partition may open any number of leaves.
const DefaultPartitionLeaves = 1

const (
	// leastPartitionLeaves is where [Policy.PartitionLeaves] begins: as many leaves as in perfect order.
	leastPartitionLeaves = 100
	// mostOrdered is how many leaves one maintenance commit writes to keep them in the order of their partitions.
	mostOrdered = 64
	// orderSlack is what part of the leaves that a plan may open beyond one is free again once leaves were put into order, in percent.
	orderSlack = 50
	// lostOrder is how many times the leaves that plans may open they open where the order is lost: then leaves that still grow are put into
	// order too.
	lostOrder = 1.1
	// largePartition is how many fixed prices of a leaf the files of a partition cost at least to go into a leaf of their own.
	largePartition = 4
	// mostPlaces bounds the numbers of partitions.
	mostPlaces = 1 << 40
)

// laid is a leaf among the partitions: from the first one that it has to the last.
type laid struct {
	ref                policy.Ref
	first, last, files int64
}

func (l laid) width() int64 { return l.last - l.first + 1 }

// wantsOrder reports whether the table asks for leaves in the order of their partitions and has such. One that fits into a leaf needs no order.
func (a *adaptation) wantsOrder() bool {
	if a.limits.PartitionLeaves < leastPartitionLeaves || float64(a.Files()) <= a.outlook.Full {
		return false
	}
	known := func(item policy.Item) bool { return item.Last > 0 }
	return slices.ContainsFunc(a.In.New, known) || slices.ContainsFunc(a.In.Loose, known) ||
		slices.ContainsFunc(a.In.Pointers, func(p policy.Pointer) bool { return p.Last > 0 })
}

// layout returns the leaves as they lie once the plan so far and these writes are made: each takes its members out of their leaves.
func (a *adaptation) layout(writes ...policy.Step) (all []laid) {
	gone := make(map[int]bool)
	for _, step := range writes {
		for _, ref := range step.Members {
			if ref.Source == policy.FromPointers {
				gone[ref.Index] = true
			}
		}
	}
	for i, p := range a.In.Pointers {
		if l, known := a.lies(i); known && p.LiveEntries > 0 && !a.Rewritten[i] && !gone[i] {
			all = append(all, l)
		}
	}
	for _, step := range slices.Concat(a.Plan.Steps, writes) {
		if step.Kind == policy.Bury {
			continue
		}
		first, last, known := a.around(step.Members)
		if !known {
			continue
		}
		n, width := min(max(1, int64(step.Leaves)), mostOrdered), last-first+1 // of more the rest lies among these
		for i := range n {
			l := laid{first: first + i*width/n, files: a.Count(step.Members) / n}
			l.last = max(l.first, first+(i+1)*width/n-1)
			all = append(all, l)
		}
	}
	return all
}

// lies returns a leaf of the input, if its partitions are known.
func (a *adaptation) lies(i int) (laid, bool) {
	p := a.In.Pointers[i]
	return laid{policy.Ref{Source: policy.FromPointers, Index: i}, p.First, p.Last, p.LiveEntries}, p.First > 0 && p.First <= p.Last && p.Last < mostPlaces
}

// around returns the first and the last numbered partition that a leaf of these members has. A file between two of these has neither: alone
// it takes none, so that its first is above its last, and beside others it reaches no further than to its own side.
func (a *adaptation) around(members []policy.Ref) (first, last int64, known bool) {
	first, last = math.MaxInt64, 0
	for _, ref := range members {
		from, to := int64(0), int64(0)
		if ref.Source == policy.FromPointers {
			if l, ok := a.lies(ref.Index); ok {
				from, to = l.first, l.last
			}
		} else if item := a.item(ref); item.Last > 0 && item.Last < mostPlaces {
			if from, to = max(1, item.First), item.Last; item.Count == 1 && item.First < item.Last {
				from, to = item.Last, item.First
			}
		}
		if from > 0 {
			first, last, known = min(first, from), max(last, to), true
		}
	}
	return first, max(first, last), known
}

// item returns a file of the root.
func (a *adaptation) item(ref policy.Ref) *policy.Item {
	if ref.Source == policy.FromLoose {
		return &a.In.Loose[ref.Index]
	}
	return &a.In.New[ref.Index]
}

// opened returns how many leaves a plan of one partition opens, as the mean over all partitions that have a number, and how many it may. In
// perfect order it opens one, or where a partition has more files than a leaf as many as these fill, and one more for what is over.
func (a *adaptation) opened(all []laid) (opened, allowed float64) {
	type edge struct {
		at     int64
		leaves int
		files  float64 // of each partition from here on
	}
	edges := make([]edge, 0, 2*len(all))
	for _, l := range all {
		files := float64(l.files) / float64(l.width())
		edges = append(edges, edge{l.first, 1, files}, edge{l.last + 1, -1, -files})
	}
	slices.SortFunc(edges, func(x, y edge) int { return cmp.Compare(x.at, y.at) })
	var partitions, sum, least, files float64
	leaves := 0
	for i, e := range edges {
		leaves += e.leaves
		files += e.files
		if leaves == 0 || edges[i+1].at == e.at {
			continue
		}
		width := float64(edges[i+1].at - e.at)
		partitions += width
		sum += width * float64(leaves)
		least += width
		if files >= a.outlook.Full {
			least += width * files / a.outlook.Full
		}
	}
	if partitions == 0 {
		return 0, 1
	}
	return sum / partitions, least / partitions * float64(a.limits.PartitionLeaves) / 100
}

// wanted are the steps that put leaves and all loose files into one: or into one for each partition, if each member has a single one, and
// these are so large that to write another leaf for each is little.
func (a *adaptation) wanted(leaves []policy.Ref) []policy.Step {
	members := slices.Concat(a.Live, leaves)
	rows := a.Count(members)
	if apart := a.apart(members); len(apart) > 1 && float64(rows)*a.outlook.Entry >= largePartition*a.outlook.Fixed*float64(len(apart)) && len(apart) <= mostOrdered {
		var steps []policy.Step
		for _, at := range slices.Sorted(maps.Keys(apart)) {
			if own := apart[at]; len(own) > 1 || own[0].Source != policy.FromPointers {
				steps = append(steps, policy.Step{Kind: policy.KindOf(own), Members: own, Leaves: a.parts(a.Count(own))})
			}
		}
		return steps
	}
	if len(members) == 0 {
		return nil
	}
	return []policy.Step{{Kind: policy.KindOf(members), Members: members, Leaves: a.parts(rows)}}
}

// apart returns the members of each partition, or none if one has several.
func (a *adaptation) apart(members []policy.Ref) map[int64][]policy.Ref {
	apart := make(map[int64][]policy.Ref)
	for _, ref := range members {
		at := int64(0)
		if ref.Source == policy.FromPointers {
			if l, known := a.lies(ref.Index); known && l.width() == 1 {
				at = l.first
			}
		} else if item := a.item(ref); item.First == item.Last && item.Last < mostPlaces {
			at = item.First
		}
		if at == 0 {
			return nil
		}
		apart[at] = append(apart[at], ref)
	}
	return apart
}

// arrange is [adaptation.write] for a table that may be in order. More leaves than a maintenance commit puts into order are not put into any.
func (a *adaptation) arrange(n int, reason string) {
	if n == outlook.Nothing || len(a.Live) == 0 && n < 2 { // one leaf alone would be the same again
		return
	}
	var steps []policy.Step
	if a.orderly {
		steps = a.wanted(a.leaves[:n])
	}
	leaves := 0
	for _, step := range steps {
		leaves += step.Leaves
	}
	if leaves == 0 || leaves > mostOrdered {
		a.write(n, reason)
		return
	}
	for _, step := range steps {
		a.put(step, "%s: %d rows, in the order of their partitions", reason, a.Count(step.Members))
	}
}

// put writes the leaves of a step.
func (a *adaptation) put(step policy.Step, reason string, args ...any) {
	placed := make(map[policy.Ref]bool, len(step.Members))
	for _, ref := range step.Members {
		if placed[ref] = true; ref.Source == policy.FromPointers {
			a.Rewrite(ref)
		}
	}
	a.Live = slices.DeleteFunc(a.Live, func(ref policy.Ref) bool { return placed[ref] })
	a.leaves = slices.DeleteFunc(a.leaves, func(ref policy.Ref) bool { return placed[ref] })
	a.Cut(step.Members, step.Leaves, reason, args...)
}

// parts is how many leaves so many rows take.
func (a *adaptation) parts(rows int64) int {
	return int(min(max(1, math.Ceil(float64(rows)/a.outlook.Full)), float64(max(1, rows))))
}

// keepsOrder reports whether plans of one partition open no more leaves than they may once some leaves and all loose files are written
// together, or no more than before.
func (a *adaptation) keepsOrder(leaves []policy.Ref) bool {
	if !a.orderly || len(a.Live)+len(leaves) == 0 {
		return true
	}
	after, allowed := a.opened(a.layout(a.wanted(leaves)...))
	if after <= allowed {
		return true
	}
	before, _ := a.opened(a.layout())
	return after <= before
}

// pickInOrder returns how many of the first n leaves should be written again with the loose files so that the order of the leaves is not lost, or
// nothing. If not all of them, these come first from then on: those that have the fewest partitions together.
func (a *adaptation) pickInOrder(n int) int {
	if n == outlook.Nothing || a.keepsOrder(a.leaves[:n]) {
		return n
	}
	chosen, rest := []policy.Ref(nil), slices.Clone(a.leaves[:min(n, mostOrdered)])
	if len(a.Live) > 0 && !a.keepsOrder(nil) {
		return outlook.Nothing
	}
	for len(rest) > 0 {
		least, at := int64(math.MaxInt64), 0
		for i, ref := range rest {
			if first, last, _ := a.around(slices.Concat(a.Live, chosen, []policy.Ref{ref})); last-first < least {
				least, at = last-first, i
			}
		}
		if !a.keepsOrder(append(chosen[:len(chosen):len(chosen)], rest[at])) {
			break
		}
		chosen, rest = append(chosen, rest[at]), slices.Delete(rest, at, at+1)
	}
	if len(a.Live) == 0 && len(chosen) < 2 {
		return outlook.Nothing
	}
	copy(a.leaves, slices.Concat(chosen, rest)) // the first ones in another order
	return len(chosen)
}

// pickOrDefer is [adaptation.pickInOrder] for the commit of a writer: it says if files stay loose for the order of the leaves, or if that is lost.
func (a *adaptation) pickOrDefer(due int) int {
	if !a.orderly {
		return due
	}
	n := a.pickInOrder(due)
	if n == outlook.Nothing && due != outlook.Nothing {
		after, allowed := a.opened(a.layout(a.wanted(nil)...))
		a.Plan.Deferred = append(a.Plan.Deferred, fmt.Sprintf("%d loose files wait until they go into the leaves of their partitions: in leaves of their own "+
			"a plan of one partition would open %.2f, and may open %.2f", a.Count(a.Live), after, allowed))
	} else if now, allowed := a.opened(a.layout()); now > allowed {
		a.Plan.Deferred = append(a.Plan.Deferred, fmt.Sprintf("a plan of one partition opens %.2f leaves, and may open %.2f", now, allowed))
	}
	return n
}

// restoreOrder writes leaves that lie in each other's partitions in their order, as long as plans of one partition open more than they may or
// loose files wait for that, and loose files into the leaves of their partitions if that is not enough.
func (a *adaptation) restoreOrder() {
	room := mostOrdered
	for begun := false; room > 0; begun = true {
		now, allowed := a.opened(a.layout())
		lost := now > lostOrder*allowed
		if a.due(a.outlook) != outlook.Nothing {
			if after, may := a.opened(a.layout(a.wanted(nil)...)); after > now {
				now, allowed = after, may
			}
		}
		roomy := allowed - (allowed-1)*orderSlack/100
		if now <= allowed && (!begun || now <= roomy) {
			break
		}
		p, found := a.worst(room, now-roomy, lost)
		if !found {
			break
		}
		a.put(policy.Step{Members: p.refs, Leaves: p.parts}, "%d leaves with rows of the same partitions are put into their order, which writes %.0f bytes: a plan of "+
			"one partition opens %.2f leaves, or would with those that files wait for, and may open %.2f", len(p.refs), p.gain/p.ratio, now, allowed)
		a.inHand = append(a.inHand, p.size)
		room -= p.parts
	}
	due := a.due(a.outlook)
	if n := a.pickInOrder(due); n != outlook.Nothing {
		a.Term = policy.ByRent
		a.arrange(n, "the cheapest plan from here on")
	} else if due != outlook.Nothing {
		a.shelve(room)
	}
	if now, allowed := a.opened(a.layout()); now > allowed {
		a.Plan.Deferred = append(a.Plan.Deferred, fmt.Sprintf("a plan of one partition still opens %.2f leaves, and may open %.2f: one commit puts at most %d leaves "+
			"into order, and none whose rows it cannot tell apart", now, allowed, mostOrdered))
	}
}
