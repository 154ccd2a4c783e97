package target

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/mapped"
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
	rules    []mapped.Rule
	// catalogName is the catalog's address as it may be shown, empty for a table that was named by its path.
	catalogName string
}

// Table finds the table that an argument names: ns.name in the catalog, a metadata file, or a folder that has
// metadata/ in it.
func (a *Access) Table(ctx context.Context, arg string) (*Table, error) {
	if isPath(arg) {
		return a.tableAt(ctx, arg)
	}
	id, err := ParseID(arg)
	if err != nil {
		return nil, usagef("table %q: NAMESPACE.NAME is needed for a table of the catalog, or the path of a folder or a "+
			"*.metadata.json, such as ./%s", arg, arg)
	}
	catalog, err := a.Catalog(ctx, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, suggestPath(arg, err)
	}
	if err != nil {
		return nil, err
	}
	_, err = catalog.Load(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, suggestPath(arg, &NoTableError{ID: id, Catalog: a.catalogName()})
	}
	if err != nil {
		return nil, err
	}
	return &Table{ID: id, Catalog: catalog, Objects: a.Objects, catalogName: a.catalogName()}, nil
}

// tableAt opens the table whose metadata file, or whose folder, an argument names.
func (a *Access) tableAt(ctx context.Context, arg string) (*Table, error) {
	location, err := Location(arg)
	if err != nil {
		return nil, err
	}
	file := location
	if !metadata.IsFileName(location) {
		if _, err := a.Objects.Stat(ctx, location); err == nil {
			return nil, fmt.Errorf("table %s: %w: this is a file, and the name of a metadata file ends in .metadata.json", arg, store.ErrNotFound)
		}
		if file, err = a.Newest(ctx, location); err != nil {
			return nil, fmt.Errorf("table %s: %w", arg, err)
		}
	}
	folder := strings.TrimSuffix(file[:strings.LastIndexByte(file, '/')], "/metadata")
	return &Table{
		ID:      store.TableID{Name: arg},
		Catalog: pinned(file), Objects: a.Objects, Location: folder, ReadOnly: true, rules: a.rules,
	}, nil
}

// Hint says what may help if files of the table are not found: a table that was opened where it was copied to says
// that it lies elsewhere. It is empty if that is not so, or if a rule of --map covers the location.
func (t *Table) Hint(m metadata.Table) string {
	stated := strings.TrimRight(m.Location.Val, "/")
	if !t.ReadOnly || stated == "" || stated == strings.TrimRight(t.Location, "/") {
		return ""
	}
	for _, rule := range t.rules {
		if strings.HasPrefix(stated+"/", rule.From) {
			return ""
		}
	}
	here := strings.TrimPrefix(t.Location, filePrefix)
	return fmt.Sprintf("the table says that it lies at %s: --map %s=%s reads it at this place", stated, stated, here)
}

// Newest returns the newest metadata file of a table's folder; [store.ErrNotFound] if it has none, a
// [*metadata.AmbiguousError] if several may be it.
func (a *Access) Newest(ctx context.Context, folder string) (string, error) {
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
		return "", fmt.Errorf("no metadata file, *.metadata.json, below %s: %w", folder, store.ErrNotFound)
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
	return name, m, t.blame(name, err)
}

// Blame adds to an error of a library, which knows a table by its catalog entry alone, what is the matter if it is the
// metadata file that cannot be read. Any other error stays as it is (CL1).
func (t *Table) Blame(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	if _, _, blamed := t.Metadata(ctx); isLost(blamed) || isForeign(blamed) {
		return blamed
	}
	return err
}

// blame says what a metadata file is that cannot be read, and what can be done.
func (t *Table) blame(name string, err error) error {
	if t.catalogName == "" {
		return err
	}
	entry := fmt.Sprintf("catalog %s names this file as the metadata of table %s", t.catalogName, t.ID)
	var parse *metadata.ParseError
	switch {
	case isLost(err):
		return fmt.Errorf("%w; %s: put it back from a copy, or read an older one of its folder by its path", err, entry)
	case errors.As(err, &parse) && parse.Path == "$.format-version":
		return fmt.Errorf("%w; %s: a newer version of firn may read it", err, entry)
	case isForeign(err):
		return fmt.Errorf("%w; %s: put the right file back from a copy, or read an older one of its folder by its path", err, entry)
	}
	return err
}

func isLost(err error) bool { return errors.Is(err, store.ErrNotFound) }

func isForeign(err error) bool {
	var foreign *metadata.ParseError
	return errors.As(err, &foreign)
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

// MetadataFile returns the location of the metadata file that an argument names, if it can be read as one. Any
// name will do.
func (a *Access) MetadataFile(ctx context.Context, arg string) (string, error) {
	location, err := Location(arg)
	if err != nil {
		return "", err
	}
	_, err = readMetadata(ctx, a.Objects, location)
	return location, err
}
