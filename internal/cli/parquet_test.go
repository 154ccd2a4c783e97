package cli_test

import (
	"os"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// visit is a row of the tables whose files the tests write themselves.
type visit struct {
	ID     int64  `parquet:"id"`
	Region string `parquet:"region"`
}

const visitSchema = `{"fields": [{"name": "id", "type": "long"}, {"name": "region", "type": "string"}]}`

// newVisits creates the table a.b of visits, partitioned by region, in a new working folder.
func newVisits(t *testing.T) string {
	t.Helper()
	folder := in(t)
	writeFile(t, "schema.json", []byte(visitSchema))
	do(t, "init", "a.b", "--schema", "schema.json", "--partition", "region")
	return folder
}

// writeParquet writes a Parquet file.
func writeParquet[T any](t *testing.T, path string, rows ...T) {
	t.Helper()
	if err := parquet.WriteFile(path, rows); err != nil {
		t.Fatal(err)
	}
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
