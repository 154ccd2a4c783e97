package world

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// model is what should be live in a snapshot: a plain map from resolved location to what must not change as long as the
// file lives.
type model map[string]known

// known is what is known of a live file.
type known struct {
	records, size                    int64
	snapshot, sequence, fileSequence int64
	firstRowID                       int64
	// modified is the snapshot that deleted rows last, 0 for none, and deleted are all deleted rows.
	modified int64
	deleted  string
	// stats are the statistics, empty where the model has not seen them yet.
	stats string
}

// noRowID stands for a row id that the model has not seen yet.
const noRowID = -1

// change is one step of a transaction, as the model understands it.
type change struct {
	location string
	// added is the file that is added, with its deleted rows.
	added   *tree.File
	deleted string
	// removed says that the file goes.
	removed bool
	// rows are rows to delete.
	rows dv.Vector
	// keep says that a file without rows that are not deleted stays, and merge that others may delete rows of it too.
	keep, merge bool
	// rewritten says that new files hold the file's rows, with the deletes of the snapshot asOf, of the base if that is 0.
	rewritten bool
	asOf      int64
	// stats are new statistics, for a file as the snapshot seen shows it.
	stats string
	seen  int64
	// restored is the snapshot whose files come back.
	restored int64
}

// intent is what a transaction is to do when it becomes a snapshot.
type intent struct {
	changes []change
	// base is the snapshot on which the transaction began, and uuid and schema those of the table then.
	base   int64
	uuid   string
	schema *iceberg.Schema
	// filters are those from which it was made, and serializable says that what others do must not matter to them.
	filters      []dependence
	serializable bool
}

// errRemovedTwice and errAddedTwice say that a transaction should have failed.
var (
	errRemovedTwice = errors.New("a file was removed or changed that was not live")
	errAddedTwice   = errors.New("a file was added that was live")
)

// after returns the model after a transaction that became a snapshot. It reports steps that a table cannot take.
func (m model) after(in intent, s metadata.Snapshot, states map[int64]model) (model, error) {
	m = maps.Clone(m)
	if m == nil {
		m = make(model)
	}
	for _, c := range in.changes {
		k, live := m[c.location]
		var err error
		switch {
		case c.restored != 0:
			m = m.restore(states[c.restored], s)
		case c.added != nil && live:
			err = errAddedTwice
		case c.added != nil:
			m[c.location] = c.born(s)
		case c.stats != "":
			m.refresh(c, in, states)
		case !live:
			err = errRemovedTwice
		case c.removed:
			delete(m, c.location)
		default:
			err = m.delete(c, k, s.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, c.location)
		}
	}
	return m, nil
}

// born returns what is known of a file that is added.
func (c change) born(s metadata.Snapshot) known {
	k := known{
		records: c.added.RecordCount, size: c.added.FileSizeBytes, firstRowID: noRowID, deleted: c.deleted,
		snapshot: s.ID, sequence: s.SequenceNumber, fileSequence: s.SequenceNumber,
		stats: fmt.Sprint(c.added.Stats.Settled()),
	}
	if n := c.added.DataSequenceNumber; n.Valid {
		k.sequence = n.Val
	}
	if k.deleted != "" {
		k.modified = s.ID
	}
	return k
}

// delete deletes rows of a file, and the file when no row is left.
func (m model) delete(c change, k known, snapshot int64) error {
	old, err := dv.ParseText(k.deleted)
	if err != nil {
		return err
	}
	all := old.Union(c.rows)
	switch {
	case all.Equal(old):
		return nil
	case all.Cardinality() == k.records && !c.keep:
		delete(m, c.location)
		return nil
	}
	k.deleted, k.modified = all.String(), snapshot
	m[c.location] = k
	return nil
}

// refresh replaces statistics, unless the file is gone or its deletes have changed since it was seen.
func (m model) refresh(c change, in intent, states map[int64]model) {
	seen := in.base
	if c.seen != 0 {
		seen = c.seen
	}
	k, live := m[c.location]
	was := states[seen][c.location]
	if !live || k.fileSequence != was.fileSequence || k.modified != was.modified && !in.deletesRows(c.location) {
		return
	}
	k.stats = c.stats
	m[c.location] = k
}

func (in intent) deletesRows(location string) bool {
	return slices.ContainsFunc(in.changes, func(c change) bool { return c.location == location && !c.rows.IsEmpty() })
}

// restore returns the files of an older snapshot: those that are live with the same deletes stay, the others come back
// as new rows with their old data sequence numbers and row ids.
func (m model) restore(old model, s metadata.Snapshot) model {
	restored := make(model)
	for name, k := range old {
		if now, live := m[name]; live && now.fileSequence == k.fileSequence && now.deleted == k.deleted {
			restored[name] = now
			continue
		}
		k.snapshot, k.fileSequence = s.ID, s.SequenceNumber
		if k.deleted != "" {
			k.modified = s.ID
		}
		restored[name] = k
	}
	return restored
}

// difference says how the model differs from the live files of a tree, and takes over row ids and
// statistics that it did not know.
func (m model) difference(live []liveFile) []string {
	var found []string
	missing := maps.Clone(m)
	for _, l := range live {
		want, expected := missing[l.location]
		got := l.known
		if want.firstRowID == noRowID {
			want.firstRowID = got.firstRowID
		}
		if want.stats == "" {
			want.stats = got.stats
		}
		switch {
		case !expected:
			found = append(found, l.location+" is live and should not be, or is live twice")
		case got != want:
			found = append(found, fmt.Sprintf("%s is %+v and should be %+v", l.location, got, want))
		default:
			m[l.location] = want
		}
		delete(missing, l.location)
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		found = append(found, name+" should be live and is not")
	}
	return found
}

// feed returns the changes that lead from one model to another, as the change feed should tell them. A file that is
// removed and added again is one of another file sequence number.
func (m model) feed(to model) []string {
	var all []string
	for name, before := range m {
		after, kept := to[name]
		switch {
		case !kept || before.fileSequence != after.fileSequence:
			all = append(all, fmt.Sprintf("%s %s", tree.FileRemoved, name))
		case before.modified != after.modified:
			all = append(all, fmt.Sprintf("%s %s", tree.DeletesChanged, name))
		}
	}
	for name, after := range to {
		if before, kept := m[name]; !kept || before.fileSequence != after.fileSequence {
			all = append(all, fmt.Sprintf("%s %s", tree.FileAdded, name))
		}
	}
	slices.Sort(all)
	return all
}

// totals returns what a summary may claim of a snapshot.
func (m model) totals() map[string]string {
	var records, size, vectors, deleted int64
	for _, k := range m {
		records, size = records+k.records, size+k.size
		if k.deleted != "" {
			vectors++
		}
		if rows, err := dv.ParseText(k.deleted); err == nil {
			deleted += rows.Cardinality()
		}
	}
	totals := make(map[string]string)
	for name, n := range map[string]int64{
		"total-data-files": int64(len(m)), "total-records": records, "total-files-size": size,
		"total-delete-files": vectors, "total-position-deletes": deleted,
	} {
		totals[name] = strconv.FormatInt(n, 10)
	}
	return totals
}

// moved returns the model of a table that was moved.
func (m model) moved(from, to string) model {
	moved := make(model)
	for name, k := range m {
		moved[tree.Resolve(to, tree.Relativize(from, name))] = k
	}
	return moved
}
