package commit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// Outcome is what became of a transaction. The zero Outcome is invalid.
type Outcome uint8

// The outcomes.
const (
	// Committed: the snapshot is, or was, part of the table.
	Committed Outcome = iota + 1
	// NotCommitted: the table has moved on without it, and it can no longer be committed.
	NotCommitted
	// Unknown: nothing is proved. A swap may still land, or the proof was trimmed from the table's log.
	Unknown
)

// String returns the outcome in words.
func (o Outcome) String() string {
	switch o {
	case Committed:
		return "committed"
	case NotCommitted:
		return "not committed"
	}
	return "unknown"
}

// Token is what is needed to ask for the outcome of a transaction later, even by another process. Its fields
// have JSON names for that.
type Token struct {
	Table        store.TableID `json:"table"`
	TableUUID    string        `json:"table-uuid"`
	SnapshotID   int64         `json:"snapshot-id"`
	BaseMetadata string        `json:"base-metadata"`
	// SequenceNumber is the one that the snapshot would have after that base; 0 for an update of the metadata alone.
	SequenceNumber int64 `json:"sequence-number"`
	// Metadata are the metadata files of all attempts, sent to the catalog or not; Roots are their root manifests.
	Metadata []string `json:"metadata"`
	Roots    []string `json:"roots"`
}

func (x *proposal) token() Token {
	token := Token{
		Table: x.table.id, TableUUID: x.base.Metadata.UUID, SnapshotID: x.work.snapshotID,
		BaseMetadata: x.work.sentFrom,
	}
	if x.work.snapshotID != 0 {
		token.SequenceNumber = x.work.sentSequence
	}
	for _, a := range x.work.attempts {
		token.Metadata = append(token.Metadata, a.metadata)
		token.Roots = append(token.Roots, a.root)
	}
	return token
}

// Outcome finds out what became of a transaction whose commit ended with an [*UnknownError] (F19).
func (t *Table) Outcome(ctx context.Context, token Token) (Outcome, error) {
	seen, err := t.outcome(ctx, token)
	return tamper.Stage(seamOutcome, t, seen.outcome), err
}

// seen is what a look at the table showed.
type seen struct {
	outcome Outcome
	// attempt is set if the transaction is committed, and sequenceNumber if its snapshot is still listed.
	attempt        attempt
	sequenceNumber int64
	// location and metadata are the table's current ones, if they were read.
	location string
	metadata metadata.Table
}

// lookUp asks for the outcome of this transaction after a swap failed, within a time of its own.
func (x *proposal) lookUp(ctx context.Context, base *Head) (s seen, err error) {
	defer func() {
		if p := recover(); p != nil { // the token must not be lost
			s, err = seen{outcome: Unknown}, fmt.Errorf("commit: the store panicked: %v", p)
		}
	}()
	ctx, cancel := x.table.options.Env.Detach(ctx, x.table.options.OutcomeMillis)
	defer cancel()
	x.work.sentFrom, x.work.sentSequence = base.MetadataLocation, base.Metadata.LastSequenceNumber+1
	s, err = x.table.outcome(ctx, x.token())
	return tamper.Stage(seamSeen, x, s), err
}

// outcome decides: committed if one of the transaction's metadata files is the current one or stands in its
// log, or if its snapshot is listed with a root of the transaction; not committed only if the table has provably moved past the base.
func (t *Table) outcome(ctx context.Context, token Token) (seen, error) {
	current, m, err := t.current(ctx, token.BaseMetadata)
	if err != nil {
		return seen{outcome: Unknown}, err
	}
	if current == token.BaseMetadata {
		return seen{outcome: Unknown, location: current}, nil
	}
	s := seen{outcome: Unknown, location: current, metadata: m}
	location, err := treeio.TableLocation(m, t.options.Location)
	if err != nil {
		return s, err
	}
	if snapshot, ok := m.Snapshot(token.SnapshotID); ok && token.SnapshotID != 0 && m.UUID == token.TableUUID {
		return t.listed(ctx, token, location, s, snapshot)
	}
	walk, err := t.walkLog(ctx, token, location, m)
	if slices.Contains(token.Metadata, current) {
		walk.own, err = current, nil
	}
	switch {
	case err != nil:
		return s, err
	case walk.own != "":
		s.outcome, s.attempt = Committed, token.attempt(walk.own)
	case walk.past, another(m, token):
		s.outcome = NotCommitted
	}
	return s, nil
}

// another reports whether the table has another snapshot of the sequence number that the transaction's would have: then
// that one came after the base, even if the log no longer shows it (F32).
func another(m metadata.Table, token Token) bool {
	return m.UUID == token.TableUUID && token.SequenceNumber != 0 && slices.ContainsFunc(m.Snapshots, func(s metadata.Snapshot) bool {
		return s.SequenceNumber == token.SequenceNumber && s.ID != token.SnapshotID
	})
}

// listed completes a look that found a snapshot of the transaction's id: its own, if it names one of its roots. With
// another root it is its own only if a metadata file of the transaction stands in the log; then somebody rewrote the
// metadata, and the attempt stays empty. Else two writers drew one id, and nothing is proved.
func (t *Table) listed(ctx context.Context, token Token, location string, s seen, snapshot metadata.Snapshot) (seen, error) {
	s.sequenceNumber = snapshot.SequenceNumber
	root := tree.Resolve(location, snapshot.RootManifest.Val)
	if i := slices.Index(token.Roots, root); i >= 0 && i < len(token.Metadata) {
		s.outcome, s.attempt = Committed, attempt{root: token.Roots[i], metadata: token.Metadata[i]}
		return s, nil
	}
	walk, err := t.walkLog(ctx, token, location, s.metadata)
	if walk.own != "" {
		s.outcome = Committed
	}
	return s, err
}

// attempt returns the attempt of one of the token's metadata files. The token of a table's creation has no roots.
func (t Token) attempt(metadataFile string) attempt {
	a := attempt{metadata: metadataFile}
	if i := slices.Index(t.Metadata, metadataFile); i >= 0 && i < len(t.Roots) {
		a.root = t.Roots[i]
	}
	return a
}

// maxLogHops bounds how many older metadata files are read to find the base in the table's log.
const maxLogHops = 64

// walk is what the metadata log shows of a transaction.
type walk struct {
	// own is the file of the transaction that was met, if any.
	own string
	// past says that the base was met, and whole that the table's first metadata file was.
	past, whole bool
}

// walkLog goes back through the metadata log, and through the logs of older metadata files where it was
// trimmed, until it meets a file of the transaction or the base.
func (t *Table) walkLog(ctx context.Context, token Token, location string, m metadata.Table) (w walk, err error) {
	for range maxLogHops {
		oldest := ""
		for _, entry := range slices.Backward(m.MetadataLog) {
			name := tree.Resolve(location, entry.File)
			if slices.Contains(token.Metadata, name) {
				return walk{own: name}, nil
			}
			w.past = w.past || name == token.BaseMetadata
			oldest = name
		}
		if w.whole = len(m.MetadataLog) == 0; w.past || w.whole {
			return w, nil
		}
		if m, err = t.Metadata(ctx, oldest); errors.Is(err, store.ErrNotFound) {
			return walk{}, nil // trimmed: nothing is proved
		} else if err != nil {
			return walk{}, fmt.Errorf("read metadata log: %w", err)
		}
	}
	return walk{}, nil
}
