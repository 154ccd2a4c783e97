package metadata_test

import (
	"testing"

	"github.com/firn-io/firn/metadata"
)

// FuzzParse reads any bytes without a panic, and what it reads and can write comes back equal.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"java-v4/*/*.json", "legacy/*/*.json"} {
		for _, data := range files(f, pattern) {
			f.Add(data)
		}
	}
	f.Add([]byte(smallest))
	limits := metadata.Limits{MaxBytes: 1 << 20, MaxValues: 1 << 16}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := metadata.Parse(data, limits)
		if err != nil {
			return
		}
		m.Problems()
		for range m.Ancestors(m.CurrentSnapshotID.Val) {
		}
		if m.FormatVersion != metadata.FormatVersion {
			return
		}
		out, err := m.Marshal()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		back, err := metadata.Parse(out, metadata.Limits{})
		if err != nil || !m.Equal(back) {
			t.Fatalf("what was written reads otherwise (%v): %s", err, out)
		}
	})
}

// FuzzParseSchema reads any bytes as a schema that a person wrote.
func FuzzParseSchema(f *testing.F) {
	f.Add([]byte(`{"fields":[{"name":"a","type":"long"},{"name":"b","type":{"type":"list","element":"string"}}]}`))
	f.Add([]byte(`{"type":"struct","identifier-field-ids":[1],"fields":[{"id":1,"name":"a","required":true,"type":"int"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		schema, err := metadata.ParseSchema(data, metadata.Limits{MaxBytes: 1 << 16})
		if err == nil && schema.HighestFieldID() < 1 && schema.NumFields() > 0 {
			t.Fatalf("a schema without ids: %s", schema)
		}
	})
}
