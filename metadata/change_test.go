package metadata_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/metadata"
	"github.com/google/go-cmp/cmp"
)

// next returns the snapshot that a careful writer commits to a branch of the table.
func next(m metadata.Table, id int64, branch string, clock int64) metadata.Snapshot {
	s := metadata.Snapshot{
		ID:              id,
		SequenceNumber:  m.LastSequenceNumber + 1,
		TimestampMillis: m.NextTimestamp(branch, clock),
		RootManifest:    optional(fmt.Sprintf("metadata/root-%d.parquet", id)),
		Summary:         map[string]string{"operation": metadata.OpAppend},
		SchemaID:        optional(m.CurrentSchemaID),
		FirstRowID:      optional(m.NextRowID),
		AddedRows:       optional[int64](10),
	}
	if ref, ok := m.Ref(branch); ok {
		s.ParentID = optional(ref.SnapshotID)
	}
	return s
}

func commit(t testing.TB, m metadata.Table, id int64, branch string, clock int64) metadata.Table {
	t.Helper()
	after, err := m.WithSnapshot(next(m, id, branch, clock), branch, fmt.Sprintf("metadata/before-%d.metadata.json", id))
	if err != nil {
		t.Fatal(err)
	}
	return after
}

func empty(t testing.TB) metadata.Table {
	t.Helper()
	m, err := metadata.New(metadata.NewTable{UUID: tableUUID, Schema: eventSchema(), TimestampMillis: 100})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestWithSnapshot(t *testing.T) {
	before := empty(t)
	untouched, err := before.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	m := commit(t, before, 11, "main", 200)
	m = commit(t, m, 12, "main", 150) // the clock went back
	m = commit(t, m, 13, "audit", 300)
	if m.LastSequenceNumber != 3 || m.NextRowID != 30 || m.LastUpdatedMillis != 300 {
		t.Errorf("sequence number %d, next row id %d, updated %d", m.LastSequenceNumber, m.NextRowID, m.LastUpdatedMillis)
	}
	if m.CurrentSnapshotID != optional[int64](12) {
		t.Errorf("current is %v", m.CurrentSnapshotID)
	}
	wantRefs := []metadata.Ref{
		{Name: "audit", SnapshotID: 13, Type: metadata.Branch},
		{Name: "main", SnapshotID: 12, Type: metadata.Branch},
	}
	wantLog := []metadata.SnapshotLogEntry{{SnapshotID: 11, TimestampMillis: 200}, {SnapshotID: 12, TimestampMillis: 201}}
	wantFiles := []metadata.MetadataLogEntry{
		{File: "metadata/before-11.metadata.json", TimestampMillis: 100},
		{File: "metadata/before-12.metadata.json", TimestampMillis: 200},
		{File: "metadata/before-13.metadata.json", TimestampMillis: 201},
	}
	if diff := cmp.Diff(wantRefs, m.Refs); diff != "" {
		t.Errorf("refs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantLog, m.SnapshotLog); diff != "" {
		t.Errorf("snapshot log (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantFiles, m.MetadataLog); diff != "" {
		t.Errorf("metadata log (-want +got):\n%s", diff)
	}
	if problems := m.Problems(); len(problems) != 0 {
		t.Errorf("problems: %v", problems)
	}
	if now, err := before.Marshal(); err != nil || string(now) != string(untouched) {
		t.Errorf("the table before changed (%v)", err)
	}
}

// Two tables made from one do not share the room behind their slices.
func TestWithSnapshotForks(t *testing.T) {
	base := commit(t, commit(t, commit(t, empty(t), 1, "main", 200), 2, "main", 300), 3, "main", 400)
	a := commit(t, base, 4, "main", 500)
	b := commit(t, base, 5, "main", 600)
	if a.Snapshots[3].ID != 4 || b.Snapshots[3].ID != 5 || a.Refs[0].SnapshotID != 4 || base.Refs[0].SnapshotID != 3 {
		t.Errorf("a ends in %d, b in %d", a.Snapshots[3].ID, b.Snapshots[3].ID)
	}
	if a.SnapshotLog[3].SnapshotID != 4 || a.MetadataLog[3].File != "metadata/before-4.metadata.json" {
		t.Errorf("logs of a: %v, %v", a.SnapshotLog, a.MetadataLog)
	}
}

func TestWithSnapshotRefuses(t *testing.T) {
	base := commit(t, commit(t, empty(t), 11, "main", 200), 12, "audit", 300)
	withTag, err := base.WithRef(metadata.Ref{Name: "v1", SnapshotID: 11, Type: metadata.Tag})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, branch, want string
		table              func(*metadata.Table)
		snapshot           func(*metadata.Snapshot)
	}{
		{name: "older version", want: "format version 3, not 4", table: func(m *metadata.Table) { m.FormatVersion = 3 }},
		{name: "tag", branch: "v1", want: "it is a tag"},
		{name: "main without current", want: "do not agree", table: func(m *metadata.Table) { m.CurrentSnapshotID = iceberg.Optional[int64]{} }},
		{name: "main beside current", want: "do not agree", table: func(m *metadata.Table) { m.CurrentSnapshotID = optional[int64](12) }},
		{name: "no parent", want: "the parent must be the head, 11", snapshot: func(s *metadata.Snapshot) { s.ParentID = iceberg.Optional[int64]{} }},
		{name: "other parent", want: "the parent must be the head, 11", snapshot: func(s *metadata.Snapshot) { s.ParentID = optional[int64](12) }},
		{name: "unknown parent of a new branch", branch: "new", want: "the parent 99 is not among", snapshot: func(s *metadata.Snapshot) { s.ParentID = optional[int64](99) }},
		{name: "id -1", want: "positive", snapshot: func(s *metadata.Snapshot) { s.ID = -1 }},
		{name: "id taken", want: "the id is taken", snapshot: func(s *metadata.Snapshot) { s.ID = 12 }},
		{name: "sequence number again", want: "sequence number 2 does not follow 2", snapshot: func(s *metadata.Snapshot) { s.SequenceNumber-- }},
		{name: "sequence number skipped", want: "sequence number 4 does not follow 2", snapshot: func(s *metadata.Snapshot) { s.SequenceNumber++ }},
		{name: "sequence number overflow", want: "does not follow", table: func(m *metadata.Table) { m.LastSequenceNumber = math.MaxInt64 }},
		{name: "time of the parent", want: "timestamp-ms 200 is not later than the parent's 200 (rules 14.3)", snapshot: func(s *metadata.Snapshot) { s.TimestampMillis = 200 }},
		{name: "no root", want: "root-manifest", snapshot: func(s *metadata.Snapshot) { s.RootManifest = iceberg.Optional[string]{} }},
		{name: "empty root", want: "root-manifest", snapshot: func(s *metadata.Snapshot) { s.RootManifest.Val = "" }},
		{name: "manifest list too", want: "manifest-list", snapshot: func(s *metadata.Snapshot) { s.ManifestList = optional("l.avro") }},
		{name: "manifests too", want: "nor manifests", snapshot: func(s *metadata.Snapshot) { s.Manifests = []string{} }},
		{name: "no operation", want: `operation is ""`, snapshot: func(s *metadata.Snapshot) { s.Summary = nil }},
		{name: "unknown schema", want: "schema-id 5 is not among", snapshot: func(s *metadata.Snapshot) { s.SchemaID = optional(5) }},
		{name: "first row id below", want: "first-row-id must be the table's next-row-id, 20", snapshot: func(s *metadata.Snapshot) { s.FirstRowID = optional[int64](19) }},
		{name: "no first row id", want: "first-row-id must be", snapshot: func(s *metadata.Snapshot) { s.FirstRowID = iceberg.Optional[int64]{} }},
		{name: "no added rows", want: "added-rows must be set", snapshot: func(s *metadata.Snapshot) { s.AddedRows = iceberg.Optional[int64]{} }},
		{name: "negative added rows", want: "not negative", snapshot: func(s *metadata.Snapshot) { s.AddedRows = optional[int64](-1) }},
		{name: "row id overflow", want: "exceeds 64 bits", snapshot: func(s *metadata.Snapshot) { s.AddedRows = optional[int64](math.MaxInt64 - 19) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			branch := test.branch
			if branch == "" {
				branch = "main"
			}
			m := withTag
			if test.table != nil {
				test.table(&m)
			}
			s := next(m, 13, branch, 1000)
			if test.snapshot != nil {
				test.snapshot(&s)
			}
			_, err := m.WithSnapshot(s, branch, "")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
	if _, err := base.WithSnapshot(next(base, 13, "main", 1000), "", ""); err == nil {
		t.Error("committed to a branch without a name")
	}
}

// The largest row id that fits is given out.
func TestRowIDsUpToTheLimit(t *testing.T) {
	m := empty(t)
	s := next(m, 1, "main", 200)
	s.AddedRows = optional[int64](math.MaxInt64)
	m, err := m.WithSnapshot(s, "main", "")
	if err != nil || m.NextRowID != math.MaxInt64 || len(m.MetadataLog) != 0 {
		t.Errorf("next row id %d, log %v, %v", m.NextRowID, m.MetadataLog, err)
	}
}

func TestMetadataLogIsCut(t *testing.T) {
	for _, test := range []struct {
		property string
		want     int
	}{{"", 100}, {"3", 3}, {"0", 1}, {"-5", 1}, {"many", 100}} {
		m := empty(t)
		if test.property != "" {
			m = m.WithProperties(map[string]string{metadata.PropertyPreviousVersionsMax: test.property})
		}
		for i := range 105 {
			m = m.Successor(fmt.Sprint(i), int64(1000+i))
		}
		if n := len(m.MetadataLog); n != test.want || m.MetadataLog[n-1].File != "104" || m.LastUpdatedMillis != 1104 {
			t.Errorf("%q: %d entries, last updated %d", test.property, n, m.LastUpdatedMillis)
		}
	}
}

func TestSuccessorNeverTurnsTimeBack(t *testing.T) {
	if m := empty(t).Successor("x", 99); m.LastUpdatedMillis != 100 {
		t.Errorf("last updated %d", m.LastUpdatedMillis)
	}
}

func TestNextTimestamp(t *testing.T) {
	m := commit(t, commit(t, empty(t), 11, "main", 200), 12, "audit", 300)
	for _, test := range []struct {
		branch      string
		clock, want int64
	}{
		{"main", 500, 500}, {"main", 300, 300}, {"main", 100, 300}, {"audit", 300, 301}, {"audit", 301, 301}, {"new", 0, 300},
	} {
		if got := m.NextTimestamp(test.branch, test.clock); got != test.want {
			t.Errorf("%s at %d: %d, want %d", test.branch, test.clock, got, test.want)
		}
	}
}

func TestAncestors(t *testing.T) {
	m := empty(t)
	for id := int64(1); id <= 4; id++ {
		m = commit(t, m, id, "main", 200)
	}
	ids := func(m metadata.Table, id int64) []int64 {
		var list []int64
		for s := range m.Ancestors(id) {
			list = append(list, s.ID)
		}
		return list
	}
	if got := ids(m, 3); !slices.Equal(got, []int64{3, 2, 1}) {
		t.Errorf("of 3: %v", got)
	}
	if got := ids(m, 9); got != nil {
		t.Errorf("of an unknown one: %v", got)
	}
	expired := m
	expired.Snapshots = m.Snapshots[1:]
	if got := ids(expired, 4); !slices.Equal(got, []int64{4, 3, 2}) {
		t.Errorf("with the first expired: %v", got)
	}
	cyclic := m
	cyclic.Snapshots = slices.Clone(m.Snapshots)
	cyclic.Snapshots[0].ParentID = optional[int64](3)
	if got := ids(cyclic, 4); !slices.Equal(got, []int64{4, 3, 2, 1}) {
		t.Errorf("in a cycle: %v", got)
	}
	for s := range m.Ancestors(4) {
		if s.ID != 4 {
			t.Errorf("went on to %d", s.ID)
		}
		break
	}
}
