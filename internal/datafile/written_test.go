package datafile_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/datafile"
	"github.com/firn-io/firn/tree"
)

// TestWrittenValues reads every value of files that other libraries wrote with every encoding, page version and
// codec they have.
func TestWrittenValues(t *testing.T) {
	var expected map[string]map[string][]any
	decoder := json.NewDecoder(bytes.NewReader(readFile(t, "testdata/written/expected.json")))
	decoder.UseNumber()
	if err := decoder.Decode(&expected); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/written/*-v[12]*.parquet")
	if err != nil || len(files) != 7 {
		t.Fatalf("found %d files: %v", len(files), err)
	}
	for _, name := range files {
		data := readFile(t, name)
		writer, _, _ := strings.Cut(filepath.Base(name), "-")
		for column, want := range expected[writer] {
			t.Run(filepath.Base(name)+"/"+column, func(t *testing.T) {
				values, err := datafile.Values(bytes.NewReader(data), int64(len(data)), column)
				if err != nil {
					t.Fatal(err)
				}
				var got []any
				for _, v := range values {
					got = append(got, canonical(v))
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// canonical returns a value as testdata/generate.py writes it.
func canonical(v tree.Value) any {
	switch v.Kind() {
	case tree.KindNull:
		return nil
	case tree.KindString:
		return v.Bytes()
	case tree.KindBinary, tree.KindFixed, tree.KindUUID:
		return hex.EncodeToString([]byte(v.Bytes()))
	case tree.KindDecimal:
		n, _ := v.Unscaled()
		return n.String()
	}
	b, _ := json.Marshal(v.Number())
	return json.Number(b)
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
