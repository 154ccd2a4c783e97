package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/treetext"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// hand commits the tree that a script gives in text form, as another engine might have written it: no rule of roots or
// leaves is held against it. Leaves whose rows are given are written; a pointer without rows is to a leaf that is there.
// What the text leaves out of a pointer is filled in where something is known: length, counts and number of rows of a
// leaf, from its rows or from the present root's pointer to it. Ids and numbers are as the text has them. The snapshot
// follows the current one unless the text's first line says otherwise.
func (w *World) hand(ctx context.Context, c command) (string, error) {
	doc, err := treetext.Parse(dedent(c.body))
	if err != nil {
		return "", err
	}
	head, err := w.head(ctx)
	if err != nil {
		return "", err
	}
	partition, err := head.Metadata.UnionPartitionFields()
	if err != nil {
		return "", err
	}
	s, err := manifestio.NewSchema(head.Metadata.Schema(), partition, nil)
	if err != nil {
		return "", err
	}
	w.env.tick()
	h := handmadeTree{World: w, head: head, schema: s, doc: doc}
	if err := h.fill(ctx); err != nil {
		return "", err
	}
	if err := h.publish(ctx); err != nil {
		return "", err
	}
	made := h.doc.Tree
	if err := errors.Join(w.note(ctx, made.Origin.SnapshotID), w.adopt(ctx, made.Origin.SnapshotID, made.ParentSnapshotID.Val)); err != nil {
		return "", err
	}
	return fmt.Sprintf("snapshot %d\n", made.Origin.SnapshotID), nil
}

// dedent takes the indentation of the first line from all lines.
func dedent(text string) string {
	indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimPrefix(line, indent))
	}
	return b.String()
}

// handmadeTree is a tree on its way into the table.
type handmadeTree struct {
	*World
	head   *commit.Head
	schema manifestio.Schema
	doc    treetext.Doc
}

// fill writes the leaves and completes the rows of the root.
func (h *handmadeTree) fill(ctx context.Context) error {
	for i := range h.doc.Tree.Rows {
		e := &h.doc.Tree.Rows[i]
		if !e.Content.IsManifest() {
			setDefault(&e.RecordCount, defaultRecords)
			setDefault(&e.FileSizeBytes, defaultBytes)
			continue
		}
		rows := h.doc.Leaves[e.Location]
		e.Location = tree.Relativize(h.head.Location, h.names.full(e.Location))
		if rows == nil {
			h.fillFrom(e, h.head.Tree)
		} else if err := h.fillFromRows(ctx, e, rows); err != nil {
			return err
		}
	}
	return nil
}

// fillFrom completes a pointer from the one to the same leaf in a tree.
func (h *handmadeTree) fillFrom(e *tree.Entry, t tree.Tree) {
	for _, known := range t.Rows {
		if !known.Manifest.Valid || known.Location != e.Location {
			continue
		}
		setDefault(&e.RecordCount, known.RecordCount)
		setDefault(&e.FileSizeBytes, known.FileSizeBytes)
		h.fillInfo(e, known.Manifest.Val)
	}
}

// fillFromRows writes a leaf and completes its pointer from the rows.
func (h *handmadeTree) fillFromRows(ctx context.Context, e *tree.Entry, rows []tree.Row) error {
	var entries []tree.Entry
	for i, row := range rows {
		if row.Position != int64(i) {
			return fmt.Errorf("%s: row %d stands in place of row %d", e.Location, row.Position, i)
		}
		setDefault(&row.Entry.RecordCount, defaultRecords)
		setDefault(&row.Entry.FileSizeBytes, defaultBytes)
		row.Entry.Stats = row.Entry.Stats.Settled()
		entries = append(entries, row.Entry)
	}
	size, err := h.put(ctx, tree.Resolve(h.head.Location, e.Location), entries)
	if err != nil {
		return err
	}
	info, err := tree.Summarize(entries, e.Tracking.SequenceNumber.Val)
	if err != nil {
		return err
	}
	setDefault(&e.RecordCount, int64(len(entries)))
	setDefault(&e.FileSizeBytes, size)
	h.fillInfo(e, info)
	return nil
}

// fillInfo completes the counts of a pointer that has none.
func (h *handmadeTree) fillInfo(e *tree.Entry, info tree.ManifestInfo) {
	info.DV, info.FormatVersion = e.Manifest.Val.DV, e.Manifest.Val.FormatVersion
	counts := e.Manifest.Val
	counts.DV, counts.FormatVersion = nil, 0
	if counts.AddedFiles == 0 && counts.ExistingFiles == 0 && counts.DeletedFiles == 0 &&
		counts.ReplacedFiles == 0 && counts.ModifiedFiles == 0 {
		e.Manifest.Val = info
	}
}

// put writes a manifest of any rows and returns its length.
func (h *handmadeTree) put(ctx context.Context, name string, rows []tree.Entry) (int64, error) {
	var b bytes.Buffer
	if _, err := manifestio.Encode(&b, h.schema, rows, manifestio.EncodeOptions{}); err != nil {
		return 0, store.NameError("encode", name, err)
	}
	return int64(b.Len()), h.objects.Put(ctx, name, b.Bytes())
}

// publish writes root and metadata and swaps the catalog entry.
func (h *handmadeTree) publish(ctx context.Context) error {
	t, m := &h.doc.Tree, h.head.Metadata
	setDefault(&t.Origin.SnapshotID, h.env.newSnapshotID())
	setDefault(&t.SequenceNumber, m.LastSequenceNumber+1)
	setDefault(&t.TimestampMillis, m.NextTimestamp(metadata.MainBranch, h.env.nowMillis))
	setDefault(&t.FirstRowID, m.NextRowID)
	if !t.ParentSnapshotID.Valid {
		t.ParentSnapshotID = m.CurrentSnapshotID
	}
	root := tree.Resolve(h.head.Location, fmt.Sprintf("metadata/hand-%d.parquet", t.Origin.SnapshotID))
	h.names.roots = append(h.names.roots, root)
	if _, err := h.put(ctx, root, t.Rows); err != nil {
		return err
	}
	s := metadata.Snapshot{
		ID: t.Origin.SnapshotID, ParentID: t.ParentSnapshotID,
		SequenceNumber: t.SequenceNumber, TimestampMillis: t.TimestampMillis,
		Summary: map[string]string{"operation": metadata.OpOverwrite},
	}
	s.RootManifest.Val, s.RootManifest.Valid = tree.Relativize(h.head.Location, root), true
	s.SchemaID.Valid, s.SchemaID.Val = true, m.CurrentSchemaID
	s.FirstRowID.Val, s.FirstRowID.Valid = t.FirstRowID, true
	s.AddedRows.Val, s.AddedRows.Valid = t.AddedRows, true
	m, err := m.WithSnapshot(s, metadata.MainBranch, tree.Relativize(h.head.Location, h.head.MetadataLocation))
	if err != nil {
		return err
	}
	return h.World.publish(ctx, h.head, m, h.head.Location)
}

// setDefault fills in a number that is not given.
func setDefault(n *int64, otherwise int64) {
	if *n == 0 {
		*n = otherwise
	}
}
