// Package testparts says what happens to a test that needs an outside part (a Python environment, a database
// server, an object store, a browser) which is not on the machine: it is skipped and says why, unless FIRN_REQUIRE names the
// part, then it fails. So nothing is skipped in silence where all parts are to be there.
package testparts

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The parts that FIRN_REQUIRE can name, a list separated by commas.
const (
	Python   = "python"
	Java     = "java"
	CGo      = "cgo"
	Postgres = "postgres"
	S3       = "s3"
	Browser  = "browser"
)

// Required reports whether FIRN_REQUIRE names the part.
func Required(part string) bool {
	return slices.Contains(strings.Split(os.Getenv("FIRN_REQUIRE"), ","), part)
}

// Missing ends a test that needs a part which is not there: skipped, or failed if the part is required.
// The format and its arguments say what is missing and how to get it.
func Missing(t testing.TB, part, format string, args ...any) {
	t.Helper()
	if Required(part) {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}
