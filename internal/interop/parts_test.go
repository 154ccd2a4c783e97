package interop_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/firn-io/firn/internal/testparts"
)

// python returns the Python that has pyarrow, DuckDB and pyiceberg.
func python(t *testing.T) string {
	t.Helper()
	command := os.Getenv("FIRN_PYTHON")
	if command == "" {
		command = filepath.Join("..", "..", ".venv", "bin", "python")
	}
	if _, err := os.Stat(command); err != nil {
		testparts.Missing(t, testparts.Python, "%v: FIRN_PYTHON names a Python with the packages of testdata/interop/requirements.txt", err)
	}
	return command
}

// javaReader returns the command that reads tables with Apache's Java libraries.
func javaReader(t *testing.T) string {
	t.Helper()
	command := os.Getenv("FIRN_JAVA_READER")
	if command == "" {
		testparts.Missing(t, testparts.Java, "FIRN_JAVA_READER is not set")
	}
	return command
}
