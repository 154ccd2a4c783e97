package metadata_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/firn-io/firn/metadata"
	"github.com/google/go-cmp/cmp"
)

func TestFileNames(t *testing.T) {
	if got := metadata.FileName(3, tableUUID); got != "00003-9c12d441-03fe-4693-9a96-a0705ddf69c1.metadata.json" {
		t.Errorf("name: %s", got)
	}
	for _, test := range []struct {
		name    string
		isFile  bool
		version int
		has     bool
	}{
		{metadata.FileName(0, tableUUID), true, 0, true},
		{metadata.FileName(123456, tableUUID), true, 123456, true},
		{"s3://b/t-1/metadata/00007-x.metadata.json", true, 7, true},
		{"00007-x.gz.metadata.json", true, 7, true},
		{"00007-x.metadata.json.gz", true, 7, true},
		{"v12.metadata.json", true, 12, true},
		{"v12.gz.metadata.json", true, 12, true},
		{"x.metadata.json", true, 0, false},
		{"v.metadata.json", true, 0, false},
		{"9c12d441-03fe-4693-9a96-a0705ddf69c1.metadata.json", true, 0, false},
		{"99999999999-x.metadata.json", true, 0, false},
		{"-1-x.metadata.json", true, 0, false},
		{"12.metadata.json", true, 0, false},
		{".metadata.json", false, 0, false},
		{"a/.gz.metadata.json", false, 0, false},
		{"00007-x.json", false, 0, false},
		{"00007-root.parquet", false, 0, false},
		{"", false, 0, false},
	} {
		version, has := metadata.VersionOf(test.name)
		if got := metadata.IsFileName(test.name); got != test.isFile || version != test.version || has != test.has {
			t.Errorf("%s: file %v, version %d, %v", test.name, got, version, has)
		}
	}
}

func TestNewest(t *testing.T) {
	ages := map[string]int64{"00001-a.metadata.json": 50, "a.metadata.json": 10, "b.metadata.json": 20, "c.metadata.json": 20}
	for _, test := range []struct {
		name      string
		files     []string
		want      string
		ambiguous []string
	}{
		{"by number", []string{"00009-a.metadata.json", "00010-b.metadata.json", "root.parquet", "00002-c.metadata.json"}, "00010-b.metadata.json", nil},
		{"one without number", []string{"a.metadata.json"}, "a.metadata.json", nil},
		{"by time", []string{"a.metadata.json", "b.metadata.json"}, "b.metadata.json", nil},
		{"by time if one has no number", []string{"a.metadata.json", "00001-a.metadata.json"}, "00001-a.metadata.json", nil},
		{"number twice", []string{"00010-b.metadata.json", "00010-a.metadata.json", "00009-c.metadata.json"}, "",
			[]string{"00010-a.metadata.json", "00010-b.metadata.json"}},
		{"time twice", []string{"c.metadata.json", "a.metadata.json", "b.metadata.json"}, "", []string{"b.metadata.json", "c.metadata.json"}},
	} {
		got, err := metadata.Newest(test.files, func(name string) (int64, error) {
			age, ok := ages[name]
			if !ok {
				return 0, fmt.Errorf("asked for %s", name)
			}
			return age, nil
		})
		var ambiguous *metadata.AmbiguousError
		switch {
		case errors.As(err, &ambiguous):
			if diff := cmp.Diff(test.ambiguous, ambiguous.Names); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.name, diff)
			}
		case err != nil || got != test.want:
			t.Errorf("%s: %s, %v", test.name, got, err)
		}
	}
	ambiguous := &metadata.AmbiguousError{Names: []string{"a", "b"}}
	if got := ambiguous.Error(); got != "metadata: more than one file may be the newest: a, b" {
		t.Errorf("message: %s", got)
	}
	if _, err := metadata.Newest([]string{"root.parquet"}, nil); !errors.Is(err, metadata.ErrNoFile) {
		t.Errorf("no file: %v", err)
	}
	broken := errors.New("broken")
	_, err := metadata.Newest([]string{"a.metadata.json"}, func(string) (int64, error) { return 0, broken })
	if !errors.Is(err, broken) {
		t.Errorf("unreadable candidate: %v", err)
	}
}
