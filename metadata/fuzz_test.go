package metadata_test

import (
	"testing"

	"github.com/apache/iceberg-go"
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
		change(m)
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

// change makes every kind of change to a table; they may all be refused.
func change(m metadata.Table) {
	const some = 3
	for _, column := range m.Schema().Fields()[:min(some, m.Schema().NumFields())] {
		_, _ = m.EvolveSchema(metadata.PromoteColumn{Column: column.Name, Type: iceberg.TimestampType{}})
		_, _ = m.EvolveSchema(metadata.AddColumn{Parent: column.Name, Name: "x", Type: iceberg.StringType{}, Default: "x"})
		_, _ = m.EvolveSchema(metadata.DropColumn{Column: column.Name})
		_, _ = m.EvolveSpec(metadata.AddPartitionField{Column: column.Name, Transform: iceberg.IdentityTransform{}, Name: "x"})
	}
	if e, err := m.Expired(metadata.ExpiryPolicy{OlderThanMillis: optional(m.LastUpdatedMillis)}, m.LastUpdatedMillis); err == nil {
		after, _ := m.Expire(e)
		metadata.Diff(m, after)
	}
	for _, s := range m.Snapshots[:min(some, len(m.Snapshots))] {
		_, _ = m.FastForward("main", s.ID)
		_, _ = m.WithoutSnapshots(s.ID)
	}
}

// FuzzDefault takes any text as the default of a column; what is taken can be read back.
func FuzzDefault(f *testing.F) {
	for _, text := range []string{"1.00", "2026-01-31", "10:11:12", "2026-01-31T10:11:12.5", "f79c3e09-677c-4bbd-a479-3f349cb785e7", "00ff"} {
		f.Add(text)
	}
	start := wideTable(f)
	types := []iceberg.Type{
		iceberg.StringType{}, iceberg.DecimalTypeOf(38, 2), iceberg.DateType{}, iceberg.TimeType{}, iceberg.TimestampType{},
		iceberg.TimestampTzType{}, iceberg.TimestampNsType{}, iceberg.TimestampTzNsType{}, iceberg.UUIDType{}, iceberg.BinaryType{},
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, typ := range types {
			if m, err := start.EvolveSchema(metadata.AddColumn{Name: "x", Type: typ, Default: text}); err == nil {
				checkWritten(t, m)
			}
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
