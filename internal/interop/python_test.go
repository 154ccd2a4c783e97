package interop_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/leaf"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/rootmanifest"
	"github.com/firn-io/firn/tree"
)

// readerTypes are the names that readers have for the types of columns.
var readerTypes = map[string]map[string]string{
	"pyarrow": {
		"boolean": "bool", "int": "int32", "long": "int64", "float": "float", "double": "double", "date": "date32[day]",
		"time": "time64[us]", "timestamp": "timestamp[us]", "timestamptz": "timestamp[us, tz=UTC]",
		"timestamp_ns": "timestamp[ns]", "timestamptz_ns": "timestamp[ns, tz=UTC]",
		"decimal(9, 2)": "decimal128(9, 2)", "decimal(18, 4)": "decimal128(18, 4)",
		"decimal(38, 10)": "decimal128(38, 10)", "decimal(20, 0)": "decimal128(20, 0)",
		"string": "string", "binary": "binary", "uuid": "extension<arrow.uuid>", "fixed[7]": "fixed_size_binary[7]",
		"struct": "struct", "list": "list",
	},
	"duckdb": {
		"boolean": "BOOLEAN", "int": "INTEGER", "long": "BIGINT", "float": "FLOAT", "double": "DOUBLE", "date": "DATE",
		"time": "TIME", "timestamp": "TIMESTAMP", "timestamptz": "TIMESTAMP WITH TIME ZONE",
		"timestamp_ns": "TIMESTAMP_NS", "timestamptz_ns": "TIMESTAMPTZ_NS",
		"decimal(9, 2)": "DECIMAL(9,2)", "decimal(18, 4)": "DECIMAL(18,4)",
		"decimal(38, 10)": "DECIMAL(38,10)", "decimal(20, 0)": "DECIMAL(20,0)",
		"string": "VARCHAR", "binary": "BLOB", "uuid": "UUID", "fixed[7]": "BLOB",
		"struct": "struct", "list": "list",
	},
}

// dump is what a reader found in a manifest.
type dump struct {
	Columns []column
	Keys    map[string]string
	Rows    []any
}

// TestPythonReaders writes a root and a leaf in which every column has values, and manifests in which most have none,
// and compares what pyarrow and DuckDB find in them, column by column and row by row, with what was written.
func TestPythonReaders(t *testing.T) {
	command := python(t)
	manifests := []struct {
		name  string
		write func(io.Writer, manifestio.Schema, []tree.Entry) (int64, error)
		rows  []tree.Entry
	}{
		{"root", rootmanifest.Write, sampleRoot(t)},
		{"leaf", leaf.Write, sampleLeaf(t)},
		{"plain-leaf", leaf.Write, []tree.Entry{plainFile(tree.Added, "data/plain.parquet")}},
		{"empty-root", rootmanifest.Write, nil},
	}
	folder := t.TempDir()
	var files []string
	for _, m := range manifests {
		var b bytes.Buffer
		_, err := m.write(&b, sampleSchema(t), m.rows)
		must(t, err)
		files = append(files, filepath.Join(folder, m.name+".parquet"))
		must(t, os.WriteFile(files[len(files)-1], b.Bytes(), 0o644))
	}
	found := readWithPython(t, command, files)
	for i, m := range manifests {
		for reader, types := range readerTypes {
			t.Run(m.name+"/"+reader, func(t *testing.T) {
				got := found[files[i]][reader]
				if diff := cmp.Diff(wantDump(t, m.rows, types), got); diff != "" {
					t.Errorf("(-written +read):\n%s", diff)
				}
				t.Logf("%d columns, %d rows", len(got.Columns), len(got.Rows))
			})
		}
	}
}

// readWithPython returns what each reader found, by file.
func readWithPython(t *testing.T, command string, files []string) map[string]map[string]dump {
	t.Helper()
	var out, report bytes.Buffer
	script := exec.CommandContext(t.Context(), command, append([]string{"testdata/read_manifests.py"}, files...)...)
	script.Stdout, script.Stderr = &out, &report
	if err := script.Run(); err != nil {
		t.Fatalf("%v: %s", err, report.String())
	}
	var found map[string]map[string]dump
	decode(t, out.Bytes(), &found)
	return found
}

// wantDump is what a reader should find.
func wantDump(t *testing.T, entries []tree.Entry, types map[string]string) dump {
	t.Helper()
	var all []any
	for _, e := range entries {
		all = append(all, e)
	}
	fields := writtenOf(wantManifest(t), all, true)
	d := dump{
		Columns: columnsOf("", fields, types),
		Keys:    map[string]string{"schema-id": "7", "format-version": "4"},
		Rows:    []any{},
	}
	for _, e := range all {
		d.Rows = append(d.Rows, row(fields, e))
	}
	text, err := json.Marshal(d)
	must(t, err)
	var same dump // with the types that decoding gives
	decode(t, text, &same)
	return same
}

// decode reads JSON; numbers stay as they are written.
func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	must(t, d.Decode(into))
}

// bitmap returns Mumbling bytes.
func bitmap(t *testing.T, positions ...uint32) []byte {
	t.Helper()
	b, err := mdv.Of(positions...)
	must(t, err)
	data, err := b.AppendBinary(nil)
	must(t, err)
	return data
}
