package sim

import (
	"cmp"
	"fmt"

	"github.com/firn-io/firn/metadata"
)

// draft is a model that is being changed into that of the snapshot s.
type draft struct {
	before  model
	touched map[int64]*file // nil for one that is gone
	// optional are those of which the engine may leave better statistics out, and unsure tells them, unless it is nil.
	optional map[int64]bool
	unsure   func(file) bool
	s        metadata.Snapshot
	// columns and spec are those of new files.
	columns columnSet
	spec    int32
}

// named is a state of the table, by the name of its metadata file.
type named struct {
	metadata.Table
	name   string
	turned map[string]int64
}

// unsure returns how to tell whether a transaction that began on another state may leave out better statistics of a file, which the
// model cannot decide, for it does not know on which states the transaction met the file:
//   - It met it first on this one, and cannot tell whether deletes came between, for the snapshot that changed them is not retained
//     (F33).
//   - It met it with other deletes on a line that the branch has left since.
func (s named) unsure(in intent) func(file) bool {
	branch := cmp.Or(in.program.Branch, metadata.MainBranch)
	turned := s.turned[branch] >= max(1, in.baseSequence)
	return func(f file) bool {
		_, retained := s.Snapshot(f.modified)
		return turned || f.modified != 0 && !retained
	}
}

func (d *draft) get(number int64) (file, bool) {
	if f, touched := d.touched[number]; touched {
		if f == nil {
			return file{}, false
		}
		return *f, true
	}
	return d.before.get(number)
}

// changes returns what the draft changes, in order.
func (d *draft) changes() []change {
	var changes []change
	for number, after := range d.touched {
		c := change{number: number, after: after, optional: d.optional[number]}
		if f, live := d.before.get(number); live {
			c.before = &f
		}
		if c.before == nil && after == nil || c.before != nil && after != nil && c.before.same(*after) {
			continue
		}
		changes = append(changes, c)
	}
	return sorted(changes)
}

func (d *draft) add(op Op, sequence int64) error {
	for n := op.New.First; n <= op.New.Last; n++ {
		if _, live := d.get(n); live {
			return fmt.Errorf("file %d %w", n, errLive)
		}
		d.touched[n] = &file{
			records: op.Records, size: sizeOf(n), firstRowID: unlearned,
			snapshot: d.s.ID, sequence: sequence, fileSequence: d.s.SequenceNumber,
			columns: d.columns, spec: d.spec,
		}
	}
	return nil
}

func (d *draft) remove(numbers []int64) error {
	for _, n := range numbers {
		if _, live := d.get(n); !live {
			return fmt.Errorf("file %d %w", n, errNotLive)
		}
		d.touched[n] = nil
	}
	return nil
}

// delete deletes rows of files, and a file when no row is left.
func (d *draft) delete(op Op) error {
	for _, n := range op.Files {
		f, live := d.get(n)
		if !live {
			return fmt.Errorf("file %d %w", n, errNotLive)
		}
		all := f.deleted.Union(op.Rows)
		switch {
		case all.Equal(f.deleted):
		case all.Cardinality() == f.records && !op.Keep:
			d.touched[n] = nil
		default:
			f.deleted, f.modified = all, d.s.ID
			d.touched[n] = &f
		}
	}
	return nil
}

// refresh counts better statistics, unless the file is gone or its deletes have changed since the base.
func (d *draft) refresh(numbers []int64, base model) {
	for _, n := range numbers {
		now, live := d.before.get(n)
		was, known := base.get(n)
		if !live || !known || now.fileSequence != was.fileSequence || now.modified != was.modified {
			continue
		}
		now.stats = min(was.stats+1, mostStats)
		d.touched[n] = &now
		d.optional[n] = d.unsure != nil && d.unsure(now)
	}
}

// restore makes the files of an older snapshot the live ones: those that are live with the same deletes stay, the others
// come back as new rows with their old data sequence numbers and row ids.
func (d *draft) restore(old model) {
	d.before.files.Scan(func(n int64, now file) bool {
		if was, back := old.get(n); !back || was.fileSequence != now.fileSequence || !was.deleted.Equal(now.deleted) {
			d.touched[n] = nil
		}
		return true
	})
	old.files.Scan(func(n int64, was file) bool {
		now, live := d.before.get(n)
		if live && now.fileSequence == was.fileSequence && now.deleted.Equal(was.deleted) {
			return true
		}
		was.snapshot, was.fileSequence = d.s.ID, d.s.SequenceNumber
		if !was.deleted.IsEmpty() {
			was.modified = d.s.ID
		}
		d.touched[n] = &was
		return true
	})
}
