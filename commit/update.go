package commit

import (
	"bytes"
	"context"
	"fmt"

	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// MetadataChange changes the metadata of a table and nothing else. It gives the same answer whenever it is given the
// same table, for it is asked again after a lost race; it changes no part of what it is given. An error refuses the
// change, or is a conflict where it could be made before another writer was faster.
type MetadataChange func(m metadata.Table) (metadata.Table, error)

// update is a change of the metadata alone, on its way into the catalog.
type update struct {
	proposal
	changes []MetadataChange
}

// Update makes changes of the metadata, all in one step and in this order: schema, partition specs, properties, branches
// and tags, retained snapshots. No snapshot is made, and no manifest read. It ends as [Txn.Commit] does; if the changes
// change nothing, nothing is published.
func (t *Table) Update(ctx context.Context, changes ...MetadataChange) (Result, error) {
	base, err := t.bare(ctx)
	if err != nil {
		return Result{}, err
	}
	if base.Metadata.FormatVersion != metadata.FormatVersion {
		return Result{}, refusef("", "table %s has format version %d, only version 4 is written", t.id, base.Metadata.FormatVersion)
	}
	x := &update{proposal: proposal{table: t, base: base, maxAttempts: attemptsOf(base.Metadata.Properties)}, changes: changes}
	if err := x.begin(); err != nil {
		return Result{}, err
	}
	r, err := x.publish(ctx, x)
	t.report(ctx, x.work, r, err)
	return r, err
}

// bare returns the current state of the table without a tree.
func (t *Table) bare(ctx context.Context) (*Head, error) {
	name, m, err := t.current(ctx, "")
	if err != nil {
		return nil, err
	}
	return t.without(name, m)
}

// without returns a state without a tree.
func (t *Table) without(name string, m metadata.Table) (*Head, error) {
	location, err := treeio.TableLocation(m, t.options.Location)
	if err != nil {
		return nil, fmt.Errorf("table %s: metadata file %s: %w", t.id, name, err)
	}
	return &Head{MetadataLocation: name, Metadata: m, Location: location}, nil
}

// prepare implements proposed.
func (x *update) prepare(ctx context.Context, base *Head) (candidate, error) {
	m := base.Metadata
	for _, change := range x.changes {
		var err error
		switch m, err = change(m); {
		case err != nil && base == x.base:
			return candidate{}, &RefusedError{Reasons: []string{err.Error()}, Err: err}
		case err != nil:
			return candidate{noOp: true}, conflictf(RuleUpdateRaced, "", "%v", err)
		}
	}
	if err := checkSettings(base.Metadata, m); err != nil {
		return candidate{}, err
	}
	same, err := sameDocument(base.Metadata, m)
	if err != nil {
		return candidate{}, &RefusedError{Reasons: []string{err.Error()}, Err: err}
	}
	if same {
		return candidate{noOp: true}, nil
	}
	c := candidate{base: base, attempt: attempt{metadata: x.metadataName(base)}, head: &Head{Location: base.Location}}
	m = m.Successor(tree.Relativize(base.Location, base.MetadataLocation), x.table.options.Env.NowMillis())
	c.head.Metadata = tamper.Stage(seamUpdate, x, m)
	x.work.attempts = append(x.work.attempts, c.attempt)
	return c, x.writeMetadata(ctx, &c)
}

func sameDocument(a, b metadata.Table) (bool, error) {
	before, err := a.Marshal()
	if err != nil {
		return false, err
	}
	after, err := b.Marshal()
	return bytes.Equal(before, after), err
}

// next implements proposed: an update needs no tree.
func (x *update) next(_ context.Context, _ *Head, s seen) (*Head, error) {
	return x.table.without(s.location, s.metadata)
}
