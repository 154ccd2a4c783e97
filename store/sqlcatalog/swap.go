package sqlcatalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/firn-io/firn/store"
)

// Swap implements [store.Catalog]: one conditional UPDATE, or one INSERT for a new entry, in a transaction. All
// that goes wrong before its commit is a refusal, a database that stays busy among it. When the commit fails the
// outcome is unknown, unless the database is certain to have undone it.
func (c *Catalog) Swap(ctx context.Context, id store.TableID, old, new string) error {
	if err := store.CheckSwap(ctx, id, new); err != nil {
		return err
	}
	return store.NameError("swap", id.String(), c.swap(ctx, id, old, new))
}

// swap runs the transaction.
func (c *Catalog) swap(ctx context.Context, id store.TableID, old, new string) error {
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return c.failed(store.ErrRefused, err)
	}
	defer tx.Rollback() // after a commit it does nothing
	if err := c.change(ctx, tx, id, old, new); err != nil {
		return err
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
		return c.unchanged(ctx, tx, id)
	}
	return nil
}

// unchanged says why a statement changed no row.
func (c *Catalog) unchanged(ctx context.Context, tx *sql.Tx, id store.TableID) error {
	var kind sql.NullString
	err := tx.QueryRowContext(ctx, c.statements.kind, c.name, id.Namespace, id.Name).Scan(&kind)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return store.ErrNotFound
	case err != nil:
		return c.failed(store.ErrRefused, err)
	case kind.Valid && kind.String != tableType:
		return fmt.Errorf("%w: a %s has this name", store.ErrRefused, kind.String)
	}
	return store.ErrConflict
}
