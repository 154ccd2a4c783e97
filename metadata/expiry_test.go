package metadata_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/metadata"
	"github.com/google/go-cmp/cmp"
)

func TestExpired(t *testing.T) {
	all := optional[int64](math.MaxInt64)
	for _, test := range []struct {
		name       string
		policy     metadata.ExpiryPolicy
		properties map[string]string
		refs       map[string]metadata.Retention
		now        int64
		want       metadata.Expiry
	}{
		{name: "young", now: 600},
		{name: "five days", now: 5*86_400_000 + 350, want: metadata.Expiry{Snapshots: []int64{2}}},
		{name: "a slow clock", now: -600},
		{name: "all but the last", policy: metadata.ExpiryPolicy{OlderThanMillis: all}, now: 600, want: metadata.Expiry{Snapshots: []int64{2, 4}}},
		{name: "keep two", policy: metadata.ExpiryPolicy{KeepLast: 2, OlderThanMillis: all}, now: 600},
		{name: "older than", policy: metadata.ExpiryPolicy{OlderThanMillis: optional[int64](400)}, now: 600, want: metadata.Expiry{Snapshots: []int64{2}}},
		{name: "by property", properties: map[string]string{metadata.PropertyMaxSnapshotAge: "200"}, now: 600, want: metadata.Expiry{Snapshots: []int64{2}}},
		{name: "keep by property", properties: map[string]string{metadata.PropertyMaxSnapshotAge: "1", metadata.PropertyMinSnapshotsToKeep: "3"}, now: 600},
		{name: "the branch's own", policy: metadata.ExpiryPolicy{OlderThanMillis: all},
			refs: map[string]metadata.Retention{"b": {MinSnapshotsToKeep: optional(2)}}, now: 600, want: metadata.Expiry{Snapshots: []int64{2}}},
		{name: "the branch's own age", policy: metadata.ExpiryPolicy{OlderThanMillis: all},
			refs: map[string]metadata.Retention{"b": {MaxSnapshotAgeMillis: optional[int64](400)}}, now: 600},
		{name: "refs by policy", policy: metadata.ExpiryPolicy{MaxRefAgeMillis: 200, OlderThanMillis: optional[int64](450)}, now: 600,
			want: metadata.Expiry{Refs: []string{"t"}, Snapshots: []int64{1, 2, 4}}},
		{name: "refs by property", properties: map[string]string{metadata.PropertyMaxRefAge: "50"}, now: 600,
			want: metadata.Expiry{Refs: []string{"b", "t"}}},
		{name: "a tag's own", refs: map[string]metadata.Retention{"t": {MaxAgeMillis: optional[int64](500)}}, now: 600},
		{name: "a tag's own, one later", refs: map[string]metadata.Retention{"t": {MaxAgeMillis: optional[int64](500)}}, now: 601,
			want: metadata.Expiry{Refs: []string{"t"}}},
		{name: "main stays", refs: map[string]metadata.Retention{"main": {MaxAgeMillis: optional[int64](1)}}, now: 600},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := forked(t).WithProperties(test.properties)
			for name, r := range test.refs {
				var err error
				if m, err = m.WithRetention(name, r); err != nil {
					t.Fatal(err)
				}
			}
			got, err := m.Expired(test.policy, test.now)
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Fatalf("%v (-want +got):\n%s", err, diff)
			}
			after, err := m.Expire(got)
			if err != nil || len(after.Problems()) != 0 {
				t.Fatalf("%v, %v", err, after.Problems())
			}
			d := metadata.Diff(m, after)
			if diff := cmp.Diff(got.Snapshots, d.SnapshotsRemoved); diff != "" || len(d.Refs) != len(got.Refs) {
				t.Errorf("removed (-want +got):\n%s%v", diff, d.Refs)
			}
			checkWritten(t, after)
		})
	}
}

// B50: behind a snapshot that goes there is nothing to keep, whatever its time says.
func TestB50ExpiryGoesByParents(t *testing.T) {
	m, err := forked(t).WithoutRef("t")
	if err != nil {
		t.Fatal(err)
	}
	m.Snapshots = slices.Clone(m.Snapshots)
	m.Snapshots[0].TimestampMillis = 9000 // of 1, where both branches come from
	for cutoff, want := range map[int64][]int64{150: nil, 250: {1, 2}, 450: {1, 2, 4}} {
		got, err := m.Expired(metadata.ExpiryPolicy{OlderThanMillis: optional(cutoff)}, 600)
		if diff := cmp.Diff(metadata.Expiry{Snapshots: want}, got); diff != "" || err != nil {
			t.Errorf("older than %d: %v (-want +got):\n%s", cutoff, err, diff)
		}
	}
}

func TestExpiredRefuses(t *testing.T) {
	for _, test := range []struct {
		name, want string
		policy     metadata.ExpiryPolicy
		change     func(*metadata.Table)
	}{
		{name: "no deletion", want: "gc.enabled is false", change: func(m *metadata.Table) {
			*m = m.WithProperties(map[string]string{metadata.PropertyGCEnabled: "false"})
		}},
		{name: "age", want: `property "history.expire.max-snapshot-age-ms"`, change: func(m *metadata.Table) {
			*m = m.WithProperties(map[string]string{metadata.PropertyMaxSnapshotAge: "5 days"})
		}},
		{name: "keep", want: `property "history.expire.min-snapshots-to-keep"`, change: func(m *metadata.Table) {
			*m = m.WithProperties(map[string]string{metadata.PropertyMinSnapshotsToKeep: "-1"})
		}},
		{name: "age of refs", want: `property "history.expire.max-ref-age-ms"`, change: func(m *metadata.Table) {
			*m = m.WithProperties(map[string]string{metadata.PropertyMaxRefAge: ""})
		}},
		{name: "ref to nothing", want: `ref "t": snapshot 1 is not among the snapshots`, change: func(m *metadata.Table) { m.Snapshots = m.Snapshots[1:] }},
		{name: "negative", want: "is negative", policy: metadata.ExpiryPolicy{KeepLast: -1}},
		{name: "negative age", want: "is negative", policy: metadata.ExpiryPolicy{MaxRefAgeMillis: -1}},
	} {
		m := forked(t)
		if test.change != nil {
			test.change(&m)
		}
		_, err := m.Expired(test.policy, 600)
		if err == nil || !strings.HasPrefix(err.Error(), "metadata: expiry: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if _, err := forked(t).Expire(metadata.Expiry{Refs: []string{"main"}}); err == nil {
		t.Error("main went")
	}
}

func TestWithoutSnapshots(t *testing.T) {
	before := forked(t)
	before.Unknown = metadata.Unknown{
		{Name: "statistics", JSON: `[{"snapshot-id":2,"statistics-path":"a"},{"statistics-path":"b","snapshot-id":3,"n":1.50}]`},
		{Name: "other", JSON: `[{"snapshot-id":2}]`},
		{Name: "partition-statistics", JSON: `[{"snapshot-id":2}]`},
	}
	untouched, _ := before.Marshal()
	m, err := before.WithoutSnapshots(4, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := metadata.Unknown{
		{Name: "statistics", JSON: `[{"statistics-path":"b","snapshot-id":3,"n":1.50}]`},
		{Name: "other", JSON: `[{"snapshot-id":2}]`},
		{Name: "partition-statistics", JSON: `[]`},
	}
	if diff := cmp.Diff(want, m.Unknown); diff != "" {
		t.Errorf("unknown members (-want +got):\n%s", diff)
	}
	if len(m.SnapshotLog) != 1 || m.SnapshotLog[0].SnapshotID != 3 {
		t.Errorf("log %v", m.SnapshotLog)
	}
	s, _ := m.Snapshot(3)
	if len(m.Snapshots) != 3 || s.ParentID != optional[int64](2) || m.LastSequenceNumber != 5 || len(m.Problems()) != 0 {
		t.Errorf("snapshots %v, last %d, problems %v", m.Snapshots, m.LastSequenceNumber, m.Problems())
	}
	if now, _ := before.Marshal(); string(now) != string(untouched) {
		t.Error("the table before changed")
	}
	if same, err := before.WithoutSnapshots(); err != nil || !same.Equal(before) {
		t.Errorf("none: %v", err)
	}
	for _, test := range []struct {
		want string
		ids  []int64
		list string
	}{
		{`remove snapshot 1: the tag "t" points to it`, []int64{1}, ""}, {`remove snapshot 5: the branch "b" points to it`, []int64{2, 5}, ""},
		{"remove snapshot 9: it is not among the snapshots", []int64{9}, ""}, {"remove snapshot 2: it is not", []int64{2, 2}, ""},
		{"remove snapshots: statistics: ", []int64{2}, `{}`}, {"remove snapshots: statistics: ", []int64{2}, `[5]`},
	} {
		m := before
		if test.list != "" {
			m.Unknown = metadata.Unknown{{Name: "statistics", JSON: test.list}}
		}
		if _, err := m.WithoutSnapshots(test.ids...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v", test.ids, err)
		}
	}
}

// B28: a branch goes and its snapshot, then a tag goes and what it kept; each time no more than that.
func TestB28RefsOneByOne(t *testing.T) {
	m := forked(t)
	m, err := m.Expire(metadata.Expiry{Refs: []string{"b"}, Snapshots: []int64{4, 5}})
	if err != nil || len(m.Snapshots) != 3 || len(m.SnapshotLog) != 3 {
		t.Fatalf("without b: %v, %v", m.Snapshots, err)
	}
	if _, err := m.WithoutSnapshots(1, 2); err == nil {
		t.Error("removed what the tag points to")
	}
	m, err = m.Expire(metadata.Expiry{Refs: []string{"t"}, Snapshots: []int64{1, 2}})
	if err != nil || len(m.Snapshots) != 1 || m.Snapshots[0].ID != 3 || len(m.SnapshotLog) != 1 {
		t.Fatalf("without t: %v, %v", m.Snapshots, err)
	}
}
