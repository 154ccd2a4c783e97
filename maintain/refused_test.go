package maintain_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/tree"
)

// rewriteRoot gives the current snapshot a root with other rows, as another engine might have written it.
func (w *world) rewriteRoot(change func(rows []tree.Entry)) {
	w.Helper()
	head := w.head()
	entries := slices.Clone(head.Tree.Rows)
	change(entries)
	schema, err := manifestio.NewSchema(head.Metadata.Schema(), nil, nil)
	if err != nil {
		w.Fatal(err)
	}
	name := fmt.Sprintf("%s/metadata/snap-%d-by-hand.parquet", testtable.Location, head.Tree.Origin.SnapshotID)
	if _, err := (treeio.Parquet{}).PutRoot(w.Context(), w.Objects, name, schema, entries); err != nil {
		w.Fatal(err)
	}
	w.update(func(m metadata.Table) (metadata.Table, error) {
		m.Snapshots = slices.Clone(m.Snapshots)
		m.Snapshots[len(m.Snapshots)-1].RootManifest.Val = name
		return m, nil
	})
	w.table = w.Open(8, nil) // nothing remembered
}

// TestRefused: what cannot be followed is refused before anything changes.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*world)
		want  error // nil for any
	}{
		{"a manifest list", func(w *world) {
			w.update(func(m metadata.Table) (metadata.Table, error) {
				m.Snapshots = slices.Clone(m.Snapshots)
				m.Snapshots[0].ManifestList, m.Snapshots[0].RootManifest = m.Snapshots[0].RootManifest, m.Snapshots[0].ManifestList
				return m, nil
			})
		}, maintain.ErrLegacy},
		{"a legacy pointer", func(w *world) {
			w.rewriteRoot(func(rows []tree.Entry) {
				i := slices.IndexFunc(rows, func(e tree.Entry) bool { return e.Content.IsManifest() })
				rows[i].Manifest.Val.FormatVersion = 0
				rows[i].Location, rows[i].FileFormat, rows[i].SpecID = "mem://wh/t/metadata/m0.avro", "avro", iceberg.Optional[int32]{Valid: true}
			})
		}, maintain.ErrLegacy},
		{"column files", func(w *world) {
			w.rewriteRoot(func(rows []tree.Entry) {
				i := slices.IndexFunc(rows, func(e tree.Entry) bool { return !e.Content.IsManifest() })
				rows[i].Foreign = []tree.ForeignField{{
					Parent: tree.InEntry,
					Type:   &tree.ForeignType{ID: 158, Name: "column_files", Repetition: tree.Optional, Physical: "BYTE_ARRAY"},
					Cells:  []tree.ForeignCell{{Def: 1, Value: "f"}},
				}}
			})
		}, maintain.ErrColumnFiles},
		{"shared files", func(w *world) {
			w.update(func(m metadata.Table) (metadata.Table, error) {
				return m.UpdateProperties(map[string]string{metadata.PropertyGCEnabled: "false"})
			})
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := history(t)
			w.put(stray...)
			c.spoil(w)
			before := w.Objects.Names()
			expire := func(ctx context.Context) error {
				_, err := maintain.Expire(ctx, w.table, maintain.ExpireOptions{Policy: keep(1)})
				return err
			}
			orphans := func(ctx context.Context) error {
				_, err := maintain.Orphans(ctx, w.table, maintain.OrphanOptions{Delete: true})
				return err
			}
			for _, run := range []func(context.Context) error{expire, orphans} {
				if err := run(t.Context()); err == nil || c.want != nil && !errors.Is(err, c.want) {
					t.Errorf("got %v", err)
				}
			}
			if diff := cmp.Diff(before, w.Objects.Names()); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := maintain.Expire(t.Context(), history(t).table, maintain.ExpireOptions{MaxDeletes: -1}); err == nil {
		t.Error("a negative limit is taken")
	}
}

// TestForeignTombstones: a leaf in which another engine mixed live rows with a tombstone keeps the file of the tombstone
// as long as the snapshot that removed it stays.
func TestForeignTombstones(t *testing.T) {
	w := newWorld(t, nil)
	w.append(push, 1, 2)
	name := testtable.Location + "/metadata/mixed.parquet"
	head := w.head()
	var mixed []tree.Entry
	for row, err := range w.table.Leaves().Leaf(t.Context(), head.Tree.Origin, head.Tree.Rows[0], tree.Full) {
		if err != nil {
			t.Fatal(err)
		}
		number := iceberg.Optional[int64]{Val: head.Tree.SequenceNumber, Valid: true}
		row.Entry.Tracking.SequenceNumber, row.Entry.Tracking.FileSequenceNumber = number, number
		mixed = append(mixed, row.Entry)
	}
	mixed[0].Tracking.Status = tree.Deleted
	mixed[0].Tracking.SnapshotID = iceberg.Optional[int64]{Val: head.Tree.Origin.SnapshotID, Valid: true}
	schema, err := manifestio.NewSchema(head.Metadata.Schema(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if _, err := manifestio.Encode(&data, schema, mixed, manifestio.EncodeOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Objects.Put(t.Context(), name, data.Bytes()); err != nil {
		t.Fatal(err)
	}
	size := int64(data.Len())
	w.rewriteRoot(func(rows []tree.Entry) {
		rows[0].Location, rows[0].FileSizeBytes = name, size
		rows[0].Manifest.Val.AddedFiles, rows[0].Manifest.Val.DeletedFiles = 1, 1
	})
	w.append(nil, 5)
	w.rewriteRoot(func(rows []tree.Entry) { rows[0].Manifest.Val.DV = nil }) // as an engine that masks no tombstone
	for _, c := range []struct {
		keep  int
		there bool
	}{{2, true}, {1, false}} {
		w.expire(maintain.ExpireOptions{Policy: keep(c.keep)})
		if slices.Contains(w.Objects.Names(), file(1)) != c.there || !slices.Contains(w.Objects.Names(), file(2)) {
			t.Errorf("keep %d: %v", c.keep, w.files())
		}
	}
}

// TestStaleTombstone: a row of the root that tells of another snapshot's removal keeps nothing (rules 6.9).
func TestStaleTombstone(t *testing.T) {
	w := newWorld(t, nil)
	w.append(simple.Never{}, 1, 2)
	w.remove(1)
	w.append(simple.Never{}, 3)
	stale := w.head().Tree.ParentSnapshotID
	w.rewriteRoot(func(rows []tree.Entry) {
		for i := range rows {
			if rows[i].Location == "data/f0002.parquet" {
				rows[i].Tracking.Status, rows[i].Tracking.SnapshotID = tree.Deleted, stale
			}
		}
	})
	w.expire(maintain.ExpireOptions{Policy: keep(1)})
	if slices.Contains(w.Objects.Names(), file(2)) || !slices.Contains(w.Objects.Names(), file(3)) {
		t.Errorf("there are %v", w.files())
	}
}
