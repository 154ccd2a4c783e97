package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// open returns the way to tables that the flags name.
func (a *app) open() (*target.Access, error) {
	if a.access != nil {
		return a.access, nil
	}
	access, err := target.NewAccess(a.names)
	a.access = access
	return access, err
}

// table finds a table.
func (a *app) table(ctx context.Context, name string) (*target.Table, error) {
	access, err := a.open()
	if err != nil {
		return nil, err
	}
	return access.Table(ctx, name)
}

// state is a table at one of its snapshots.
type state struct {
	metadata metadata.Table
	// tree is empty, with its origin set, if the table has no snapshot yet.
	tree tree.Tree
	// schemaID is the schema by which people mean columns: the snapshot's if they named one, else the table's.
	schemaID int
	leaves   tree.LeafReader
	table    *target.Table
	// snapshot is the zero Snapshot if the table has none yet.
	snapshot metadata.Snapshot
}

// state reads the root of the snapshot that the arguments name: TABLE [SNAPSHOT].
func (a *app) state(ctx context.Context, args []string) (state, error) {
	t, err := a.table(ctx, args[0])
	if err != nil {
		return state{}, err
	}
	_, m, err := t.Metadata(ctx)
	if err != nil {
		return state{}, err
	}
	location, err := treeio.TableLocation(m, t.Location)
	if err != nil {
		return state{}, err
	}
	codec := treeio.Parquet{}
	s := state{metadata: m, schemaID: m.CurrentSchemaID, leaves: codec.Leaves(t.Objects), table: t}
	s.tree.Origin = tree.Origin{TableUUID: m.UUID, TableLocation: location}
	if _, ok := m.Current(); !ok && len(args) == 1 {
		return s, nil
	}
	snapshot, err := target.Snapshot(m, strings.Join(args[1:], ""))
	if err != nil {
		return state{}, err
	}
	if len(args) > 1 && snapshot.SchemaID.Valid {
		s.schemaID = snapshot.SchemaID.Val
	}
	s.snapshot = snapshot
	s.tree, err = treeio.Tree(ctx, codec, t.Objects, m, location, snapshot)
	return s, hinted(ctx, t, err)
}

// hinted adds to the error of a file that cannot be reached where else the table's files may be.
func hinted(ctx context.Context, t *target.Table, err error) error {
	if err == nil || codeOf(err) != exitEnvironment {
		return err
	}
	if hint := hintFor(ctx, t); hint != "" {
		return fmt.Errorf("%w; %s", err, hint)
	}
	return err
}

// hintFor says where else the files of a table may be; empty for no table, and without a hint.
func hintFor(ctx context.Context, t *target.Table) string {
	if t == nil {
		return ""
	}
	_, m, err := t.Metadata(ctx)
	if err != nil {
		return ""
	}
	return t.Hint(m)
}

// read returns the content of a file that an argument names, or of standard input.
func (a *app) read(ctx context.Context, arg string, limitBytes int64) ([]byte, error) {
	if arg == "-" {
		return a.readInput(ctx, limitBytes)
	}
	access, err := a.open()
	if err != nil {
		return nil, err
	}
	location, err := target.Location(arg)
	if err != nil {
		return nil, err
	}
	return access.Objects.Get(ctx, location, limitBytes)
}

// readInput reads standard input. An interrupt ends the wait for it.
func (a *app) readInput(ctx context.Context, limitBytes int64) ([]byte, error) {
	type content struct {
		data []byte
		err  error
	}
	done := make(chan content, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(a.stdin, limitBytes+1))
		done <- content{data, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case c := <-done:
		if int64(len(c.data)) > limitBytes {
			return nil, fmt.Errorf("standard input: %w: more than %d bytes", errMalformed, limitBytes)
		}
		return c.data, c.err
	}
}
