package sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/tidwall/btree"

	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/metadata"
)

// model is what should be live in a snapshot: the files by their number. It is never changed after it was made, and shares
// with the model that it was made from what did not change.
type model struct{ files *btree.Map[int64, file] }

// file is what must not change as long as a file is live, and its deletes.
type file struct {
	records, size                    int64
	snapshot, sequence, fileSequence int64
	// modified is the snapshot that deleted rows last, 0 for none.
	modified int64
	deleted  dv.Vector
	// stats counts how often the statistics were refreshed.
	stats int64
	// columns are those that have statistics, and spec is the id of the partition spec.
	columns columnSet
	spec    int32
	// firstRowID is learned from the first tree that shows the file, unlearned before.
	firstRowID int64
}

const unlearned = -1

// same reports whether two states are of one file with the same deletes and statistics. A row id that is not
// known yet agrees with any.
func (f file) same(o file) bool {
	rowID := f.firstRowID == o.firstRowID || f.firstRowID == unlearned || o.firstRowID == unlearned
	return rowID && f.records == o.records && f.size == o.size && f.snapshot == o.snapshot && f.sequence == o.sequence &&
		f.fileSequence == o.fileSequence && f.modified == o.modified && f.stats == o.stats && f.columns == o.columns && f.spec == o.spec && f.deleted.Equal(o.deleted)
}

func (f file) String() string {
	return fmt.Sprintf("records=%d size=%d snapshot=%d seq=%d/%d modified=%d deleted=%q stats=%d columns=%b spec=%d row=%d",
		f.records, f.size, f.snapshot, f.sequence, f.fileSequence, f.modified, f.deleted, f.stats, f.columns, f.spec, f.firstRowID)
}

// change is what becomes of one file from a snapshot to the next. Before is nil for a file that was not live, after for one that
// is not live any more.
type change struct {
	number        int64
	before, after *file
	// optional says that the engine may leave a change of statistics out, since it cannot know that nothing else came between.
	optional bool
}

// told reports whether a change feed tells of the change: better statistics are no change of data.
func (c change) told() bool {
	return c.before == nil || c.after == nil || c.before.fileSequence != c.after.fileSequence ||
		c.before.modified != c.after.modified || !c.before.deleted.Equal(c.after.deleted)
}

func newModel() model { return model{new(btree.Map[int64, file])} }

func (m model) get(number int64) (file, bool) { return m.files.Get(number) }

// with returns the model after changes.
func (m model) with(changes []change) model {
	after := model{m.files.Copy()}
	for _, c := range changes {
		if c.after == nil {
			after.files.Delete(c.number)
		} else {
			after.files.Set(c.number, *c.after)
		}
	}
	return after
}

// minus returns the changes that lead from another model to this one. It looks at every file.
func (m model) minus(o model) []change {
	var changes []change
	o.files.Scan(func(number int64, before file) bool {
		after, live := m.get(number)
		switch {
		case !live:
			changes = append(changes, change{number: number, before: &before})
		case !before.same(after):
			changes = append(changes, change{number: number, before: &before, after: &after})
		}
		return true
	})
	m.files.Scan(func(number int64, after file) bool {
		if _, live := o.get(number); !live {
			changes = append(changes, change{number: number, after: &after})
		}
		return true
	})
	return sorted(changes)
}

func sorted(changes []change) []change {
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.number, b.number) })
	return changes
}

// Errors of steps that a table cannot take: the transaction should have failed.
var (
	errNotLive  = errors.New("was removed or changed and is not live")
	errLive     = errors.New("was added and is live")
	errNoOrigin = errors.New("the state that the transaction began on is not known")
)

// intent is what a transaction is to do when it becomes a snapshot, and the snapshot that it began on, 0 for none.
type intent struct {
	program Program
	base    int64
	// began is the metadata file of the state that it began on.
	began string
	// baseSequence is the sequence number of the base, and restored the snapshot that is to come back, 0 for none.
	baseSequence, restored int64
	// schemaID is the schema that its files were made for.
	schemaID int
	// columns are those of which its files have statistics, and spec is their partition spec.
	columns columnSet
	spec    int32
	// limits is how often the policy of the table had been changed.
	limits int
}

// changes returns what a transaction that became the snapshot s changed, from the model of the parent on, when it was committed to a
// state. models has those of other snapshots.
func (in intent) changes(parent model, s metadata.Snapshot, on named, models map[int64]model) ([]change, error) {
	d := &draft{before: parent, touched: make(map[int64]*file), optional: make(map[int64]bool), s: s, columns: in.columns, spec: in.spec}
	if in.began != on.name {
		d.unsure = on.unsure(in)
	}
	base, known := models[in.base]
	if !known && in.base != 0 {
		return nil, errNoOrigin
	}
	if in.base == 0 {
		base = newModel()
	}
	for _, op := range in.program.Ops {
		if err := in.apply(d, op, base, models); err != nil {
			return nil, err
		}
	}
	return d.changes(), nil
}

// apply makes one step of a transaction.
func (in intent) apply(d *draft, op Op, base model, models map[int64]model) error {
	var err error
	switch op.Verb {
	case Add:
		err = d.add(op, d.s.SequenceNumber)
	case Remove:
		err = d.remove(op.Files)
	case Replace:
		err = errors.Join(d.remove(op.Files), d.add(op, d.s.SequenceNumber))
	case Compact:
		err = errors.Join(d.remove(op.Files), d.add(op, in.baseSequence))
	case Delete:
		err = d.delete(op)
	case Refresh:
		d.refresh(op.Files, base)
	case Where:
		err = d.remove(base.between(op.Lower, op.Upper))
	case Restore:
		if old, known := models[in.restored]; known {
			d.restore(old)
		} else {
			err = errRestored
		}
	}
	return err
}

// lookup is get, also of a model that is not there.
func (m model) lookup(number int64) (file, bool) {
	if m.files == nil {
		return file{}, false
	}
	return m.get(number)
}

func (m model) has(number int64) bool {
	_, live := m.lookup(number)
	return live
}

// between returns the files of which the filter of [Where] matches all rows.
func (m model) between(lower, upper int64) []int64 {
	var numbers []int64
	m.files.Ascend(lower, func(number int64, _ file) bool {
		if number < upper {
			numbers = append(numbers, number)
		}
		return number < upper
	})
	return numbers
}
