// Package sqlcatalog keeps catalog entries in a SQL database, in the tables that Iceberg's JDBC and SQL catalogs
// share, so that other engines find the same tables there. The database is SQLite, in a local file, or PostgreSQL,
// on a server.
//
// An entry is one row of iceberg_tables: catalog_name, table_namespace and table_name are its key, the namespace
// with its levels joined by dots; metadata_location is the cell that a swap changes, previous_metadata_location
// what stood there before; iceberg_type is TABLE, or null in rows that older clients wrote. Rows of another type,
// views, are no tables: they are not found, and their names cannot be created. A database made by a client that
// knows no iceberg_type is used as it is, without that column. The second table, iceberg_namespace_properties, is
// made for the others' sake and not used: a namespace is there when it has a table.
package sqlcatalog

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/firn-io/firn/store"
)

// Options say how a catalog is opened; they are used by [Options.Open].
type Options struct {
	// Name is the catalog's name within the database, which can hold several. The default is "firn".
	Name string
	// Existing opens only what is there: no database and no tables are made.
	Existing bool
	// BusyTimeout is how long a call waits while another process changes the database. The default is 10 s; in
	// PostgreSQL it bounds each wait for a lock, and the default gives way to a lock_timeout in the URI.
	BusyTimeout time.Duration
}

// ErrAddress says that a URI is not the address of a catalog; nothing was opened.
var ErrAddress = errors.New("no address of a catalog")

// Catalog is a [store.Catalog] in a SQL database. In SQLite it uses one connection, so that the writers of a process
// take turns; in PostgreSQL a few. Make it with [Open] or [Options.Open], and close it after use.
type Catalog struct {
	db      *sql.DB
	name    string
	address string
	dialect dialect
	// setUp is executed at the start of each transaction, if it is not empty.
	setUp      string
	statements statements
	// widths are the characters that columns take, by the column's name; a missing one takes any number.
	widths map[string]int64
}

var _ store.Catalog = (*Catalog)(nil)

// dialect is what one kind of database does in its own way.
type dialect struct {
	// isolation is that of all transactions.
	isolation sql.IsolationLevel
	// fixedWidths says that the widths of columns are enforced.
	fixedWidths bool
	// explain adds to an error what the operating system would call it, or what to do, if that is known.
	explain func(err error) error
	// undone reports whether a failed commit is certain to have had no effect.
	undone func(err error) bool
	// lacksTable reports whether a query failed because its table is not there.
	lacksTable func(err error) bool
}

// Open opens the catalog at a URI with the default options; see [Options.Open].
func Open(ctx context.Context, uri string) (*Catalog, error) { return Options{}.Open(ctx, uri) }

// Open opens the catalog at sqlite:PATH, at PATH, or at postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETERS.
// The tables are made if they are missing. An address that cannot be read is an error that wraps [ErrAddress].
//
// A PATH is taken literally. Its database is made if it is missing, but no folder. The journal mode of the
// database stays as it is; a new one gets SQLite's default, a rollback journal, which unlike WAL leaves no files
// behind it and works where no memory can be shared. Every commit is synced to the medium.
//
// A postgres: or postgresql: URI is one of libpq's, and what it leaves out is taken from libpq's environment
// variables and files, the password among it. The tables are those that the search_path finds; parameters that
// libpq does not know, search_path itself for instance, go to the server. Neither database nor schema is made.
// Commits are as durable as the server's synchronous_commit says. No error holds a password.
func (o Options) Open(ctx context.Context, uri string) (*Catalog, error) {
	c, err := o.connect(uri)
	if err != nil {
		return nil, fmt.Errorf("catalog %s: %w", c.address, err)
	}
	if err := c.prepare(ctx, o.Existing); err != nil {
		c.db.Close() // the first error says more
		return nil, fmt.Errorf("catalog %s: %w", c.address, c.dialect.explain(err))
	}
	return c, nil
}

// connect returns a catalog whose tables have not been looked at. It has an address even where there is an error.
func (o Options) connect(uri string) (*Catalog, error) {
	c := &Catalog{name: cmp.Or(o.Name, "firn"), address: uri, dialect: sqlite}
	kind, _, _ := strings.Cut(uri, ":")
	var err error
	switch scheme, _, ok := strings.Cut(uri, "://"); {
	case kind == "postgres", kind == "postgresql":
		c.dialect, c.address = postgres, kind+"://…"
		err = o.openPostgres(c, uri)
	case ok && kind != "sqlite":
		c.address = scheme + "://…"
		err = fmt.Errorf("%w: sqlite:PATH and postgres://… are opened here", ErrAddress)
	default:
		c.db, err = o.openSQLite(uri)
	}
	return c, err
}

// String returns the address of the catalog without password and parameters.
func (c *Catalog) String() string { return c.address }

// Close closes the connections.
func (c *Catalog) Close() error { return c.db.Close() }

// Load implements [store.Catalog].
func (c *Catalog) Load(ctx context.Context, id store.TableID) (string, error) {
	location, err := c.load(ctx, id)
	return location, store.NameError("load", id.String(), err)
}

// load reads the row of a table.
func (c *Catalog) load(ctx context.Context, id store.TableID) (string, error) {
	var location sql.NullString
	err := c.db.QueryRowContext(ctx, c.statements.load, c.name, id.Namespace, id.Name).Scan(&location)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", store.ErrNotFound
	case err != nil:
		return "", c.dialect.explain(err)
	case location.String == "":
		return "", errors.New("the catalog has the table, but no metadata location of it")
	}
	return location.String, nil
}

// List returns the tables of the catalog, sorted by namespace and name.
func (c *Catalog) List(ctx context.Context) ([]store.TableID, error) {
	ids, err := c.list(ctx)
	return ids, store.NameError("list", "catalog "+c.name, err)
}

// list reads the keys of all rows. It is done with them before it returns, since they hold the connection.
func (c *Catalog) list(ctx context.Context) ([]store.TableID, error) {
	rows, err := c.db.QueryContext(ctx, c.statements.list, c.name)
	if err != nil {
		return nil, c.dialect.explain(err)
	}
	defer rows.Close()
	var ids []store.TableID
	for rows.Next() {
		var id store.TableID
		if err := rows.Scan(&id.Namespace, &id.Name); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		return nil, c.dialect.explain(err)
	}
	slices.SortFunc(ids, store.TableID.Compare)
	return ids, nil
}
