package dir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/firn-io/firn/store"
)

// Catalog is a [store.Catalog] in a folder, for development: nothing has to be installed, and the history of
// every table can be read with ls and cat. Make it with [OpenCatalog].
//
// A table has a folder of its own, NAMESPACE/NAME with both percent-encoded. Each swap adds a file there that
// holds the new location and nothing else; its name is the number of the swap, in twenty digits. The highest
// number is current. A file is created as package dir creates objects, so that of two swaps to the same number
// one loses. Files are never removed, because a slow writer could then take a number for free that others have
// passed; a swap costs the reading of the folder, which grows by one name with each.
//
// The limits are those of the file system: see the package comment for what it must give, and a listing must
// show a file as soon as it was created, which network file systems do not promise. Names that percent-encoding
// makes longer than the file system takes are refused, and where it folds case, so do the names of tables.
type Catalog struct {
	path   string
	system system
}

var _ store.Catalog = (*Catalog)(nil)

// catalogScheme begins the URI of a catalog in a folder.
const catalogScheme = "dir:"

// maxLocationBytes bounds the file that holds a location.
const maxLocationBytes = 1 << 16

// versionDigits is the length of the name of a version's file.
const versionDigits = 20

// OpenCatalog returns the catalog in a folder, given as dir:PATH or PATH. The path is taken literally. The
// folder need not be there: the first swap makes it.
func OpenCatalog(uri string) (*Catalog, error) {
	path, err := filepath.Abs(strings.TrimPrefix(uri, catalogScheme))
	if err != nil {
		return nil, fmt.Errorf("catalog %s: %w", uri, err)
	}
	return &Catalog{path: path, system: hostSystem}, nil
}

// folder returns the folder of a table.
func (c *Catalog) folder(id store.TableID) string {
	return filepath.Join(c.path, escape(id.Namespace), escape(id.Name))
}

// escape makes one path segment of any text, different ones of different texts.
func escape(text string) string {
	if text == "" {
		return "%"
	}
	segment := url.PathEscape(text)
	if rest, ok := strings.CutPrefix(segment, "."); ok {
		segment = "%2E" + rest
	}
	return segment
}

// version is one state of a table's entry. The zero version is that of a table that is not there.
type version struct {
	number   uint64
	location string
}

// file returns the path of the version's file.
func (v version) file(folder string) string {
	return filepath.Join(folder, fmt.Sprintf("%0*d", versionDigits, v.number))
}

// current reads the current version.
func (c *Catalog) current(id store.TableID) (version, error) {
	folder := c.folder(id)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return version{}, nil
	}
	if err != nil {
		return version{}, err
	}
	var newest version
	for _, entry := range entries {
		n, err := strconv.ParseUint(entry.Name(), 10, 64)
		if err == nil && len(entry.Name()) == versionDigits && n > newest.number {
			newest.number = n
		}
	}
	if newest.number > 0 {
		newest.location, err = readLocation(newest.file(folder))
	}
	return newest, err
}

// readLocation reads the file of a version.
func readLocation(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxLocationBytes+1))
	if err != nil {
		return "", err
	}
	if len(data) == 0 || len(data) > maxLocationBytes {
		return "", fmt.Errorf("%s holds no location: it has %d bytes or more", path, len(data))
	}
	return string(data), nil
}

// Load implements [store.Catalog].
func (c *Catalog) Load(ctx context.Context, id store.TableID) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", store.NameError("load", id.String(), err)
	}
	current, err := c.current(id)
	if err == nil && current.number == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return "", store.NameError("load", id.String(), err)
	}
	return current.location, nil
}

// Swap implements [store.Catalog]. All that goes wrong before the new file gets its name is a refusal.
func (c *Catalog) Swap(ctx context.Context, id store.TableID, old, new string) error {
	if err := store.CheckSwap(ctx, id, new); err != nil {
		return err
	}
	return store.NameError("swap", id.String(), c.swap(id, old, new))
}

// swap adds the version after the current one, if that holds the old location.
func (c *Catalog) swap(id store.TableID, old, new string) error {
	if len(new) > maxLocationBytes {
		return fmt.Errorf("%w: the new location has more than %d bytes", store.ErrRefused, maxLocationBytes)
	}
	current, err := c.current(id)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", store.ErrRefused, err)
	case current.number == 0 && old != "":
		return store.ErrNotFound
	case current.location != old:
		return store.ErrConflict
	}
	next := version{number: current.number + 1}
	tried, err := c.system.create(next.file(c.folder(id)), []byte(new))
	switch {
	case errors.Is(err, store.ErrExists):
		return store.ErrConflict
	case err != nil && !tried:
		return fmt.Errorf("%w: %w", store.ErrRefused, err)
	}
	return err
}
