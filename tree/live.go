package tree

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/firn-io/firn/mdv"
)

// LiveIn yields the live entries of the leaf that ref points to, given all its raw rows in file order. It is
// the one definition of live, in the order of rules 9.15: inherit, drop rows that are not live, drop rows that
// the manifest deletion vector masks, drop rows without records. The rows of a pointer that is not live itself
// are not live either, and are not asked for.
//
// A deletion vector that cannot be decoded or reaches beyond the leaf's rows, rows whose number is not the
// pointer's record count, and rows that must not stand in such a leaf (rules 1.5, 5) are a [CorruptError] (T1).
func LiveIn(o Origin, ref Entry, p Projection, rows iter.Seq2[Row, error]) iter.Seq2[Located, error] {
	return func(yield func(Located, error) bool) {
		if !ref.Tracking.Status.Live() {
			return
		}
		place := leafPlace(o, ref, p)
		for row, err := range judge(ref, rows) {
			if err != nil {
				yield(Located{}, err)
				return
			}
			if row.verdict == live && !yield(place.at(row.Row), nil) {
				return
			}
		}
	}
}

// Live yields the live entries of a tree in the order of the root's rows: loose ones, which were read in
// full, and those of the leaves of live pointers as [LiveIn] gives them. Pointers to empty leaves and files
// without records are dropped (rules 2.6.4). Legacy leaves of delete files give entries of those content types.
// An entry of the root that must not stand there or lacks an explicit number is a [CorruptError] (rules 7.6, Q23, T1).
func Live(ctx context.Context, t Tree, p Projection, r LeafReader) iter.Seq2[Located, error] {
	return func(yield func(Located, error) bool) {
		for i, e := range t.Rows {
			if !e.Tracking.Status.Live() || e.RecordCount == 0 {
				continue
			}
			if !e.Content.IsManifest() {
				l, err := t.loose(i)
				if !yield(l, err) || err != nil {
					return
				}
				continue
			}
			for l, err := range LiveIn(t.Origin, e, p, r.Leaf(ctx, t.Origin, e, p)) {
				if !yield(l, err) || err != nil {
					return
				}
			}
		}
	}
}

// loose returns the entry of a data file in the root, live or not.
func (t Tree) loose(row int) (Located, error) {
	e := t.Rows[row]
	corrupt := func(field, message string) error {
		return &CorruptError{Manifest: t.Root, Row: int64(row), Field: field, Err: errors.New(message)}
	}
	switch {
	case e.Content != Data:
		return Located{}, corrupt("content_type", fmt.Sprintf("%s in a root (rules 5)", e.Content))
	case e.RecordCount < 0:
		return Located{}, corrupt("record_count", fmt.Sprintf("%d is negative", e.RecordCount))
	case !e.Tracking.SnapshotID.Valid:
		return Located{}, corrupt("snapshot_id", "null in a root (rules 7.6)")
	case !e.Tracking.SequenceNumber.Valid:
		return Located{}, corrupt("sequence_number", "null in a root (rules 7.6)")
	case !e.Tracking.FileSequenceNumber.Valid:
		return Located{}, corrupt("file_sequence_number", "null in a root (rules 7.6)")
	}
	place := place{origin: t.Origin, projection: Full}
	return place.at(Row{Position: int64(row), Entry: e}), nil
}

// place is what the entries of one manifest have in common.
type place struct {
	origin     Origin
	manifest   string
	projection Projection
}

func leafPlace(o Origin, ref Entry, p Projection) place {
	return place{origin: o, manifest: Resolve(o.TableLocation, ref.Location), projection: p}
}

func (p place) at(row Row) Located {
	return Located{
		Entry:      row.Entry,
		Location:   Resolve(p.origin.TableLocation, row.Entry.Location),
		Origin:     p.origin,
		Manifest:   p.manifest,
		Position:   row.Position,
		Projection: p.projection,
	}
}

// verdict says whether a row of a leaf is part of the snapshot, and if not, why.
type verdict uint8

const (
	live verdict = iota + 1
	dead
	masked
	empty
)

type judged struct {
	Row
	verdict verdict
}

// judge yields every row of a leaf after inheritance with its verdict.
func judge(ref Entry, rows iter.Seq2[Row, error]) iter.Seq2[judged, error] {
	return func(yield func(judged, error) bool) {
		mask, err := maskOf(ref)
		if err != nil {
			yield(judged{}, err)
			return
		}
		count := int64(0)
		for row, err := range Inherit(ref, rows) {
			if err == nil {
				err = checkRow(ref, row, count)
			}
			if err != nil {
				yield(judged{}, err)
				return
			}
			if !yield(judged{row, verdictOn(row, mask)}, nil) {
				return
			}
			count++
		}
		if count != ref.RecordCount {
			yield(judged{}, &CorruptError{Manifest: ref.Location, Row: NoRow, Field: "record_count",
				Err: fmt.Errorf("the root says %d, the manifest has %d rows (rules 2.6.1)", ref.RecordCount, count)})
		}
	}
}

func verdictOn(row Row, mask mdv.Bitmap) verdict {
	switch {
	case !row.Entry.Tracking.Status.Live():
		return dead
	case holds(mask, row.Position):
		return masked
	case row.Entry.RecordCount == 0:
		return empty
	}
	return live
}

// holds reports whether a bitmap has the position.
func holds(b mdv.Bitmap, position int64) bool {
	return position <= mdv.MaxPosition && b.Contains(uint32(position))
}

// checkRow refuses a row out of place: in the order of the file, beyond the record count, or of a content type
// that this kind of manifest does not hold. A projection may leave the content type out.
func checkRow(ref Entry, row Row, ordinal int64) error {
	corrupt := func(field string, err error) error {
		return &CorruptError{Manifest: ref.Location, Row: row.Position, Field: field, Err: err}
	}
	switch c := row.Entry.Content; {
	case row.Position != ordinal:
		return corrupt("", fmt.Errorf("the reader gave it in place of row %d", ordinal))
	case ordinal >= ref.RecordCount:
		return corrupt("", fmt.Errorf("the root says that there are only %d rows (rules 2.6.1)", ref.RecordCount))
	case c.IsManifest():
		return corrupt("content_type", errors.New("a leaf points to no manifest (rules 1.5, Q17)"))
	case ref.Content == DataManifest && c > Data, ref.Content == DeleteManifest && c == Data:
		return corrupt("content_type", fmt.Errorf("%s in a %s (rules 5)", c, ref.Content))
	}
	return nil
}

// maskOf returns the positions that a pointer's manifest deletion vector takes out of its leaf.
func maskOf(ref Entry) (mdv.Bitmap, error) {
	if !ref.Manifest.Valid {
		return mdv.Bitmap{}, &CorruptError{Manifest: ref.Location, Row: NoRow, Field: "manifest_info",
			Err: errors.New("null in a pointer to a manifest (rules 2.1.3)")}
	}
	return positions(ref, "manifest_info.dv", ref.Manifest.Val.DV)
}

// positions decodes one of a pointer's bitmaps, null being empty. Positions that the leaf does not have are
// refused (Q27).
func positions(ref Entry, field string, data []byte) (mdv.Bitmap, error) {
	if data == nil {
		return mdv.Bitmap{}, nil
	}
	b, err := mdv.Parse(data)
	if err == nil {
		if last, ok := b.Max(); ok && int64(last) >= ref.RecordCount {
			err = fmt.Errorf("position %d is beyond the manifest's %d rows (rules 9.10, Q27)", last, ref.RecordCount)
		}
	}
	if err != nil {
		return mdv.Bitmap{}, &CorruptError{Manifest: ref.Location, Row: NoRow, Field: field, Err: err}
	}
	return b, nil
}
