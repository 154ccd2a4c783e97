package metadata_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/metadata"
	"pgregory.net/rapid"
)

// drawSchemaChange draws a change that may or may not be allowed.
func drawSchemaChange(r *rapid.T) metadata.SchemaChange {
	column := rapid.SampledFrom([]string{
		"id", "ts", "name", "place", "place.city", "place.zip", "tags", "tags.element", "marks", "marks.value",
		"marks.value.n", "count", "day", "price", "void", "x0", "x1", "place.x0", "x2.a",
	}).Draw(r, "column")
	typ := rapid.SampledFrom([]iceberg.Type{
		iceberg.Int64Type{}, iceberg.Float64Type{}, iceberg.StringType{}, iceberg.TimestampType{}, iceberg.DecimalTypeOf(12, 2),
		&iceberg.StructType{FieldList: []iceberg.NestedField{{ID: 1, Name: "a", Type: &iceberg.ListType{ElementID: 1, Element: iceberg.Int32Type{}}}}},
	}).Draw(r, "type")
	switch rapid.IntRange(0, 5).Draw(r, "kind") {
	case 0:
		return metadata.DropColumn{Column: column}
	case 1:
		return metadata.RenameColumn{Column: column, To: rapid.SampledFrom([]string{"x0", "x1", "name", "zip"}).Draw(r, "to")}
	case 2:
		return metadata.PromoteColumn{Column: column, Type: typ}
	case 3:
		return metadata.MakeOptional{Column: column}
	case 4:
		return metadata.SetDoc{Column: column, Doc: rapid.SampledFrom([]string{"", "a", "b"}).Draw(r, "doc")}
	}
	return metadata.AddColumn{
		Parent: rapid.SampledFrom([]string{"", "", "place", "marks", "x2"}).Draw(r, "parent"),
		Name:   rapid.SampledFrom([]string{"x0", "x1", "x2"}).Draw(r, "name"), Type: typ,
	}
}

func drawSpecChange(r *rapid.T) metadata.SpecChange {
	name := rapid.SampledFrom([]string{"ts_day", "ts_hour", "id_bucket", "p", "q"}).Draw(r, "field")
	switch rapid.IntRange(0, 2).Draw(r, "kind") {
	case 0:
		return metadata.DropPartitionField{Name: name}
	case 1:
		return metadata.RenamePartitionField{Name: name, To: rapid.SampledFrom([]string{"p", "q"}).Draw(r, "to")}
	}
	field, err := metadata.ParsePartitionField(rapid.SampledFrom([]string{
		"day(ts)", "hour(ts)", "bucket(4, id)", "bucket(8, id)", "place.city", "truncate(2, count)",
	}).Draw(r, "term"))
	if err != nil {
		r.Fatal(err)
	}
	field.Name = rapid.SampledFrom([]string{"", "", "p", "q"}).Draw(r, "as")
	return field
}

// Through any changes an id stands for one column, or for one partition value, and no id is given out twice.
func TestEvolutionKeepsIDs(t *testing.T) {
	start := wideTable(t)
	rapid.Check(t, func(r *rapid.T) {
		m := start
		born := map[int]int{} // the schema in which an id was new, by id
		last := m.LastColumnID
		for step := range rapid.IntRange(1, 12).Draw(r, "steps") {
			after, err := m.EvolveSchema(rapid.SliceOfN(rapid.Custom(drawSchemaChange), 1, 2).Draw(r, "changes")...)
			if err == nil {
				m = after
			}
			after, err = m.EvolveSpec(drawSpecChange(r))
			if err == nil {
				m = after
			}
			if problems := m.Problems(); len(problems) != 0 {
				r.Fatalf("step %d: %v", step, problems)
			}
			for id := range m.Schema().HighestFieldID() + 1 {
				if _, ok := m.Schema().FindFieldByID(id); !ok {
					continue
				}
				if _, known := born[id]; !known && step > 0 && id <= last {
					r.Fatalf("step %d: the id %d is back", step, id)
				}
				born[id] = m.CurrentSchemaID
			}
			last = m.LastColumnID
		}
		meanings := map[int]string{}
		ids := map[string]int{}
		for _, spec := range m.Specs {
			for _, f := range spec.Fields() {
				meaning := fmt.Sprint(f.SourceIDs, f.Transform)
				if known, ok := meanings[f.FieldID]; ok && known != meaning {
					r.Fatalf("partition field %d is %s and %s", f.FieldID, known, meaning)
				}
				if known, ok := ids[meaning]; ok && known != f.FieldID {
					r.Fatalf("%s is partition field %d and %d", meaning, known, f.FieldID)
				}
				meanings[f.FieldID], ids[meaning] = meaning, f.FieldID
			}
		}
		if _, err := m.UnionPartitionFields(); err != nil {
			r.Fatal(err)
		}
		checkWritten(r, m)
	})
}

// drawHistory draws a table of several branches and tags whose clock goes anywhere.
func drawHistory(r *rapid.T, m metadata.Table) metadata.Table {
	var err error
	for id := int64(1); id <= int64(rapid.IntRange(1, 20).Draw(r, "snapshots")); id++ {
		branch := rapid.SampledFrom([]string{"main", "main", "a", "b"}).Draw(r, "branch")
		s := next(m, id, branch, rapid.Int64Range(0, 2000).Draw(r, "clock"))
		if _, exists := m.Ref(branch); !exists && id > 1 {
			s.ParentID = optional(rapid.Int64Range(1, id-1).Draw(r, "parent"))
			s.TimestampMillis = m.TimestampAfter(s.ParentID, 0)
		}
		if m, err = m.WithSnapshot(s, branch, "x"); err != nil {
			r.Fatal(err)
		}
		if rapid.IntRange(0, 5).Draw(r, "tag") == 0 {
			ref := metadata.Ref{Name: fmt.Sprintf("t%d", id), Type: metadata.Tag, SnapshotID: rapid.Int64Range(1, id).Draw(r, "tagged")}
			if m, err = m.CreateRef(ref); err != nil {
				r.Fatal(err)
			}
		}
	}
	m.Snapshots = slices.Clone(m.Snapshots)
	for i := range m.Snapshots {
		m.Snapshots[i].TimestampMillis += rapid.Int64Range(-500, 500).Draw(r, "lie")
	}
	for _, ref := range m.Refs {
		retention := metadata.Retention{MaxAgeMillis: drawOptional(r, rapid.Int64Range(1, 2000), "ref age")}
		if ref.Type == metadata.Branch {
			retention.MinSnapshotsToKeep = drawOptional(r, rapid.IntRange(1, 5), "keep")
			retention.MaxSnapshotAgeMillis = drawOptional(r, rapid.Int64Range(1, 2000), "age")
		}
		if m, err = m.WithRetention(ref.Name, retention); err != nil {
			r.Fatal(err)
		}
	}
	return m
}

// Expiry never removes what a remaining ref points to or must keep, leaves no gap in a branch, and done twice it
// does no more than once.
func TestExpiryKeepsWhatIsRetained(t *testing.T) {
	start := empty(t)
	rapid.Check(t, func(r *rapid.T) {
		m := drawHistory(r, start)
		policy := metadata.ExpiryPolicy{
			KeepLast:        rapid.IntRange(0, 4).Draw(r, "keep last"),
			OlderThanMillis: drawOptional(r, rapid.Int64Range(-500, 3000), "older than"),
			MaxRefAgeMillis: rapid.Int64Range(0, 2000).Draw(r, "max ref age"),
		}
		now := rapid.Int64Range(0, 4000).Draw(r, "now")
		e, err := m.Expired(policy, now)
		if err != nil {
			r.Fatal(err)
		}
		after, err := m.Expire(e)
		if err != nil || len(after.Problems()) != 0 {
			r.Fatalf("%v, %v", err, after.Problems())
		}
		if _, ok := m.Ref("main"); ok {
			if _, ok := after.Ref("main"); !ok {
				r.Fatal("main went")
			}
		}
		for ref := range after.AllRefs() {
			if ref.Type != metadata.Branch {
				continue
			}
			before, err := m.Lineage(ref.SnapshotID)
			if err != nil {
				r.Fatal(err)
			}
			left, err := after.Lineage(ref.SnapshotID)
			if err != nil {
				r.Fatal(err)
			}
			keep := max(policy.KeepLast, 1)
			if ref.MinSnapshotsToKeep.Valid {
				keep = ref.MinSnapshotsToKeep.Val
			}
			if len(left) < min(keep, len(before)) {
				r.Fatalf("%s has %d of %d snapshots, to keep %d", ref.Name, len(left), len(before), keep)
			}
		}
		again, err := after.Expired(policy, now)
		if err != nil || len(again.Refs) != 0 {
			r.Fatalf("again: %v, %v", again, err)
		}
		for i, entry := range after.SnapshotLog {
			if _, ok := after.Snapshot(entry.SnapshotID); !ok {
				r.Fatalf("log entry %d of snapshot %d", i, entry.SnapshotID)
			}
		}
	})
}
