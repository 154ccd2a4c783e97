// Package pgtest gives tests a PostgreSQL server: the one that FIRN_POSTGRES names, else one that
// scripts/postgres.sh starts for as long as the test binary runs. A test that finds neither is skipped or fails as
// package testparts says.
package pgtest

import (
	"bufio"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"github.com/firn-io/firn/internal/testparts"
)

// server is a running server. It lives until it is stopped, or until nothing in this process refers to it.
type server struct {
	uri  string
	stop func() error
}

// shared is the server of all tests of this process.
var shared = sync.OnceValues(func() (server, error) {
	if uri := os.Getenv("FIRN_POSTGRES"); uri != "" {
		return server{uri: uri}, nil
	}
	return start()
})

// Server returns the URI of a server that tests share. What a test makes there it names so that others do not meet it.
func Server(t testing.TB) string {
	t.Helper()
	s, err := shared()
	check(t, err)
	return s.uri
}

// Schema returns the URI of a new, empty schema on the shared server; it is dropped when the test ends. Its parameters
// are those that libpq knows, so that clients in other languages can use it.
func Schema(t testing.TB) string {
	t.Helper()
	shared := Server(t)
	name := "firn_test_" + strings.ToLower(rand.Text())
	change(t, shared, "CREATE SCHEMA "+name)
	t.Cleanup(func() { change(t, shared, "DROP SCHEMA "+name+" CASCADE") })
	uri, err := url.Parse(shared)
	if err != nil {
		t.Fatal("FIRN_POSTGRES is no URI with one host")
	}
	query := uri.Query()
	query.Set("options", "-csearch_path="+name)
	uri.RawQuery = query.Encode()
	return uri.String()
}

// Own starts a server for one test and returns its URI and what stops it, which happens at the latest when the test
// ends.
func Own(t testing.TB) (uri string, stop func()) {
	t.Helper()
	s, err := start()
	check(t, err)
	stop = sync.OnceFunc(func() {
		if err := s.stop(); err != nil {
			t.Errorf("stopping the server: %v", err)
		}
	})
	t.Cleanup(stop)
	return s.uri, stop
}

// check ends a test that has no server.
func check(t testing.TB, err error) {
	t.Helper()
	var missing *missingError
	switch {
	case errors.As(err, &missing):
		testparts.Missing(t, testparts.Postgres, "%v", err)
	case err != nil:
		t.Fatal(err)
	}
}

// change executes a statement. It may run after the test's context has ended.
func change(t testing.TB, uri, statement string) {
	t.Helper()
	db, err := sql.Open("pgx", uri)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(context.Background(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// missingError says that the programs of a server are not on the machine.
type missingError struct{ report string }

// Error implements error.
func (e *missingError) Error() string { return e.report }

// start runs the script, which stops the server when the other end of its standard input is closed, for instance
// because this process has ended, in whatever way.
func start() (server, error) {
	script, err := findScript()
	if err != nil {
		return server{}, err
	}
	hold := exec.Command(script, "hold")
	var report strings.Builder
	hold.Stderr = &report
	in, err := hold.StdinPipe()
	if err != nil {
		return server{}, err
	}
	out, err := hold.StdoutPipe()
	if err != nil {
		return server{}, err
	}
	if err := hold.Start(); err != nil {
		return server{}, err
	}
	s := server{stop: func() error { return errors.Join(in.Close(), hold.Wait()) }}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if uri, ok := strings.CutPrefix(lines.Text(), "FIRN_POSTGRES="); ok {
			s.uri = uri
			return s, nil
		}
	}
	err = s.stop()
	if hold.ProcessState.ExitCode() == 3 {
		return server{}, &missingError{strings.TrimSpace(report.String())}
	}
	return server{}, fmt.Errorf("%s: %w: %s", script, err, report.String())
}

// findScript looks for the script upwards from the folder of the package that is tested.
func findScript() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := folder; at != filepath.Dir(at); at = filepath.Dir(at) {
		script := filepath.Join(at, "scripts", "postgres.sh")
		if _, err := os.Stat(script); err == nil {
			return script, nil
		}
	}
	return "", fmt.Errorf("scripts/postgres.sh is in no folder above %s", folder)
}
