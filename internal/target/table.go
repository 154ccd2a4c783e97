package target

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// maxMetadataBytes bounds a metadata file.
const maxMetadataBytes = 256 << 20

// Table is a table that an argument names.
type Table struct {
	ID      store.TableID
	Catalog store.Catalog
	Objects store.Objects
	// Location is the table's location by the place of its metadata, for metadata that states none (rules 12.7);
	// empty where the catalog was asked.
	Location string
	// ReadOnly says that the table was named by its path.
	ReadOnly bool
}

// Table finds the table that an argument names: ns.name in the catalog, a metadata file, or a folder that has
// metadata/ in it.
func (a *Access) Table(ctx context.Context, arg string) (*Table, error) {
	if !isPath(arg) {
		id, err := ParseID(arg)
		if err != nil {
			return nil, err
		}
		catalog, err := a.Catalog(ctx, false)
		if err != nil {
			return nil, err
		}
		if _, err := catalog.Load(ctx, id); err != nil {
			return nil, err
		}
		return &Table{ID: id, Catalog: catalog, Objects: a.Objects}, nil
	}
	location, err := Location(arg)
	if err != nil {
		return nil, err
	}
	file := location
	if !metadata.IsFileName(location) {
		if file, err = a.newest(ctx, location); err != nil {
			return nil, fmt.Errorf("table %s: %w", arg, err)
		}
	}
	folder := strings.TrimSuffix(file[:strings.LastIndexByte(file, '/')], "/metadata")
	return &Table{
		ID:      store.TableID{Namespace: "path", Name: arg},
		Catalog: pinned(file), Objects: a.Objects, Location: folder, ReadOnly: true,
	}, nil
}

// isPath tells a path or URI from a name in the catalog: it has a scheme or a slash, is a metadata file's name,
// or names a local folder.
func isPath(arg string) bool {
	if tree.IsAbsolute(arg) || strings.ContainsRune(arg, '/') || metadata.IsFileName(arg) {
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && info.IsDir()
}

// newest returns the newest metadata file of a table's folder.
func (a *Access) newest(ctx context.Context, folder string) (string, error) {
	var names []string
	for info, err := range a.Objects.List(ctx, strings.TrimSuffix(folder, "/")+"/metadata/") {
		if err != nil {
			return "", err
		}
		names = append(names, info.Name)
	}
	name, err := metadata.Newest(names, func(name string) (int64, error) {
		m, err := readMetadata(ctx, a.Objects, name)
		return m.LastUpdatedMillis, err
	})
	if errors.Is(err, metadata.ErrNoFile) {
		return "", fmt.Errorf("no metadata file below %s: %w", folder, store.ErrNotFound)
	}
	return name, err
}

// Metadata reads the current metadata file and returns its location too.
func (t *Table) Metadata(ctx context.Context) (string, metadata.Table, error) {
	name, err := t.Catalog.Load(ctx, t.ID)
	if err != nil {
		return "", metadata.Table{}, err
	}
	m, err := readMetadata(ctx, t.Objects, name)
	return name, m, err
}

func readMetadata(ctx context.Context, objects store.Objects, name string) (metadata.Table, error) {
	data, err := objects.Get(ctx, name, maxMetadataBytes)
	if err != nil {
		return metadata.Table{}, err
	}
	m, err := metadata.Parse(data, metadata.Limits{})
	if err != nil {
		return metadata.Table{}, fmt.Errorf("metadata file %s: %w", name, err)
	}
	return m, nil
}

// pinned is a catalog of one table that never changes: the metadata file that the user named.
type pinned string

// Load implements [store.Catalog].
func (p pinned) Load(context.Context, store.TableID) (string, error) { return string(p), nil }

// Swap implements [store.Catalog].
func (p pinned) Swap(_ context.Context, id store.TableID, _, _ string) error {
	return store.NameError("swap", id.Name, fmt.Errorf("%w: %w", store.ErrRefused, errReadOnly))
}

// CheckWritable fails for a table that was named by its path.
func (t *Table) CheckWritable() error {
	if t.ReadOnly {
		return usagef("table %s: %w", t.ID.Name, errReadOnly)
	}
	return nil
}

// MetadataFile returns the location of the metadata file that an argument names, if it can be read as one.
func (a *Access) MetadataFile(ctx context.Context, arg string) (string, error) {
	location, err := Location(arg)
	if err != nil {
		return "", err
	}
	_, err = readMetadata(ctx, a.Objects, location)
	return location, err
}
