// Package sqlcatalog keeps catalog entries in a SQL database, in the tables that Iceberg's JDBC and SQL catalogs
// share, so that other engines find the same tables there. The database is SQLite, in a local file.
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
	"time"

	"github.com/firn-io/firn/store"
)

// Options say how a catalog is opened; they are used by [Options.Open].
type Options struct {
	// Name is the catalog's name within the database, which can hold several. The default is "firn".
	Name string
	// Existing opens only what is there: no database and no tables are made.
	Existing bool
	// BusyTimeout is how long a call waits while another process changes the database. The default is 10 s.
	BusyTimeout time.Duration
}

// Catalog is a [store.Catalog] in a SQL database. It uses one connection, so that the writers of a process take
// turns. Make it with [Open] or [Options.Open], and close it after use.
type Catalog struct {
	db         *sql.DB
	name       string
	dialect    dialect
	statements statements
}

var _ store.Catalog = (*Catalog)(nil)

// dialect is what one kind of database does in its own way.
type dialect struct {
	// explain adds to an error what the operating system would call it, if that is known.
	explain func(err error) error
	// undone reports whether a failed commit is certain to have had no effect.
	undone func(err error) bool
}

// Open opens the catalog at sqlite:PATH, or at PATH, with the default options.
func Open(ctx context.Context, uri string) (*Catalog, error) { return Options{}.Open(ctx, uri) }

// Open opens the catalog at sqlite:PATH, or at PATH, which is taken literally. Database and tables are made if
// they are missing, but no folder. The journal mode of the database stays as it is; a new one gets SQLite's
// default, a rollback journal, which unlike WAL leaves no files behind it and works where no memory can be
// shared. Every commit is synced to the medium.
func (o Options) Open(ctx context.Context, uri string) (*Catalog, error) {
	db, err := o.openSQLite(uri)
	if err != nil {
		return nil, fmt.Errorf("catalog %s: %w", uri, err)
	}
	c := &Catalog{db: db, name: cmp.Or(o.Name, "firn"), dialect: sqlite}
	if err := c.prepare(ctx, o.Existing); err != nil {
		db.Close() // the first error says more
		return nil, fmt.Errorf("catalog %s: %w", uri, c.dialect.explain(err))
	}
	return c, nil
}

// Close closes the connection.
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
