package interop_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// python returns the Python that has pyarrow and DuckDB.
func python(t *testing.T) string {
	t.Helper()
	command := os.Getenv("FIRN_PYTHON")
	if command == "" {
		command = filepath.Join("..", "..", ".venv", "bin", "python")
	}
	if _, err := os.Stat(command); err != nil {
		missing(t, "python", "%v: FIRN_PYTHON names a Python with the packages of testdata/interop/requirements.txt", err)
	}
	return command
}

// javaReader returns the command that reads tables with Apache's Java libraries.
func javaReader(t *testing.T) string {
	t.Helper()
	command := os.Getenv("FIRN_JAVA_READER")
	if command == "" {
		missing(t, "java", "FIRN_JAVA_READER is not set")
	}
	return command
}

// missing ends a test that needs a part which is not there: skipped, or failed if FIRN_REQUIRE lists the part.
func missing(t *testing.T, part, format string, args ...any) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("FIRN_REQUIRE"), ","), part) {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}
