package sqlcatalog

import (
	"database/sql/driver"
	"errors"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
)

// The codes of PostgreSQL that more than their advice depends on.
const (
	undefinedTable    = "42P01"
	rolledBackClass   = "40"
	completionUnknown = "40003"
)

// advice says what to do about an error that the server reported, and what the operating system would call it.
type advice struct {
	kind error // nil if there is none
	text string
}

var advices = map[string]advice{
	"28000":        {fs.ErrPermission, "check the user, and what the server's pg_hba.conf lets in"},
	"28P01":        {fs.ErrPermission, "check user and password; PGPASSWORD or a password file can give the password too"},
	"3D000":        {fs.ErrNotExist, "create the database, or check its name"},
	"3F000":        {fs.ErrNotExist, "create the schema that search_path names"},
	undefinedTable: {fs.ErrNotExist, "no catalog was made in this database and search_path"},
	"42501":        {fs.ErrPermission, "the user needs the rights to read and change the tables, and to make them if they are missing"},
	"25006":        {syscall.EROFS, "name the primary server, or add target_session_attrs=read-write"},
	"53100":        {syscall.ENOSPC, "the server's disk is full"},
	"53300":        {nil, "the server has no connection left, try again later"},
	"55P03":        {nil, "another session keeps the row or the table locked, try again later"},
	"57P01":        {nil, "the server was stopped, try again later"},
	"57P03":        {nil, "the server is starting or stopping, try again later"},
}

// explained is an error with advice.
type explained struct {
	err error
	advice
}

// Error implements error: one line, whatever the driver and the server say.
func (e *explained) Error() string {
	var said []string
	for line := range strings.Lines(e.err.Error()) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(said, line) {
			said = append(said, line)
		}
	}
	if e.text != "" {
		said = append(said, e.text)
	}
	return strings.ReplaceAll(strings.Join(said, "; "), ":; ", ": ")
}

// Unwrap returns the driver's error and the operating system's.
func (e *explained) Unwrap() []error {
	if e.kind == nil {
		return []error{e.err}
	}
	return []error{e.err, e.kind}
}

// explainPostgres adds advice by the server's code, or by what became of the connection.
func explainPostgres(err error) error {
	known, ok := advices[sqlState(err)]
	var connect *pgconn.ConnectError
	var lookup *net.DNSError
	switch {
	case ok:
	case errors.As(err, &lookup):
		known.text = "check the name of the host"
	case errors.As(err, &connect):
		known.text = "check that a PostgreSQL server runs there and can be reached"
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, pgconn.ErrConnClosed), errors.Is(err, io.ErrUnexpectedEOF):
		known.text = "the connection to the server was lost"
	}
	return &explained{err, known}
}
