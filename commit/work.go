package commit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// work is what a transaction has done so far, over all its attempts.
type work struct {
	// snapshotID is fixed for the transaction: by it the transaction recognises its own commit.
	snapshotID int64
	// beganMillis is when the first attempt began.
	beganMillis int64
	// name is the part of the leaves' names that no other transaction has.
	name uuid.UUID
	// leaves are the leaves written so far, and steps what they were written for. A retry reuses the leaves of a step as they are.
	leaves []writtenLeaf
	steps  []writtenStep
	// attempts are the roots and metadata files written so far.
	attempts []attempt
	// objects are the names of all objects written or begun, in order.
	objects []string
	// searched are the leaves all of whose rows were seen, by location, with those of the transaction's files that have a
	// row in them; dead are the dead rows of mixed leaves. Both stay true, since leaves never change.
	searched map[string]map[string]bool
	dead     map[string]mdv.Bitmap
	// rows are the raw rows of leaves that were read in full, by location. They stay true too.
	rows map[string][]tree.Row
	// vectors are the Puffin files written so far, placed the deletion vectors in them by data file, and read those that
	// were read, by their place.
	vectors []string
	placed  map[string][]writtenVector
	read    map[tree.BlobID]dv.Vector
	// bases are the snapshots that the transaction was made for until it lost to another one, 0 for none.
	bases []int64
	// expanded says that filters were turned into targets.
	expanded bool
	// sentFrom is the base of the last swap that was sent, and sentSequence the sequence number of a snapshot after it.
	sentFrom     string
	sentSequence int64
	// leavesOpened counts leaves whose rows were read, bytesWritten the bytes of all objects.
	leavesOpened int
	bytesWritten int64
	// events and warnings tell people what happened, each once.
	events   []Event
	noted    map[Event]bool
	warnings []string
}

// Event says that a rule of the rebase table fitted a change to what another writer did.
type Event struct {
	Rule Rule
	// Location is the file or the leaf concerned, or empty.
	Location string
}

func (w *work) note(rule Rule, location string) {
	if e := (Event{rule, location}); !w.noted[e] {
		w.events = append(w.events, e)
		w.noted[e] = true
	}
}

func (w *work) warn(text string) {
	if !slices.Contains(w.warnings, text) {
		w.warnings = append(w.warnings, text)
	}
}

// roots counts the attempts that have a root: all, or none for an update of the metadata alone.
func (w *work) roots() int {
	n := 0
	for _, a := range w.attempts {
		if a.root != "" {
			n++
		}
	}
	return n
}

// writtenLeaf is a leaf that this transaction wrote.
type writtenLeaf struct {
	members   []member // in order
	location  string   // resolved
	sizeBytes int64
}

// writtenStep are the leaves of one step of a plan.
type writtenStep struct {
	// leaves are indexes in the leaves of the transaction, and keys those of the step's members in order.
	leaves []int
	keys   []string
}

// members returns what the leaves of a step have of each of its members, in the order of the step. Of one that was cut its parts are
// put together.
func (w *work) members(s writtenStep) []member {
	if len(s.leaves) == 1 {
		return w.leaves[s.leaves[0]].members
	}
	whole := make(map[string]member)
	for _, i := range s.leaves {
		for _, part := range w.leaves[i].members {
			m := whole[part.key]
			m.key, m.leaf = part.key, part.leaf
			m.rows, m.positions = append(m.rows, part.rows...), append(m.positions, part.positions...)
			whole[part.key] = m
		}
	}
	members := make([]member, len(s.keys))
	for i, key := range s.keys {
		members[i] = whole[key]
	}
	return members
}

// member is a part of a written leaf: one file, or the live rows of a leaf that it rewrites.
type member struct {
	key  string
	rows []tree.Entry
	// leaf is the resolved location of the leaf that was rewritten, and positions are where the rows stood in it: the
	// position map. Empty for one file.
	leaf      string
	positions []uint32
}

// rows returns the rows of the leaf in order.
func (l writtenLeaf) rows() []tree.Entry {
	n := 0
	for i := range l.members {
		n += len(l.members[i].rows)
	}
	rows := make([]tree.Entry, 0, n)
	for _, m := range l.members {
		rows = append(rows, m.rows...)
	}
	return rows
}

// attempt names what one attempt published or tried to publish.
type attempt struct {
	root, metadata string
}

// begin makes the transaction one that was committed.
func (x *Txn) begin() error {
	if err := x.proposal.begin(); err != nil {
		return err
	}
	var err error
	x.work.snapshotID, err = x.newSnapshotID()
	return err
}

func (x *proposal) begin() error {
	if x.begun {
		return refusef("", "the transaction was committed before")
	}
	x.begun = true
	x.reset()
	return nil
}

// reset makes the proposal one that has done nothing yet.
func (x *proposal) reset() {
	x.work = work{
		name: x.table.options.Env.NewUUID(),

		beganMillis: x.table.options.Env.NowMillis(),

		searched: make(map[string]map[string]bool),
		dead:     make(map[string]mdv.Bitmap),
		rows:     make(map[string][]tree.Row),
		read:     make(map[tree.BlobID]dv.Vector),
		placed:   make(map[string][]writtenVector),
		noted:    make(map[Event]bool),
	}
}

// maxDraws bounds how often a snapshot id is drawn: a source that gives only ids that are taken is broken.
const maxDraws = 100

// newSnapshotID draws an id that no retained snapshot has.
func (x *proposal) newSnapshotID() (int64, error) {
	for range maxDraws {
		id := x.table.options.Env.NewSnapshotID()
		if _, taken := x.base.Metadata.Snapshot(id); !taken && id > 0 {
			return id, nil
		}
	}
	return 0, fmt.Errorf("commit: no new snapshot id in %d draws", maxDraws)
}

// wrote notes an object that a put began to write. One that the store says was there already is another writer's for
// all that is known, and is never removed.
func (w *work) wrote(name string, sizeBytes int64, err error) {
	if errors.Is(err, store.ErrExists) {
		return
	}
	w.objects = append(w.objects, name)
	if err == nil {
		w.bytesWritten += sizeBytes
	}
}

// leafName returns the location of the next leaf.
func (w *work) leafName(table string) string {
	return tree.Resolve(table, fmt.Sprintf("metadata/%s-m%d.parquet", w.name, len(w.leaves)))
}

// rootName returns the location of the root of the next attempt.
func (w *work) rootName(table string) string {
	return tree.Resolve(table, fmt.Sprintf("metadata/snap-%d-%d-%s.parquet", w.snapshotID, len(w.attempts)+1, w.name))
}

// vectorsName returns the location of the next Puffin file of deletion vectors.
func (w *work) vectorsName(table string) string {
	return tree.Resolve(table, fmt.Sprintf("data/%s-%d-deletes.puffin", w.name, len(w.vectors)+1))
}
