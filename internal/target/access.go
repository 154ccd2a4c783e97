package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/dir"
	"github.com/firn-io/firn/store/mapped"
	"github.com/firn-io/firn/store/s3"
	"github.com/firn-io/firn/store/sqlcatalog"
	"github.com/firn-io/firn/tree"
)

// UsageError says that a name cannot be understood; nothing was looked up.
type UsageError struct{ Err error }

// Error implements error.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

func usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// Options are what the flags say; empty fields fall back to the environment, then to the defaults of the working
// folder.
type Options struct {
	// Catalog is sqlite:PATH, postgres://… or dir:PATH; else $FIRN_CATALOG, else sqlite:firn.db.
	Catalog string
	// Warehouse is where new tables go, a path, file: URI or s3://BUCKET/PREFIX; else $FIRN_WAREHOUSE, else the folder
	// warehouse.
	Warehouse string
	// Maps are rules FROM=TO: locations that begin with FROM are read and written at TO.
	Maps []string
	// Getenv looks up the environment; default os.Getenv.
	Getenv func(string) string
}

// Access is the way from names to tables. Its catalog is opened when a table is looked up in it.
type Access struct {
	// Objects reads and writes every location that a table may hold.
	Objects   store.Objects
	rules     []mapped.Rule
	catalog   string
	warehouse string
	opened    store.Catalog
	close     func() error
}

// NewAccess reads the options. Nothing is opened yet.
func NewAccess(o Options) (*Access, error) {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	var rules []mapped.Rule
	for _, text := range o.Maps {
		rule, err := mapped.ParseRule(text)
		if err != nil {
			return nil, &UsageError{err}
		}
		if path, ok := strings.CutPrefix(rule.To, filePrefix); ok {
			rule.To = copiedPrefix + path
		}
		rules = append(rules, rule)
	}
	warehouse, err := Location(cmp.Or(o.Warehouse, o.Getenv("FIRN_WAREHOUSE"), "warehouse"))
	if err != nil {
		return nil, err
	}
	return &Access{
		Objects:   mapped.New(&places{local: local{dir.New()}, openBuckets: openBuckets}, rules...),
		rules:     rules,
		catalog:   cmp.Or(o.Catalog, o.Getenv("FIRN_CATALOG"), "sqlite:firn.db"),
		warehouse: strings.TrimSuffix(warehouse, "/"),
	}, nil
}

// openBuckets opens the store of all buckets, which is configured as any other user of the AWS SDK is.
func openBuckets(ctx context.Context) (store.Objects, error) {
	buckets, err := s3.Open(ctx, s3.Options{})
	if err != nil {
		return nil, err
	}
	return buckets, nil
}

// Location returns the location that a command-line argument names: a URI as it is, a local path as
// file:///PATH, made absolute. A location without a scheme would be relative to the table.
func Location(arg string) (string, error) {
	if arg == "" {
		return "", usagef("an empty location")
	}
	if tree.IsAbsolute(arg) {
		return arg, nil
	}
	path, err := filepath.Abs(arg)
	if err != nil {
		return "", err
	}
	return "file://" + path, nil
}

// Close closes the catalog, if it was opened.
func (a *Access) Close() error {
	if a.close == nil {
		return nil
	}
	return a.close()
}

// Catalog opens the catalog; create says whether a missing one is made.
func (a *Access) Catalog(ctx context.Context, create bool) (store.Catalog, error) {
	if a.opened != nil {
		return a.opened, nil
	}
	kind, _, _ := strings.Cut(a.catalog, ":")
	switch kind {
	case "sqlite", "postgres", "postgresql":
		c, err := sqlcatalog.Options{Existing: !create}.Open(ctx, a.catalog)
		switch {
		case errors.Is(err, sqlcatalog.ErrAddress):
			return nil, &UsageError{err}
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%w; --catalog or FIRN_CATALOG names another one", err)
		case err != nil:
			return nil, err
		}
		a.opened, a.close = c, c.Close
	case "dir":
		c, err := dir.OpenCatalog(a.catalog)
		if err != nil {
			return nil, err
		}
		a.opened = c
	default: // what follows the kind may hold a password
		return nil, usagef("catalog of kind %q: known forms are sqlite:PATH, postgres://… and dir:PATH", kind)
	}
	return a.opened, nil
}

// catalogName returns the address of the open catalog as it may be shown: without a password.
func (a *Access) catalogName() string {
	if c, ok := a.opened.(fmt.Stringer); ok {
		return c.String()
	}
	return a.catalog
}

// NewTableLocation returns where a new table goes.
func (a *Access) NewTableLocation(id store.TableID) string {
	return a.warehouse + "/" + id.Namespace + "/" + id.Name
}

// errReadOnly is the answer to a change of a table that was opened by its path.
var errReadOnly = errors.New("the table was opened by its path and is read only: name it by its catalog")
