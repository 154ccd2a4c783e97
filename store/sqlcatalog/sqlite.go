package sqlcatalog

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	driver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteScheme begins the URI of a catalog in a SQLite database.
const sqliteScheme = "sqlite:"

// sqlite is the dialect of SQLite.
var sqlite = dialect{explain: explainSQLite, undone: undoneSQLite, lacksTable: lacksTableSQLite}

// openSQLite opens the database of a catalog. Transactions take the write lock when they begin: a busy database
// shows itself before anything was changed.
func (o Options) openSQLite(uri string) (*sql.DB, error) {
	path, err := sqlitePath(uri)
	if err != nil {
		return nil, err
	}
	// SQLite's own error for a missing file or folder does not say what is missing.
	needed := filepath.Dir(path) + string(filepath.Separator)
	if o.Existing {
		needed = path
	}
	if _, err := os.Stat(needed); err != nil {
		return nil, err
	}
	query := url.Values{
		"_busy_timeout": {strconv.FormatInt(cmp.Or(o.BusyTimeout, 10*time.Second).Milliseconds(), 10)},
		"_error_rc":     {"1"},
		"_synchronous":  {"EXTRA"},
		"_txlock":       {"immediate"},
	}
	if o.Existing {
		query.Set("mode", "rw")
	}
	source := url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}
	db, err := sql.Open("sqlite", source.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// sqlitePath returns the absolute path of the database file.
func sqlitePath(uri string) (string, error) {
	path := strings.TrimPrefix(uri, sqliteScheme)
	if path == "" {
		return "", fmt.Errorf("%w: the path of the database is missing", ErrAddress)
	}
	return filepath.Abs(path)
}

// primary returns the kind of a SQLite error, without the details that the extended code adds.
func primary(err error) int {
	var sqliteErr *driver.Error
	if errors.As(err, &sqliteErr) {
		return sqliteErr.Code() & 0xff
	}
	return sqlite3.SQLITE_OK
}

// explainSQLite adds the operating system's name for troubles that have one.
func explainSQLite(err error) error {
	switch primary(err) {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%w: %w", err, syscall.ENOSPC)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return fmt.Errorf("%w: %w", err, fs.ErrPermission)
	}
	return err
}

// undoneSQLite knows one case: a commit that found the database busy, with readers for instance, has been rolled
// back. All other errors may come from a commit that is complete in the journal.
func undoneSQLite(err error) bool { return primary(err) == sqlite3.SQLITE_BUSY }

// lacksTableSQLite takes SQLite's error for all that is wrong in a statement, since there is none for this alone.
func lacksTableSQLite(err error) bool { return primary(err) == sqlite3.SQLITE_ERROR }
