package sqlcatalog

import (
	"context"
	"database/sql"
)

// tableType is the iceberg_type of a table.
const tableType = "TABLE"

// createTables are the statements that make the tables. The widths are those of the other clients; PostgreSQL
// enforces them, SQLite does not (SC3).
var createTables = []string{
	`CREATE TABLE IF NOT EXISTS iceberg_tables (
		catalog_name VARCHAR(255) NOT NULL,
		table_namespace VARCHAR(255) NOT NULL,
		table_name VARCHAR(255) NOT NULL,
		metadata_location VARCHAR(1000),
		previous_metadata_location VARCHAR(1000),
		iceberg_type VARCHAR(5),
		PRIMARY KEY (catalog_name, table_namespace, table_name))`,
	`CREATE TABLE IF NOT EXISTS iceberg_namespace_properties (
		catalog_name VARCHAR(255) NOT NULL,
		namespace VARCHAR(255) NOT NULL,
		property_key VARCHAR(255) NOT NULL,
		property_value VARCHAR(1000),
		PRIMARY KEY (catalog_name, namespace, property_key))`,
}

// statements are the texts of all queries and changes. Their parameters, in this order as far as they need
// them: catalog, namespace, name, new location, old location.
type statements struct {
	load, list, kind, insert, update string
}

// newStatements returns the statements for a database whose rows have an iceberg_type, or have none.
func newStatements(typed bool) statements {
	const row = " WHERE catalog_name = $1 AND table_namespace = $2 AND table_name = $3"
	isTable, kind, column, value := "", "'"+tableType+"'", "", ""
	if typed {
		isTable = " AND (iceberg_type = '" + tableType + "' OR iceberg_type IS NULL)"
		kind, column, value = "iceberg_type", ", iceberg_type", ", '"+tableType+"'"
	}
	return statements{
		load: "SELECT metadata_location FROM iceberg_tables" + row + isTable,
		list: "SELECT table_namespace, table_name FROM iceberg_tables WHERE catalog_name = $1" + isTable,
		kind: "SELECT " + kind + " FROM iceberg_tables" + row,
		insert: "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location" + column +
			") VALUES ($1, $2, $3, $4" + value + ") ON CONFLICT DO NOTHING",
		update: "UPDATE iceberg_tables SET metadata_location = $4, previous_metadata_location = $5" +
			row + " AND metadata_location = $5" + isTable,
	}
}

// prepare looks at the tables and makes them if they are missing and may be made. Of several clients that make them
// at the same time all but one fail to, and find the tables after that.
func (c *Catalog) prepare(ctx context.Context, existing bool) error {
	columns, err := c.columns(ctx)
	if err != nil && !existing && c.dialect.lacksTable(err) {
		failed := c.create(ctx)
		if columns, err = c.columns(ctx); err != nil && failed != nil {
			err = failed
		}
	}
	if err != nil {
		return err
	}
	typed := false
	c.widths = make(map[string]int64)
	for _, column := range columns {
		typed = typed || column.Name() == "iceberg_type"
		if width, ok := column.Length(); ok && width > 0 && c.dialect.fixedWidths {
			c.widths[column.Name()] = width
		}
	}
	c.statements = newStatements(typed)
	return nil
}

// columns returns the columns of iceberg_tables.
func (c *Catalog) columns(ctx context.Context) ([]*sql.ColumnType, error) {
	rows, err := c.db.QueryContext(ctx, "SELECT * FROM iceberg_tables WHERE 1 = 0")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	return columns, rows.Err()
}

// create makes the tables, all or none.
func (c *Catalog) create(ctx context.Context) error {
	tx, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit it does nothing
	for _, statement := range createTables {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return tx.Commit()
}
