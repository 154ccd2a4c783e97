package adaptive

import (
	"cmp"
	"slices"

	"github.com/firn-io/firn/policy"
)

// Where partitions follow time the newest files lie at one end. Old leaves come to pay one after the other, as the table gets older; taken
// in with the newest ones, each would make a leaf that lies across all partitions between. So they wait for their neighbors.

// place is a leaf in the order of partitions. One that stays is full, or does not pay to be written again.
type place struct {
	laid
	stays bool
}

// findNeighbors finds the runs of leaves that lie away from the newest files, with leaves between that stay, in the order of their partitions.
func (a *adaptation) findNeighbors(places []place) {
	a.waits = make([]bool, len(a.In.Pointers))
	slices.SortFunc(places, func(x, y place) int {
		return cmp.Or(cmp.Compare(x.first, y.first), cmp.Compare(x.last, y.last), x.ref.Index-y.ref.Index)
	})
	newest := a.firstLoose()
	var run []policy.Ref
	reach, parted := int64(0), false
	for _, p := range places {
		beyond := len(run) > 0 && p.first > reach
		switch {
		case p.stays:
			parted = parted || beyond
			continue
		case parted && beyond:
			if reach >= newest {
				return
			}
			for _, ref := range run {
				a.waits[ref.Index] = true
			}
			a.neighbors = append(a.neighbors, run)
			run = nil
		}
		run, reach, parted = append(run, p.ref), max(reach, p.last), false
	}
	// The last run is that of the newest files, whether or not any are loose.
}

// firstLoose returns the first partition that loose files have, or a very high one.
func (a *adaptation) firstLoose() int64 {
	first := int64(mostPlaces)
	for _, ref := range a.Live {
		if item := a.item(ref); item.Last > 0 {
			first = min(first, max(1, item.First))
		}
	}
	return first
}

// neighborsDue returns neighbors that should become one leaf: to write them again costs less than all their pointers but one do in time.
func (a *adaptation) neighborsDue() []policy.Ref {
	for _, run := range a.neighbors {
		for len(run) > 1 {
			n, files, worth, most := 0, 0.0, 0.0, 0.0
			for n < len(run) {
				l := a.leaf(run[n])
				if n > 0 && files+l.Files > a.outlook.Full {
					break
				}
				files, worth, most = files+l.Files, worth+a.outlook.Worth(l), max(most, a.outlook.Worth(l))
				n++
			}
			if n > 1 && files*a.outlook.Entry+a.outlook.Fixed <= worth-most {
				return slices.Clone(run[:n])
			}
			run = run[n:]
		}
	}
	return nil
}

// mergeNeighbors makes one leaf each of neighbors for which it pays.
func (a *adaptation) mergeNeighbors() {
	for refs := a.neighborsDue(); refs != nil && !a.enough(); refs = a.neighborsDue() {
		a.again(refs, 0, "%d old leaves of neighboring partitions, %d rows together, cost less once than their pointers do", len(refs), a.Count(refs))
		for i := range a.neighbors {
			a.neighbors[i] = slices.DeleteFunc(a.neighbors[i], func(ref policy.Ref) bool { return a.Rewritten[ref.Index] })
		}
	}
}
