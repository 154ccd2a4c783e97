package metadata_test

import (
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/metadata"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestDiff(t *testing.T) {
	must := func(m metadata.Table, err error) metadata.Table {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	kind := func(name string, kind metadata.RefChangeKind) []metadata.RefChange {
		return []metadata.RefChange{{Name: name, Kind: kind}}
	}
	for _, test := range []struct {
		name   string
		change func(m metadata.Table) metadata.Table
		want   metadata.Difference
	}{
		{"nothing", func(m metadata.Table) metadata.Table { return m.Successor("x", 5000) }, metadata.Difference{}},
		{"uuid", func(m metadata.Table) metadata.Table { m.UUID = "x"; return m }, metadata.Difference{UUID: true}},
		{"location", func(m metadata.Table) metadata.Table { m.Location = optional("x"); return m }, metadata.Difference{Location: true}},
		{"version", func(m metadata.Table) metadata.Table { m.FormatVersion = 3; return m }, metadata.Difference{FormatVersion: true}},
		{"schema", func(m metadata.Table) metadata.Table {
			return must(m.EvolveSchema(metadata.AddColumn{Name: "x", Type: iceberg.StringType{}}))
		}, metadata.Difference{SchemasAdded: []int{1}, CurrentSchema: true}},
		{"other schema of one id", func(m metadata.Table) metadata.Table {
			m.Schemas = []*iceberg.Schema{withField(m.Schema(), iceberg.NestedField{ID: 9, Name: "x", Type: iceberg.StringType{}})}
			return m
		}, metadata.Difference{SchemasAdded: []int{0}, SchemasRemoved: []int{0}}},
		{"spec", func(m metadata.Table) metadata.Table { return must(m.EvolveSpec(partitionOf(t, "day(ts)", ""))) },
			metadata.Difference{SpecsAdded: []int{1}, DefaultSpec: true}},
		{"spec dropped", func(m metadata.Table) metadata.Table { m.Specs = nil; return m }, metadata.Difference{SpecsRemoved: []int{0}}},
		{"sort order", func(m metadata.Table) metadata.Table { m.DefaultSortOrderID = 1; return m }, metadata.Difference{SortOrders: true}},
		{"properties", func(m metadata.Table) metadata.Table {
			return m.WithProperties(map[string]string{"b": "9", "d": "1"}, "c")
		}, metadata.Difference{Properties: []string{"b", "c", "d"}}},
		{"other", func(m metadata.Table) metadata.Table {
			m.Unknown = metadata.Unknown{{Name: "statistics", JSON: "[]"}}
			return m
		}, metadata.Difference{Others: []string{"statistics"}}},
		{"commit", func(m metadata.Table) metadata.Table { return commit(t, m, 6, "main", 900) },
			metadata.Difference{SnapshotsAdded: []int64{6}, Refs: kind("main", metadata.RefAdvanced)}},
		{"commits and expiry", func(m metadata.Table) metadata.Table {
			return must(commit(t, commit(t, m, 6, "main", 900), 7, "main", 900).WithoutSnapshots(3, 6))
		}, metadata.Difference{SnapshotsAdded: []int64{7}, SnapshotsRemoved: []int64{3}, Refs: kind("main", metadata.RefMoved)}},
		{"expiry of the base alone", func(m metadata.Table) metadata.Table {
			return must(commit(t, m, 6, "main", 900).WithoutSnapshots(3))
		}, metadata.Difference{SnapshotsAdded: []int64{6}, SnapshotsRemoved: []int64{3}, Refs: kind("main", metadata.RefAdvanced)}},
		{"rollback", func(m metadata.Table) metadata.Table { return must(m.MoveRef("main", 1)) },
			metadata.Difference{Refs: kind("main", metadata.RefMoved)}},
		{"refs", func(m metadata.Table) metadata.Table {
			m = must(m.WithoutRef("b"))
			m = must(m.CreateRef(metadata.Ref{Name: "a", Type: metadata.Branch, SnapshotID: 5}))
			return must(m.WithRetention("t", metadata.Retention{MaxAgeMillis: optional[int64](1)}))
		}, metadata.Difference{Refs: []metadata.RefChange{
			{Name: "a", Kind: metadata.RefCreated}, {Name: "b", Kind: metadata.RefDropped}, {Name: "t", Kind: metadata.RefSettings}}}},
		{"a branch becomes a tag", func(m metadata.Table) metadata.Table {
			return must(must(m.WithoutRef("b")).CreateRef(metadata.Ref{Name: "b", Type: metadata.Tag, SnapshotID: 5}))
		}, metadata.Difference{Refs: kind("b", metadata.RefMoved)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := forked(t).WithProperties(map[string]string{"a": "1", "b": "2", "c": "3"})
			after := test.change(before)
			got := metadata.Diff(before, after)
			if diff := cmp.Diff(test.want, got, cmpopts.IgnoreFields(metadata.RefChange{}, "Before", "After")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, c := range test.want.Refs {
				old, _ := before.Ref(c.Name)
				now, _ := after.Ref(c.Name)
				changed, ok := got.Ref(c.Name)
				if diff := cmp.Diff([]metadata.Ref{old, now}, []metadata.Ref{changed.Before, changed.After}); diff != "" || !ok {
					t.Errorf("ref %s (-want +got):\n%s", c.Name, diff)
				}
			}
			if _, ok := got.Ref("none"); ok {
				t.Error("a ref that is not there changed")
			}
		})
	}
}
