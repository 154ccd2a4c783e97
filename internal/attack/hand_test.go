package attack_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/internal/treetext"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/oracle"
	"github.com/firn-io/firn/tree"
)

func some[T any](v T) iceberg.Optional[T] { return iceberg.Optional[T]{Val: v, Valid: true} }

// newStore makes a table and commits one append for each batch of files.
func newStore(t testing.TB, properties map[string]string, batches ...[]tree.File) testtable.Store {
	t.Helper()
	s, err := testtable.New(t.Context(), properties)
	if err != nil {
		t.Fatal(err)
	}
	table := s.Open(1, nil)
	for _, batch := range batches {
		mustCommit(t, table, func(x *commit.Txn) { x.Append(batch...) })
	}
	return s
}

// leafOf are the properties of a table whose commits write every file into leaves of at most so many rows.
func leafOf(rows int) map[string]string {
	return map[string]string{
		"firn.policy": "when-full", "firn.policy.root-bytes": "1",
		"firn.policy.leaf-bytes": fmt.Sprint(1600 + 640 + 44*rows),
	}
}

func begin(t testing.TB, table *commit.Table, o commit.TxnOptions, change func(*commit.Txn)) *commit.Txn {
	t.Helper()
	x, err := table.Begin(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	change(x)
	return x
}

func mustCommit(t testing.TB, table *commit.Table, change func(*commit.Txn)) commit.Result {
	t.Helper()
	r, err := begin(t, table, commit.TxnOptions{}, change).Commit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// try commits a change and returns the error.
func try(t testing.TB, s testtable.Store, o commit.TxnOptions, change func(*commit.Txn)) error {
	t.Helper()
	_, err := begin(t, s.Open(50, nil), o, change).Commit(t.Context())
	return err
}

// wantError checks that an error is of a kind and says something.
func wantError(t testing.TB, err, kind error, part string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("no error, want one with %q", part)
	case kind != nil && !errors.Is(err, kind), !strings.Contains(err.Error(), part):
		t.Errorf("error %v, want %v with %q", err, kind, part)
	}
}

// live returns the sorted live locations, relative to the table.
func live(t testing.TB, s testtable.Store) []string {
	t.Helper()
	names, err := s.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		names[i] = tree.Relativize(testtable.Location, name)
	}
	return names
}

// wantLive checks the whole history and the live files.
func wantLive(t testing.TB, s testtable.Store, want ...string) {
	t.Helper()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if got := live(t, s); !slices.Equal(got, want) {
		t.Errorf("live files\n got %q\nwant %q", got, want)
	}
}

// name is the location of file n of package testtable, relative to the table.
func name(n int) string { return tree.Relativize(testtable.Location, testtable.File(n).Location) }

func head(t testing.TB, s testtable.Store) *commit.Head {
	t.Helper()
	h, err := s.Open(99, nil).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// handSnapshot is what a hand-made snapshot says besides its rows.
type handSnapshot struct {
	id        int64
	addedRows int64
	// edit changes the pointers and files after counts and lengths were filled in.
	edit func(rows []tree.Entry)
}

// hand publishes a root that is given in text form, and the leaves whose rows are given, as another engine might
// have written them: no rule is held against them. Counts and lengths of pointers are filled in.
func hand(t testing.TB, s testtable.Store, h handSnapshot, text string) {
	t.Helper()
	ctx, base := t.Context(), head(t, s)
	doc, err := treetext.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if h.id == 0 {
		h.id = 9000 + base.Metadata.LastSequenceNumber
	}
	rows := doc.Tree.Rows
	for i := range rows {
		fill(t, s, base, &rows[i], doc.Leaves[rows[i].Location])
	}
	if h.edit != nil {
		h.edit(rows)
	}
	root := fmt.Sprintf("%s/metadata/hand-%d.parquet", base.Location, h.id)
	put(t, s, root, rows)
	sn := metadata.Snapshot{
		ID: h.id, ParentID: base.Metadata.CurrentSnapshotID, SequenceNumber: base.Metadata.LastSequenceNumber + 1,
		TimestampMillis: base.Metadata.NextTimestamp(metadata.MainBranch, 1_700_000_500_000),
		Summary:         map[string]string{"operation": metadata.OpOverwrite},
		RootManifest:    some(tree.Relativize(base.Location, root)), SchemaID: some(0),
		FirstRowID: some(base.Metadata.NextRowID), AddedRows: some(h.addedRows),
	}
	publish(ctx, t, s, base, func(m metadata.Table) (metadata.Table, error) {
		return m.WithSnapshot(sn, metadata.MainBranch, tree.Relativize(base.Location, base.MetadataLocation))
	})
}

// fill completes a row as it would be written, and writes its leaf.
func fill(t testing.TB, s testtable.Store, base *commit.Head, e *tree.Entry, rows []tree.Row) {
	t.Helper()
	if !e.Content.IsManifest() {
		setDefault(&e.RecordCount, 100)
		setDefault(&e.FileSizeBytes, 1000)
		return
	}
	if rows == nil {
		return
	}
	var entries []tree.Entry
	for _, row := range rows {
		setDefault(&row.Entry.RecordCount, 100)
		setDefault(&row.Entry.FileSizeBytes, 1000)
		entries = append(entries, row.Entry)
	}
	size := put(t, s, tree.Resolve(base.Location, e.Location), entries)
	info, err := tree.Summarize(entries, e.Tracking.SequenceNumber.Val)
	if err != nil {
		t.Fatal(err)
	}
	setDefault(&e.RecordCount, int64(len(entries)))
	setDefault(&e.FileSizeBytes, size)
	info.DV, info.FormatVersion = e.Manifest.Val.DV, 4
	e.Manifest = some(info)
}

func setDefault(n *int64, otherwise int64) {
	if *n == 0 {
		*n = otherwise
	}
}

// put writes a manifest of any rows and returns its length.
func put(t testing.TB, s testtable.Store, name string, rows []tree.Entry) int64 {
	t.Helper()
	var b bytes.Buffer
	if _, err := manifestio.Encode(&b, rowType(t, s), rows, manifestio.EncodeOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Objects.Put(t.Context(), name, b.Bytes()); err != nil {
		t.Fatal(err)
	}
	return int64(b.Len())
}

func rowType(t testing.TB, s testtable.Store) manifestio.Schema {
	t.Helper()
	m := head(t, s).Metadata
	partition, err := m.UnionPartitionFields()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := manifestio.NewSchema(m.Schema(), partition, nil)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// publish writes changed metadata and swaps the catalog entry.
func publish(ctx context.Context, t testing.TB, s testtable.Store, base *commit.Head, change func(metadata.Table) (metadata.Table, error)) {
	t.Helper()
	m, err := change(base.Metadata)
	if err != nil {
		t.Fatal(err)
	}
	data, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	publishBytes(ctx, t, s, base, data)
}

func publishBytes(ctx context.Context, t testing.TB, s testtable.Store, base *commit.Head, data []byte) {
	t.Helper()
	name := fmt.Sprintf("%s/metadata/hand-%d.metadata.json", base.Location, len(s.Objects.Names()))
	if err := s.Objects.Put(ctx, name, data); err != nil {
		t.Fatal(err)
	}
	if err := s.Catalog.Swap(ctx, testtable.ID, base.MetadataLocation, name); err != nil {
		t.Fatal(err)
	}
}

// findings returns the IDs of all errors that a check of the whole history finds.
func findings(t testing.TB, s testtable.Store) []string {
	t.Helper()
	name, err := s.Catalog.Load(t.Context(), testtable.ID)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for f, err := range oracle.Check(t.Context(), oracle.Target{Objects: s.Objects, Metadata: name}, oracle.Options{History: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if f.Fails(false) && !slices.Contains(ids, f.Rule) {
			ids = append(ids, f.Rule)
		}
	}
	slices.Sort(ids)
	return ids
}
