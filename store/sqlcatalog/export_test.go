package sqlcatalog

import (
	"context"
	"database/sql"
)

// DB returns the connection of the catalog.
func (c *Catalog) DB() *sql.DB { return c.db }

// OverDB returns a catalog over a database that holds the tables.
func OverDB(ctx context.Context, db *sql.DB) (*Catalog, error) {
	c := &Catalog{db: db, name: "firn", dialect: sqlite}
	return c, c.prepare(ctx, true)
}
