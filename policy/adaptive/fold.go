package adaptive

import (
	"cmp"
	"slices"

	"github.com/firn-io/firn/policy"
)

// DefaultReadDiscount is the default of [Policy.ReadDiscount].
const DefaultReadDiscount = 100

// readRents notes what the masked leaves have cost so far, and what they cost a commit.
func (a *adaptation) readRents() {
	l := readLedger(a.In.History)
	a.rent, a.spent = make([]int64, len(a.In.Pointers)), make([]int64, len(a.In.Pointers))
	for i, p := range a.In.Pointers {
		dead := max(0, p.Entries-p.LiveEntries)
		if p.Legacy || p.DVBytes == 0 && dead == 0 {
			continue
		}
		a.rent[i] = p.DVBytes + a.In.Prices.RowBytes(p, dead)/a.limits.ReadDiscount
		a.spent[i] = l.paid(p, a.rent[i], a.age(p))
	}
}

// age returns for how many commits a leaf has been there.
func (a *adaptation) age(p policy.Pointer) int64 {
	if p.SequenceNumber > 0 && a.In.SequenceNumber > p.SequenceNumber {
		return a.In.SequenceNumber - p.SequenceNumber
	}
	return int64(min(a.outlook.Age, 1<<40))
}

// nextLedger returns the ledger for the next commit: of the masked leaves that stay, with what this root costs for them.
func (a *adaptation) nextLedger() string {
	var l newLedger
	for i, p := range a.In.Pointers {
		if a.rent[i] > 0 && p.LiveEntries > 0 && !a.Rewritten[i] {
			l.add(entry{accountOf(p), a.spent[i] + a.rent[i]})
		}
	}
	return l.String()
}

// price is what it costs to write a leaf again without its masked rows.
func (a *adaptation) price(p policy.Pointer) int64 {
	return a.In.Prices.LeafFixedBytes + a.In.Prices.RowBytes(p, p.LiveEntries)
}

// foldsDue returns the leaves whose masked rows have cost, with this commit, what it takes to write the live ones again: who rents until
// the rent has reached the price, and then buys, pays at most twice what the cheapest plan does, whatever comes (docs/policy.md). Those
// come first whose rows have cost most of their price. What a full leaf's pointer lacks counts too, as long as the root has room for it: such
// a leaf is merged with none.
func (a *adaptation) foldsDue() []policy.Ref {
	var due []policy.Ref
	room, more := a.crowded()-a.RootBytes(), a.In.Prices.PointerBytes-a.In.Prices.Pointer(true)
	for _, ref := range a.leaves {
		p, masked := a.In.Pointers[ref.Index], a.rent[ref.Index]+a.spent[ref.Index]
		switch {
		case p.LiveEntries > a.In.Limits.MostRows():
		case a.rent[ref.Index] > 0 && masked >= a.price(p):
			due = append(due, ref)
		case a.thinOwed(ref) > 0 && masked+a.thinOwed(ref) >= a.price(p) && room >= more:
			due = append(due, ref)
			room -= more
		}
	}
	slices.SortStableFunc(due, func(x, y policy.Ref) int { return cmp.Compare(a.overdue(y), a.overdue(x)) })
	return due
}

// thinOwed returns what it has cost, with this commit, that the pointer of a full leaf is thin.
func (a *adaptation) thinOwed(ref policy.Ref) int64 {
	if lose := a.owedThinRent(ref.Index); lose > 0 && a.outlook.IsFull(a.leaf(ref)) {
		return a.thinSpent[ref.Index] + lose
	}
	return 0
}

// overdue returns how often the price of a fold has been paid.
func (a *adaptation) overdue(ref policy.Ref) float64 {
	return float64(a.spent[ref.Index]+a.rent[ref.Index]+a.thinOwed(ref)) / float64(max(1, a.price(a.In.Pointers[ref.Index])))
}

// fold writes leaves again without their masked rows, at most so many bytes of live ones, and returns how many are left. Those that fit
// into one leaf become one, which saves an object and a pointer and costs nothing more. A leaf that is too large for the bytes keeps no
// smaller one from being folded.
func (a *adaptation) fold(due []policy.Ref, bytes int64) int {
	left := len(due)
	for !a.enough() {
		if due = a.affordable(due, bytes); len(due) == 0 {
			break
		}
		n, rows := 0, int64(0)
		for n < len(due) {
			live, again := a.In.Pointers[due[n].Index].LiveEntries, a.In.RewrittenBytes(due[n])
			if n > 0 && (float64(rows+live) > a.outlook.Full || a.orderly) || again > bytes {
				break
			}
			rows += live
			bytes -= again
			n++
		}
		a.rewriteMasked(due[:n:n], rows)
		due, left = due[n:], left-n
	}
	return left
}

// affordable returns the leaves whose live entries take at most so many bytes.
func (a *adaptation) affordable(due []policy.Ref, bytes int64) []policy.Ref {
	return slices.DeleteFunc(due, func(ref policy.Ref) bool { return a.bytes([]policy.Ref{ref}) > bytes })
}

func (a *adaptation) rewriteMasked(refs []policy.Ref, rows int64) {
	var rent, spent int64
	once := a.In.Prices.LeafFixedBytes
	for _, ref := range refs {
		once += a.price(a.In.Pointers[ref.Index]) - a.In.Prices.LeafFixedBytes
		rent += a.rent[ref.Index] + a.owedThinRent(ref.Index)
		spent += a.spent[ref.Index] + a.thinSpent[ref.Index]
	}
	a.again(refs, 0, "what is masked in %d leaves, or their pointers lack, has cost %d bytes and costs %d a commit; their %d live rows cost %d once",
		len(refs), spent, rent, rows, once)
}
