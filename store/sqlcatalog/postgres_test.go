package sqlcatalog_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/firn-io/firn/internal/pgtest"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/sqlcatalog"
)

// secret is the password that no error may hold.
const secret = "s3cret"

// at returns the URI of a server with other parts: user and password, host and port, database.
func at(t *testing.T, server string, user *url.Userinfo, host, database string) string {
	t.Helper()
	uri, err := url.Parse(server)
	must(t, err)
	uri.User = user
	if host != "" {
		uri.Host = host
	}
	if database != "" {
		uri.Path = "/" + database
	}
	return uri.String()
}

// closedPort returns an address where nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

func TestOpenPostgresFails(t *testing.T) {
	server, schema := pgtest.Server(t), pgtest.Schema(t)
	own, err := url.Parse(server)
	must(t, err)
	someone, nowhere := url.UserPassword("someone", secret), closedPort(t)
	existing := sqlcatalog.Options{Existing: true}
	for _, c := range []struct {
		name, uri string
		options   sqlcatalog.Options
		want      string
		is        error
	}{
		{"wrong password", at(t, server, url.UserPassword(own.User.Username(), secret), "", ""), sqlcatalog.Options{},
			"password authentication failed", fs.ErrPermission},
		{"unknown user", at(t, server, someone, "", ""), sqlcatalog.Options{}, "check user and password", fs.ErrPermission},
		{"no such database", at(t, server, own.User, "", "missing"), sqlcatalog.Options{}, "create the database", fs.ErrNotExist},
		{"no such schema", with(t, server, "options", "-csearch_path=missing"), sqlcatalog.Options{}, "create the schema", fs.ErrNotExist},
		{"no tables", schema, existing, "no catalog was made", fs.ErrNotExist},
		{"nobody listens", at(t, server, someone, nowhere, ""), sqlcatalog.Options{}, "check that a PostgreSQL server runs there", syscall.ECONNREFUSED},
		{"nobody listens, with TLS first", "postgres://someone:" + secret + "@" + nowhere + "/db", existing,
			"check that a PostgreSQL server runs there", syscall.ECONNREFUSED},
		{"no such host", at(t, server, someone, "host.invalid:5432", ""), sqlcatalog.Options{}, "check the name of the host", nil},
		{"no such certificate", "postgres://h/db?sslmode=verify-full&sslrootcert=/no/such&password=" + secret, sqlcatalog.Options{},
			"open /no/such", fs.ErrNotExist},
	} {
		t.Run(c.name, func(t *testing.T) {
			catalog, err := c.options.Open(t.Context(), c.uri)
			if err == nil || catalog != nil || !strings.HasPrefix(err.Error(), "catalog postgres://") ||
				!strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
				t.Fatalf("Open: %v, want %s", err, c.want)
			}
			silent(t, err)
		})
	}
}

// silent checks that an error is one line without passwords.
func silent(t *testing.T, err error, passwords ...string) {
	t.Helper()
	text := fmt.Sprintf("%+v", err)
	for _, hidden := range append(passwords, secret, "\n") {
		if strings.Contains(text, hidden) {
			t.Errorf("the error holds %q: %s", hidden, text)
		}
	}
}

// TestMalformedAddresses has addresses that cannot be read, or not as they were meant: none is quoted.
func TestMalformedAddresses(t *testing.T) {
	for _, uri := range []string{
		"postgres:user:" + secret + "@host/db",
		"postgresql:/user:" + secret + "@host/db",
		"postgres://user:" + secret + "@host:port/db",
		"postgres://user:%zz" + secret + "@host/db",
		"postgres://user:12/" + secret + "@host/db",
		"postgres://user:" + secret + "/12@host/db",
		"postgres://user:12@" + secret + "@host/db",
		"postgres://user:12@first," + secret + "@host/db",
		"postgres://user:" + secret + "@[::1/db",
		"postgres://host/db?password=" + secret + "&sslmode=wrong",
		"postgres://host/db?password=" + secret + "&connect_timeout=x",
		"mysql://user:" + secret + "@host/db",
	} {
		catalog, err := sqlcatalog.Open(t.Context(), uri)
		if catalog != nil || !errors.Is(err, sqlcatalog.ErrAddress) || strings.Contains(err.Error(), secret) {
			t.Errorf("Open(%q): %v, want ErrAddress without the password", uri, err)
		}
	}
}

// TestAddressIsShownWithoutPassword prints and logs an open catalog.
func TestAddressIsShownWithoutPassword(t *testing.T) {
	uri := pgtest.Schema(t)
	parsed, err := url.Parse(uri)
	must(t, err)
	catalog := open(t, uri)
	want := "postgres://" + parsed.User.Username() + "@" + parsed.Host + parsed.Path
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("opened", "catalog", catalog)
	if got := catalog.String(); got != want || !strings.HasSuffix(log.String(), " catalog="+want+"\n") {
		t.Errorf("shown as %s, logged as %s, want %s", got, log.String(), want)
	}
}

func TestServerStops(t *testing.T) {
	uri, stop := pgtest.Own(t)
	catalog := open(t, uri)
	must(t, catalog.Swap(t.Context(), table, "", "one"))
	stop()
	parsed, err := url.Parse(uri)
	must(t, err)
	password, _ := parsed.User.Password()
	_, err = catalog.Load(t.Context(), table)
	if err == nil || errors.Is(err, store.ErrNotFound) {
		t.Errorf("Load: %v, want an error of its own", err)
	}
	silent(t, err, password)
	for range 2 { // the first meets the lost connection, the second none
		err := catalog.Swap(t.Context(), table, "one", "two")
		oneKind(t, err, store.ErrRefused)
		silent(t, err, password)
		t.Log(err)
	}
}

func TestRights(t *testing.T) {
	uri := pgtest.Schema(t)
	must(t, open(t, uri).Swap(t.Context(), table, "", "one"))
	admin, name := raw(t, uri), "firn_test_"+strings.ToLower(rand.Text())
	run(t, admin, "CREATE ROLE "+name+" LOGIN PASSWORD '"+secret+"'")
	t.Cleanup(func() { admin.Exec("DROP OWNED BY " + name); admin.Exec("DROP ROLE " + name) })
	var schema string
	must(t, admin.QueryRowContext(t.Context(), "SELECT current_schema()").Scan(&schema))
	run(t, admin, "GRANT USAGE ON SCHEMA "+schema+" TO "+name)
	theirs := at(t, uri, url.UserPassword(name, secret), "", "")

	_, err := sqlcatalog.Open(t.Context(), theirs)
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Open without any right: %v, want %q", err, fs.ErrPermission)
	}
	silent(t, err)
	run(t, admin, "GRANT SELECT ON iceberg_tables TO "+name)
	catalog := open(t, theirs)
	if location, err := catalog.Load(t.Context(), table); location != "one" || err != nil {
		t.Errorf("Load = %q, %v", location, err)
	}
	for want, catalog := range map[error]*sqlcatalog.Catalog{
		fs.ErrPermission: catalog,
		syscall.EROFS:    open(t, with(t, uri, "options", "-cdefault_transaction_read_only=on")),
	} {
		err := catalog.Swap(t.Context(), table, "one", "two")
		oneKind(t, err, store.ErrRefused)
		silent(t, err)
		if !errors.Is(err, want) {
			t.Errorf("Swap: %v, want %q", err, want)
		}
	}
}

func TestWidths(t *testing.T) {
	ctx, uri := t.Context(), pgtest.Schema(t)
	catalog := open(t, uri)
	full := strings.Repeat("å", 1000)
	long := store.TableID{Namespace: "demo", Name: strings.Repeat("n", 256)}
	must(t, catalog.Swap(ctx, table, "", "one"), catalog.Swap(ctx, table, "one", full), catalog.Swap(ctx, table, full, "one"))
	for _, c := range []struct {
		id       store.TableID
		new, out string
	}{
		{table, full + "x", "refused by the catalog: the column metadata_location takes 1000 characters, and 1001 are needed"},
		{table, full + " ", "the column metadata_location takes 1000 characters, and 1001 are needed"},
		{store.TableID{Namespace: long.Name, Name: "n"}, "one", "the column table_namespace takes 255 characters, and 256 are needed"},
		{long, "one", "the column table_name takes 255 characters, and 256 are needed"},
		{table, "nul\x00", "invalid byte sequence"},
		{table, "no UTF-8: \xff", "invalid byte sequence"},
	} {
		old := ""
		if c.id == table {
			old = "one"
		}
		err := catalog.Swap(ctx, c.id, old, c.new)
		oneKind(t, err, store.ErrRefused)
		if !strings.Contains(err.Error(), c.out) {
			t.Errorf("Swap: %v, want %s", err, c.out)
		}
	}
	if location, err := catalog.Load(ctx, table); location != "one" || err != nil {
		t.Errorf("Load = %q, %v", location, err)
	}
	if _, err := catalog.Load(ctx, long); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Load of a long name: %v, want ErrNotFound", err)
	}
	run(t, raw(t, uri), "ALTER TABLE iceberg_tables ALTER metadata_location TYPE text, ALTER previous_metadata_location TYPE varchar")
	must(t, open(t, uri).Swap(ctx, table, "one", full+full))
}
