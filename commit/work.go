package commit

import (
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// work is what a transaction has done so far, over all its attempts.
type work struct {
	// snapshotID is fixed for the transaction: by it the transaction recognises its own commit.
	snapshotID int64
	// name is the part of the leaves' names that no other transaction has.
	name uuid.UUID
	// leaves are the leaves written so far. A retry reuses them as they are.
	leaves []writtenLeaf
	// attempts are the roots and metadata files written so far.
	attempts []attempt
	// objects are the names of all objects written or begun, in order.
	objects []string
	// searched are the leaves known not to hold a file to add; dead are the dead rows of mixed leaves. Both stay
	// true, since leaves never change.
	searched map[string]bool
	dead     map[string]mdv.Bitmap
	// sentFrom is the base of the last swap that was sent.
	sentFrom string
	// leavesOpened counts leaves whose rows were read, bytesWritten the bytes of all objects.
	leavesOpened int
	bytesWritten int64
}

// writtenLeaf is a leaf that this transaction wrote.
type writtenLeaf struct {
	members   []string // the keys of its rows, in order
	location  string   // resolved
	sizeBytes int64
	rows      []tree.Entry
}

// attempt names what one attempt published or tried to publish.
type attempt struct {
	root, metadata string
}

func (x *Txn) begin() error {
	if x.begun {
		return refusef("", "the transaction was committed before")
	}
	x.begun = true
	snapshotID, err := x.newSnapshotID()
	if err != nil {
		return err
	}
	x.work = work{
		snapshotID: snapshotID,
		name:       x.table.options.Env.NewUUID(),
		searched:   make(map[string]bool),
		dead:       make(map[string]mdv.Bitmap),
	}
	return nil
}

// maxDraws bounds how often a snapshot id is drawn: a source that gives only ids that are taken is broken.
const maxDraws = 100

// newSnapshotID draws an id that no retained snapshot has.
func (x *Txn) newSnapshotID() (int64, error) {
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
