package tree_test

import (
	"testing"

	"github.com/firn-io/firn/tree"
	"pgregory.net/rapid"
)

// B31: plain joining, and a scheme is what RFC 3986 calls one.
func TestResolve(t *testing.T) {
	tests := []struct{ location, want string }{
		{"data/f.parquet", "s3://b/t/data/f.parquet"},
		{"/data/f.parquet", "s3://b/t//data/f.parquet"},
		{"data//f.parquet", "s3://b/t/data//f.parquet"},
		{"../x.parquet", "s3://b/t/../x.parquet"},
		{"./x.parquet", "s3://b/t/./x.parquet"},
		{"a%20b.parquet", "s3://b/t/a%20b.parquet"},
		{"a b.parquet", "s3://b/t/a b.parquet"},
		{"ts=2026-01-01T10:00/f.parquet", "s3://b/t/ts=2026-01-01T10:00/f.parquet"},
		{"S3://b/t/f", "S3://b/t/f"},
		{"file:/wh/f", "file:/wh/f"},
		{"hdfs://wh/db/table/data/f.parquet", "hdfs://wh/db/table/data/f.parquet"},
	}
	for _, test := range tests {
		if got := tree.Resolve("s3://b/t", test.location); got != test.want {
			t.Errorf("%q resolves to %q, want %q", test.location, got, test.want)
		}
	}
	if got := tree.Resolve("s3://b/t/", "data/f.parquet"); got != "s3://b/t//data/f.parquet" {
		t.Errorf("a trailing slash of the table location is not kept: %q", got)
	}
}

func TestIsAbsolute(t *testing.T) {
	tests := map[string]bool{
		"":                false,
		":":               false,
		":x/f":            false,
		"-x:y/f":          false,
		"2026:11/f":       false,
		"+a:b":            false,
		".a:b":            false,
		"/a:b":            false,
		"a/b:c":           false,
		"a b:c":           false,
		"ä:b":             false,
		"aä:b":            false,
		"a":               false,
		"data/f.parquet":  false,
		"a:":              true,
		"Z:f":             true,
		"s3://b":          true,
		"x-y.z+1:opaque":  true,
		"data-10:00.parq": true,
	}
	for location, want := range tests {
		if got := tree.IsAbsolute(location); got != want {
			t.Errorf("IsAbsolute(%q) = %v", location, got)
		}
	}
}

// B31: only what lies below the table is relative, and only if it reads back as what it was.
func TestRelativize(t *testing.T) {
	tests := []struct{ location, want string }{
		{"s3://b/t/f", "f"},
		{"s3://b/t/data/a b%20+.parquet", "data/a b%20+.parquet"},
		{"s3://b/t//data/f", "/data/f"},
		{"s3://b/t/../f", "../f"},
		{"s3://b/table2/f", "s3://b/table2/f"},
		{"s3://b/t", "s3://b/t"},
		{"s3://b/t/", "s3://b/t/"},
		{"S3://b/t/f", "S3://b/t/f"},
		{"s3://b/t/data-10:00.parquet", "s3://b/t/data-10:00.parquet"},
		{"s3://b/t/d/data-10:00.parquet", "d/data-10:00.parquet"},
		{"s3://b/t/2026:11.parquet", "2026:11.parquet"},
	}
	for _, test := range tests {
		if got := tree.Relativize("s3://b/t", test.location); got != test.want {
			t.Errorf("%q is stored as %q, want %q", test.location, got, test.want)
		}
	}
	if got := tree.Relativize("s3://b/t/", "s3://b/t/data/f"); got != "s3://b/t/data/f" {
		t.Errorf("below a table location with a trailing slash: %q", got)
	}
}

func TestRelativizeThenResolveIsTheLocation(t *testing.T) {
	part := rapid.StringMatching(`[a-zA-Z0-9/:.+ %-]{0,12}`)
	rapid.Check(t, func(t *rapid.T) {
		table := "s3://b/" + part.Draw(t, "table")
		location := rapid.SampledFrom([]string{table, table + "/", "s3://b/", "gs:"}).Draw(t, "prefix") + part.Draw(t, "rest")
		stored := tree.Relativize(table, location)
		if got := tree.Resolve(table, stored); got != location {
			t.Errorf("%q below %q is stored as %q and resolves to %q", location, table, stored, got)
		}
	})
}

func TestFromLegacy(t *testing.T) {
	tests := []struct{ location, want string }{
		{"/wh/t/f.parquet", "file:///wh/t/f.parquet"},
		{"file:/wh/t/f.parquet", "file:/wh/t/f.parquet"},
		{"hdfs://nn/wh/f", "hdfs://nn/wh/f"},
		{"wh/t/f", "file:wh/t/f"},
	}
	for _, test := range tests {
		if got := tree.FromLegacy(test.location, "file"); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.location, got, test.want)
		}
	}
}
