package sqlcatalog_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/firn-io/firn/internal/pgtest"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/sqlcatalog"
	"github.com/firn-io/firn/store/storetest"
)

// with returns the URI with a parameter set, for options: with one more.
func with(t *testing.T, uri, key, value string) string {
	t.Helper()
	u, err := url.Parse(uri)
	must(t, err)
	query := u.Query()
	if key == "options" {
		value = query.Get(key) + " " + value
	}
	query.Set(key, value)
	u.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20")
	return u.String()
}

// oneKind checks that a failed swap says one thing, on one line.
func oneKind(t *testing.T, err, want error) {
	t.Helper()
	if err == nil {
		t.Fatalf("Swap succeeds, want %q", want)
	}
	for _, kind := range []error{store.ErrRefused, store.ErrUnknown, store.ErrConflict, store.ErrNotFound} {
		if errors.Is(err, kind) != (kind == want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("Swap: %v, want %q alone", err, want)
		}
	}
}

// TestLostConnections loses the connection, or ends the context, at each message of a swap, before the server got it
// and after the server has answered.
func TestLostConnections(t *testing.T) {
	for _, c := range []struct {
		at, old string
		want    error
	}{
		{"begin isolation", "one", store.ErrRefused},
		{"SET LOCAL lock_timeout", "one", store.ErrRefused},
		{"UPDATE iceberg_tables", "one", store.ErrRefused},
		{"commit\x00", "one", store.ErrUnknown},
		{"INSERT INTO iceberg_tables", "", store.ErrRefused},
		{"commit\x00", "", store.ErrUnknown},
	} {
		for _, lands := range []bool{false, true} {
			for _, cancels := range []bool{false, true} {
				name := fmt.Sprintf("%s from %q, lands %t, cancels %t", strings.TrimSuffix(c.at, "\x00"), c.old, lands, cancels)
				t.Run(name, func(t *testing.T) { loseConnection(t, cut{at: c.at, lands: lands}, cancels, c.old, c.want) })
			}
		}
	}
}

// loseConnection swaps from old to two through a proxy and compares the class of the error with what happened.
func loseConnection(t *testing.T, c cut, cancels bool, old string, want error) {
	uri := pgtest.Schema(t)
	direct := open(t, uri)
	if old != "" {
		must(t, direct.Swap(t.Context(), table, "", old))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if cancels {
		c.then = cancel
	}
	catalog := open(t, through(t, uri, c))
	err := catalog.Swap(ctx, table, old, "two")
	oneKind(t, err, want)
	if cancels && !errors.Is(err, context.Canceled) {
		t.Errorf("Swap: %v, want one that wraps context.Canceled", err)
	}
	holds := old
	if want == store.ErrUnknown && c.lands {
		holds = "two"
	}
	location, err := direct.Load(t.Context(), table)
	if location != holds || (err != nil) != (holds == "") {
		t.Errorf("Load after it = %q, %v, want %q", location, err, holds)
	}
	must(t, catalog.Swap(t.Context(), table, holds, "three"))
}

// TestCommitAnsweredByAnError has a trigger fail at the commit. What is not known to be undone is unknown.
func TestCommitAnsweredByAnError(t *testing.T) {
	for code, want := range map[string]error{
		"40001": store.ErrRefused, "40P01": store.ErrRefused, "40003": store.ErrUnknown, "P0001": store.ErrUnknown,
	} {
		t.Run(code, func(t *testing.T) {
			uri := pgtest.Schema(t)
			catalog := open(t, uri)
			must(t, catalog.Swap(t.Context(), table, "", "one"))
			run(t, raw(t, uri), `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
					$$ BEGIN RAISE EXCEPTION E'first\nsecond' USING ERRCODE = '`+code+`'; END $$`,
				`CREATE CONSTRAINT TRIGGER fails AFTER UPDATE ON iceberg_tables DEFERRABLE INITIALLY DEFERRED
					FOR EACH ROW EXECUTE FUNCTION fail()`)
			oneKind(t, catalog.Swap(t.Context(), table, "one", "two"), want)
			if location, err := catalog.Load(t.Context(), table); location != "one" || err != nil {
				t.Errorf("Load = %q, %v", location, err)
			}
		})
	}
}

// TestAnyDefaultIsolation runs the whole suite where the server's default would make conflicts failures.
func TestAnyDefaultIsolation(t *testing.T) {
	storetest.TestCatalog(t, func(t *testing.T) store.Catalog {
		return open(t, with(t, pgtest.Schema(t), "options", "-cdefault_transaction_isolation=serializable"))
	})
}

// TestRowGoesMeanwhile has another client drop the table between the statement that changed nothing and the question
// why. A creation that met the row is a conflict all the same.
func TestRowGoesMeanwhile(t *testing.T) {
	for old, want := range map[string]error{"": store.ErrConflict, "zero": store.ErrNotFound} {
		uri := pgtest.Schema(t)
		must(t, open(t, uri).Swap(t.Context(), table, "", "one"))
		db := raw(t, uri)
		drop := func() { db.Exec("DELETE FROM iceberg_tables") }
		catalog := open(t, through(t, uri, cut{at: "SELECT iceberg_type", before: drop}))
		oneKind(t, catalog.Swap(t.Context(), table, old, "two"), want)
	}
}

// TestLockedRow has another session keep the row.
func TestLockedRow(t *testing.T) {
	soon := func(t *testing.T) context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	for _, c := range []struct {
		name    string
		timeout string
		options sqlcatalog.Options
		ctx     func(t *testing.T) context.Context
		want    string
	}{
		{"the option bounds the wait", "", sqlcatalog.Options{BusyTimeout: time.Microsecond}, (*testing.T).Context, "another session keeps"},
		{"the URI bounds the wait", "1", sqlcatalog.Options{}, (*testing.T).Context, "another session keeps"},
		{"the context ends the wait", "", sqlcatalog.Options{}, soon, context.DeadlineExceeded.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			uri := pgtest.Schema(t)
			waits := uri
			if c.timeout != "" {
				waits = with(t, uri, "lock_timeout", c.timeout)
			}
			catalog, err := c.options.Open(t.Context(), waits)
			must(t, err)
			defer catalog.Close()
			must(t, catalog.Swap(t.Context(), table, "", "one"))
			release := hold(t, uri, "BEGIN", "SELECT * FROM iceberg_tables FOR UPDATE")
			err = catalog.Swap(c.ctx(t), table, "one", "two")
			oneKind(t, err, store.ErrRefused)
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("Swap: %v, want %s", err, c.want)
			}
			release()
			must(t, catalog.Swap(t.Context(), table, "one", "three"))
		})
	}
}
