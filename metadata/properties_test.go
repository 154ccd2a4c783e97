package metadata_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/metadata"
	"github.com/google/go-cmp/cmp"
)

func TestUpdateProperties(t *testing.T) {
	m := empty(t).WithProperties(map[string]string{"a": "1", "b": "2", "uuid": "x"})
	m, err := m.UpdateProperties(map[string]string{"a": "3", metadata.PropertyMinSnapshotsToKeep: "7"}, "b", "none")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a": "3", "uuid": "x", metadata.PropertyMinSnapshotsToKeep: "7"}, m.Properties); diff != "" {
		t.Errorf("properties (-want +got):\n%s", diff)
	}
	for _, test := range []struct {
		set    map[string]string
		remove []string
		want   string
	}{
		{map[string]string{"uuid": "x"}, nil, `property "uuid": the name is reserved`},
		{nil, []string{"format-version"}, `property "format-version": the name is reserved`},
		{map[string]string{"a": "x"}, []string{"a"}, `property "a": it is both set and removed`},
		{map[string]string{"": "x"}, nil, "not empty"},
		{map[string]string{"a": "\xff"}, nil, "UTF-8"},
		{map[string]string{metadata.PropertyMinSnapshotsToKeep: "0"}, nil, "no positive number"},
		{map[string]string{metadata.PropertyPreviousVersionsMax: "3000000000"}, nil, "no positive number of at most 31 bits"},
		{map[string]string{metadata.PropertyMaxSnapshotAge: "-1"}, nil, "no positive number"},
		{map[string]string{metadata.PropertyMaxRefAge: "5d"}, nil, "no positive number"},
		{map[string]string{metadata.PropertyDeleteAfterCommit: "yes"}, nil, "neither true nor false"},
		{map[string]string{metadata.PropertyGCEnabled: ""}, nil, "neither true nor false"},
	} {
		_, err := m.UpdateProperties(test.set, test.remove...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("set %v, remove %v:\ngot  %v\nwant %s", test.set, test.remove, err, test.want)
		}
	}
}

func TestTrimmed(t *testing.T) {
	m := empty(t).WithProperties(map[string]string{metadata.PropertyPreviousVersionsMax: "3"})
	var fallen []string
	for i := range 6 {
		after := m.Successor(fmt.Sprint(i), int64(1000+i))
		for _, entry := range metadata.Trimmed(m, after) {
			fallen = append(fallen, entry.File)
		}
		m = after
	}
	if !slices.Equal(fallen, []string{"0", "1", "2"}) {
		t.Errorf("fallen out: %v", fallen)
	}
	shorter := m.WithProperties(map[string]string{metadata.PropertyPreviousVersionsMax: "1"}).Successor("6", 2000)
	if entries := metadata.Trimmed(m, shorter); len(entries) != 3 || entries[0].File != "3" || entries[2].File != "5" {
		t.Errorf("with a shorter log: %v", entries)
	}
	for value, want := range map[string]bool{"true": true, "TRUE": true, "false": false, "x": false} {
		if got := m.WithProperties(map[string]string{metadata.PropertyDeleteAfterCommit: value}).DeletesOldMetadata(); got != want {
			t.Errorf("%s: %v", value, got)
		}
	}
	if m.DeletesOldMetadata() {
		t.Error("deletes without being asked")
	}
}
