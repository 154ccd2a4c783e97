package sqlcatalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/firn-io/firn/store"
)

// Swap implements [store.Catalog]: one conditional UPDATE, or one INSERT for a new entry, in a transaction (SC1). All
// that goes wrong before its commit is a refusal, a database that stays busy and a connection that is lost among it.
// When the commit fails the outcome is unknown, unless the database is certain to have undone it. Names and
// locations that are too long for their columns are refused (SC3).
func (c *Catalog) Swap(ctx context.Context, id store.TableID, old, new string) error {
	if err := store.CheckSwap(ctx, id, new); err != nil {
		return err
	}
	err := c.checkWidths(id, new)
	if err == nil {
		err = c.swap(ctx, id, old, new)
	}
	return store.NameError("swap", id.String(), err)
}

// checkWidths refuses what a column cannot hold. The database would too, but for spaces at the end: those it cuts.
func (c *Catalog) checkWidths(id store.TableID, location string) error {
	for _, v := range []struct{ column, value string }{
		{"catalog_name", c.name}, {"table_namespace", id.Namespace}, {"table_name", id.Name},
		{"metadata_location", location}, {"previous_metadata_location", location},
	} {
		width, ok := c.widths[v.column]
		if has := utf8.RuneCountInString(v.value); ok && int64(has) > width {
			return fmt.Errorf("%w: the column %s takes %d characters, and %d are needed", store.ErrRefused, v.column, width, has)
		}
	}
	return nil
}

// swap runs the transaction.
func (c *Catalog) swap(ctx context.Context, id store.TableID, old, new string) error {
	tx, err := c.begin(ctx)
	if err != nil {
		return c.failed(store.ErrRefused, err)
	}
	defer tx.Rollback() // after a commit it does nothing
	if err := c.change(ctx, tx, id, old, new); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil { // Commit would not say whether it was tried
		return c.failed(store.ErrRefused, err)
	}
	switch err := tx.Commit(); {
	case err == nil:
		return nil
	case c.dialect.undone(err):
		return c.failed(store.ErrRefused, err)
	default:
		return c.failed(store.ErrUnknown, err)
	}
}

// begin starts a transaction.
func (c *Catalog) begin(ctx context.Context) (*sql.Tx, error) {
	tx, err := c.db.BeginTx(ctx, &sql.TxOptions{Isolation: c.dialect.isolation})
	if err != nil || c.setUp == "" {
		return tx, err
	}
	if _, err := tx.ExecContext(ctx, c.setUp); err != nil {
		tx.Rollback() // the first error says more
		return nil, err
	}
	return tx, nil
}

// failed joins the kind of an error of package store with what the database says.
func (c *Catalog) failed(kind, err error) error {
	return fmt.Errorf("%w: %w", kind, c.dialect.explain(err))
}

// change updates or inserts the row of a table.
func (c *Catalog) change(ctx context.Context, tx *sql.Tx, id store.TableID, old, new string) error {
	statement, args := c.statements.update, []any{c.name, id.Namespace, id.Name, new, old}
	if old == "" {
		statement, args = c.statements.insert, args[:4]
	}
	result, err := tx.ExecContext(ctx, statement, args...)
	if err != nil {
		return c.failed(store.ErrRefused, err)
	}
	rows, err := result.RowsAffected()
	if err != nil {
		return c.failed(store.ErrRefused, err)
	}
	if rows == 0 {
		return c.unchanged(ctx, tx, id, old)
	}
	return nil
}

// unchanged says why a statement changed no row. A row that was in the way of a new entry may be gone by now.
func (c *Catalog) unchanged(ctx context.Context, tx *sql.Tx, id store.TableID, old string) error {
	var kind sql.NullString
	err := tx.QueryRowContext(ctx, c.statements.kind, c.name, id.Namespace, id.Name).Scan(&kind)
	switch {
	case errors.Is(err, sql.ErrNoRows) && old != "":
		return store.ErrNotFound
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return c.failed(store.ErrRefused, err)
	case kind.Valid && kind.String != tableType:
		return fmt.Errorf("%w: a %s has this name", store.ErrRefused, kind.String)
	}
	return store.ErrConflict
}
