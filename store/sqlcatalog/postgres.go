package sqlcatalog

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// postgres is the dialect of PostgreSQL. In transactions that read what is committed, an UPDATE that waited for
// another one looks at the row again and changes nothing if the location is no longer the expected one: a conflict
// is a count of zero rows, whatever isolation is the server's default (SC2).
var postgres = dialect{
	isolation:   sql.LevelReadCommitted,
	fixedWidths: true,
	explain:     explainPostgres,
	undone:      undonePostgres,
	lacksTable:  func(err error) bool { return sqlState(err) == undefinedTable },
}

// openPostgres gives a catalog a pool of connections; none is made yet.
func (o Options) openPostgres(c *Catalog, uri string) error {
	config, err := parsePostgres(uri)
	if err != nil {
		return err
	}
	c.address = shownAddress(config)
	// One round trip for each statement, and nothing that a pooler between here and the server could mix up.
	if config.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
		config.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "firn"
	}
	if _, ok := config.RuntimeParams["lock_timeout"]; !ok || o.BusyTimeout != 0 {
		wait := max(cmp.Or(o.BusyTimeout, 10*time.Second), time.Millisecond) // zero would be forever
		c.setUp = fmt.Sprintf("SET LOCAL lock_timeout = %d", wait.Milliseconds())
	}
	c.db = stdlib.OpenDB(*config)
	c.db.SetMaxOpenConns(4) // many processes may share the server
	c.db.SetMaxIdleConns(2)
	c.db.SetConnMaxIdleTime(time.Minute)
	return nil
}

// parsePostgres reads a URI. Its errors quote nothing of it: where it cannot be read, what is the password cannot
// be known.
func parsePostgres(uri string) (*pgx.ConnConfig, error) {
	const form = "postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETER=VALUE is needed, with @ / : ? # and % in the " +
		"password written as %40 %2F %3A %3F %23 and %25"
	if !strings.Contains(uri, "://") {
		return nil, fmt.Errorf("%w: %s", ErrAddress, form)
	}
	config, err := pgx.ParseConfig(uri)
	var file *fs.PathError // a certificate, for instance
	switch {
	case errors.As(err, &file):
		return nil, file
	case err != nil:
		return nil, fmt.Errorf("%w: %s", ErrAddress, form)
	}
	// A part of a password that holds an @ or a / ends up here when it is not escaped.
	places := config.Host + config.Database
	for _, f := range config.Fallbacks {
		places += f.Host
	}
	if strings.Contains(places, "@") {
		return nil, fmt.Errorf("%w: an @ in host or database: %s", ErrAddress, form)
	}
	return config, nil
}

// shownAddress returns what may be shown of an address.
func shownAddress(config *pgx.ConnConfig) string {
	address := url.URL{
		Scheme: "postgres",
		User:   url.User(config.User),
		Host:   net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port))),
		Path:   "/" + config.Database,
	}
	return address.String()
}

// sqlState returns the code of an error that the server reported, or nothing.
func sqlState(err error) string {
	var reported *pgconn.PgError
	if errors.As(err, &reported) {
		return reported.Code
	}
	return ""
}

// undonePostgres knows two cases: a COMMIT that the server answered with ROLLBACK, and one that it answered with an
// error whose class says that the transaction was rolled back. All other errors may come from a commit that is
// complete on the server, a lost connection among them: pgconn.SafeToRetry calls it safe even when the COMMIT was sent
// and only its answer is missing (SC1).
func undonePostgres(err error) bool {
	state := sqlState(err)
	return errors.Is(err, pgx.ErrTxCommitRollback) || strings.HasPrefix(state, rolledBackClass) && state != completionUnknown
}
