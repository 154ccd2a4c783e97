package target

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// ParseID reads ns.name; the namespace may have several levels.
func ParseID(text string) (store.TableID, error) {
	cut := strings.LastIndexByte(text, '.')
	if cut <= 0 || cut == len(text)-1 || strings.Contains(text, "..") || text[0] == '.' {
		return store.TableID{}, usagef("table %q: NAMESPACE.NAME is needed", text)
	}
	return store.TableID{Namespace: text[:cut], Name: text[cut+1:]}, nil
}

// ParseNewID reads the ns.name of a table that is to be put into a catalog. It becomes the name of folders, so
// each level is made of letters, digits, _ and -; names that others gave are not held to that.
func ParseNewID(text string) (store.TableID, error) {
	id, err := ParseID(text)
	if err != nil {
		return id, err
	}
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.", r) {
			return store.TableID{}, usagef("table %q: %q cannot stand in a name, only letters, digits, _ and -, with dots between levels", text, r)
		}
	}
	return id, nil
}

// isPath tells a path or URI from a name in the catalog: it has a scheme or a slash or is a metadata file's name,
// or it is no NAMESPACE.NAME and names a local folder. A folder that is named like a table does not hide it.
func isPath(arg string) bool {
	if tree.IsAbsolute(arg) || strings.ContainsRune(arg, '/') || metadata.IsFileName(arg) {
		return true
	}
	if _, err := ParseID(arg); err == nil {
		return false
	}
	info, err := os.Stat(arg)
	return err == nil && info.IsDir()
}

// NoTableError says that a catalog has no table of a name. It wraps [store.ErrNotFound].
type NoTableError struct {
	ID      store.TableID
	Catalog string
}

// Error implements error.
func (e *NoTableError) Error() string {
	return fmt.Sprintf("no table %s in catalog %s", e.ID, e.Catalog)
}

// Unwrap returns [store.ErrNotFound].
func (e *NoTableError) Unwrap() error { return store.ErrNotFound }

// fileEndings are those of files that are at times given where a table belongs.
var fileEndings = []string{".avro", ".bin", ".json", ".md", ".parquet", ".puffin"}

// suggestPath adds to the error of a name that the catalog could not answer how a path is written, if the name looks
// like one.
func suggestPath(arg string, err error) error {
	if _, statErr := os.Stat(arg); statErr != nil && !slices.Contains(fileEndings, filepath.Ext(arg)) {
		return err
	}
	return fmt.Errorf("%w; a path has a slash: ./%s", err, arg)
}
