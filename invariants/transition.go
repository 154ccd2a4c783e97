package invariants

import (
	"context"
	"fmt"
	"iter"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// CheckTransition checks the rules of scope transition on a snapshot and its parent; the zero Tree is the parent of a
// snapshot that began a history. It opens leaves to see what became of files that left their place: leaves new to the
// child from depth [AddedLeaves] on, those of the parent that the child rewrote from depth [RewrittenLeaves] on, its
// others at depth [AllLeaves]. Of files that left a leaf which is not opened the numbers are compared. An error of the
// leaf reader ends the sequence, but see [LeafOptions] (IV10, IV12, IV13, IV14, IV17).
func CheckTransition(ctx context.Context, l *Leaves, parent, child tree.Tree, depth Depth) iter.Seq2[Violation, error] {
	return func(yield func(Violation, error) bool) {
		l.check(yield, func(c check) error {
			return c.transition(ctx, l, newSnapshot(parent), newSnapshot(child), depth)
		})
	}
}

// CheckChild checks a snapshot with [CheckTree] and its step from the parent with [CheckTransition], and sorts out the root
// once for both.
func CheckChild(ctx context.Context, l *Leaves, parent, child tree.Tree, depth Depth) iter.Seq2[Violation, error] {
	return func(yield func(Violation, error) bool) {
		l.check(yield, func(c check) error {
			s := newSnapshot(child)
			if err := c.tree(ctx, l, s, depth); err != nil || c.sink.over() {
				return err
			}
			return c.transition(ctx, l, newSnapshot(parent), s, depth)
		})
	}
}

// transition is a snapshot and its parent, pointers matched by location.
type transition struct {
	parent, child *snapshot
	// carried are the pointers of the child that the parent has too, live.
	carried []*carriedPointer
	// fresh are the pointers of the child that the parent does not have live.
	fresh []*pointer
	// dropped are the live pointers of the parent that the child does not have.
	dropped []*pointer
	// changes are those of one share of the files, and counts those of the shares up to it.
	changes *changes
	counts  changeCounts
	// left are the files that left the line of a history before, nil outside of one.
	left map[fileKey]departed
	// keepers are the files of the shares up to this one that come with row ids of before and never left.
	keepers []*arrival
	// sums are those of the files of the shares up to this one, in a history.
	sums commitSums
}

// carriedPointer is a pointer in the parent and in the child.
type carriedPointer struct {
	transition *transition
	old, now   *pointer
}

func (c check) transition(ctx context.Context, l *Leaves, parent, child *snapshot, depth Depth) error {
	t := &transition{parent: parent, child: child}
	if c.line != nil {
		t.left = c.line.left
	}
	t.match()
	for _, p := range t.carried {
		c.run(carriedRules, child.place(p.now.row), func(f *checker, r reporter) {
			f.carried(p, r)
		})
	}
	for share := (share{of: 1}); share.index < share.of && !c.sink.over(); share.index++ {
		if err := t.collect(ctx, l, &share, depth); err != nil {
			return err
		}
		if share.index == 0 {
			c.transitionRules(pairRules, t)
		}
		c.transitionRules(changeRules, t)
		c.goesOn(t)
		c.sumUp(t)
	}
	c.wentOn(t)
	c.unpromised(t)
	return nil
}

func (c check) transitionRules(rules []Invariant, t *transition) {
	c.run(rules, t.child.place(-1), func(f *checker, r reporter) {
		f.transition(t, r)
	})
}

// match matches the pointers of both roots by resolved location.
func (t *transition) match() {
	old := make(map[string]*pointer)
	for _, p := range t.parent.pointers {
		if p.live() {
			old[p.location] = p
		}
	}
	found := make(map[string]bool)
	for _, p := range t.child.pointers {
		found[p.location] = true
		if o, ok := old[p.location]; ok {
			t.carried = append(t.carried, &carriedPointer{t, o, p})
		} else {
			t.fresh = append(t.fresh, p)
		}
	}
	for _, p := range t.parent.pointers {
		if p.live() && !found[p.location] {
			t.dropped = append(t.dropped, p)
		}
	}
}

// begins reports whether the child begins a history, so that it has no parent.
func (t *transition) begins() bool { return t.parent.id() == 0 }

var transitionInvariants = []Invariant{
	{
		ID: "X-PARENT", Scope: ScopeTransition, Severity: Error, Firmness: Firm, Rule: "rules 14.1, B09",
		Statement: "The parent id of a snapshot is the id of the snapshot that its root was built from.",
		Symptom:   "Histories and change feeds follow another line than the tree did.",
		Advice:    "Rebuild the root for the new parent when a commit is tried again.",
		check:     checker{transition: checkParent},
	},
	{
		ID: "X-TIME", Scope: ScopeTransition, Severity: Error, Firmness: Firm, Rule: "rules 14.3, 20.10",
		Statement: "The timestamp of a snapshot is greater than its parent's.",
		Symptom:   "Time travel finds the wrong snapshot.",
		Advice:    "Commit at the clock's time or one millisecond after the parent, whichever is later.",
		check:     checker{transition: checkTime},
	},
	{
		ID: "X-SEQUENCE", Scope: ScopeTransition, Severity: Error, Firmness: Firm, Rule: "rules 7.2",
		Statement: "The sequence number of a snapshot is greater than its parent's.",
		Symptom:   "Deletes apply to files that are newer than they are.",
		Advice:    "Take the table's last sequence number plus one, on each attempt anew.",
		check:     checker{transition: checkSequence},
	},
	{
		ID: "X-FIRST-ROW-ID", Scope: ScopeTransition, Severity: Error, Firmness: Firm, Rule: "rules 8.1, 20.9",
		Statement: "The first-row-id of a snapshot is at or above the parent's first-row-id plus added-rows.",
		Symptom:   "Two snapshots hand out the same row ids.",
		Advice:    "Take the table's next-row-id, on each attempt anew.",
		check:     checker{transition: checkFirstRowID},
	},
	{
		ID: "X-POINTER-KNOWN", Scope: ScopeTransition, Severity: Error, Firmness: Firm, Rule: "rules 6.5, 6.7, 9.9, 20.12",
		Statement: "A pointer that is not ADDED was live in the parent.",
		Symptom:   "A leaf comes back that was gone, or comes in without being new: its files appear unannounced.",
		Advice:    "Rebuild the root from its parent; write a leaf anew rather than bring an old one back.",
		Implies:   []string{"X-INVENTED"},
		check:     checker{transition: checkPointerKnown},
	},
	{
		ID: "X-POINTER-AGAIN", Scope: ScopeTransition, Severity: Error, Firmness: Firm, Rule: "rules 6.5, 6.7, 7.11",
		Statement: "A pointer that was live in the parent is not ADDED.",
		Symptom:   "All files of the leaf look new.",
		Advice:    "Carry the pointer as EXISTING with its own ids.",
		Implies:   []string{"R-ADDED", "R-ROW-ID-START"},
		check:     checker{carried: checkPointerAgain},
	},
}

func checkParent(t *transition, r reporter) {
	want := iceberg.Optional[int64]{Val: t.parent.id(), Valid: !t.begins()}
	if got := t.child.tree.ParentSnapshotID; got != want {
		r.report("parent-snapshot-id", want, got)
	}
}

func checkTime(t *transition, r reporter) {
	before, now := t.parent.tree.TimestampMillis, t.child.tree.TimestampMillis
	if !t.begins() && now <= before {
		r.report("timestamp-ms", fmt.Sprintf("above %d", before), now)
	}
}

func checkSequence(t *transition, r reporter) {
	before, now := t.parent.tree.SequenceNumber, t.child.tree.SequenceNumber
	if !t.begins() && now <= before {
		r.report("sequence-number", fmt.Sprintf("above %d", before), now)
	}
}

func checkFirstRowID(t *transition, r reporter) {
	if next := t.parent.nextRowID(); !t.begins() && t.child.tree.FirstRowID < next {
		r.report("first-row-id", fmt.Sprintf("%d or more", next), t.child.tree.FirstRowID)
	}
}

func checkPointerKnown(t *transition, r reporter) {
	for _, p := range t.fresh {
		if s := p.entry.Tracking.Status; s != tree.Added {
			r.row(p.row).report("tracking.status", "ADDED for a leaf that was not live in the parent", statusName(s))
		}
	}
}

func checkPointerAgain(p *carriedPointer, r reporter) {
	if p.now.entry.Tracking.Status == tree.Added {
		r.report("tracking.status", "EXISTING for a leaf of the parent", "ADDED")
	}
}
