package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	sqlcat "github.com/apache/iceberg-go/catalog/sql"
	_ "modernc.org/sqlite" // the database of both catalogs

	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/store/sqlcatalog"
)

// The sides are also the names of their catalogs, which share one database.
const (
	firnSide    = "firn"
	icebergSide = "iceberg-go"
)

const (
	namespace  = "bench"
	fileScheme = "file://"
)

// bench is all tables of a run.
type bench struct {
	db *sql.DB
	// firn and iceberg are the catalogs; both keep their rows in db's database.
	firn     *sqlcatalog.Catalog
	iceberg  *sqlcat.Catalog
	folder   string
	files    int
	subjects []*subject
	progress io.Writer
}

// openBench makes the tables in a folder.
func openBench(ctx context.Context, folder string, o options, progress io.Writer) (*bench, error) {
	b := &bench{folder: folder, files: o.files, progress: progress}
	if err := b.openCatalogs(ctx); err != nil {
		return nil, errors.Join(err, b.close())
	}
	for _, l := range firnLayouts(o) {
		err := b.seed(ctx, firnSide, l.label, func(name, location string) (table, error) {
			t := newFirnTable(b.firn, name, location)
			return t, seedFirn(ctx, t, l, o.files)
		})
		if err != nil {
			return nil, errors.Join(err, b.close())
		}
	}
	for _, perManifest := range icebergLayouts(o) {
		label := manifestsLabel(o.files, perManifest)
		err := b.seed(ctx, icebergSide, label, func(name, location string) (table, error) {
			t := newIcebergTable(b.iceberg, name, location)
			return t, seedIceberg(ctx, t, perManifest, o.files)
		})
		if err != nil {
			return nil, errors.Join(err, b.close())
		}
	}
	return b, nil
}

// firnLayouts are the layouts of firn's tables. The last is what when-full makes of so many files.
func firnLayouts(o options) []layout {
	return []layout{
		{leavesLabel(o.files, o.leafFiles), o.leafFiles, pushAll},
		{leavesLabel(o.files, o.files), o.files, pushAll},
		{looseLabel(o.files), o.leafFiles, simple.WhenFull{}},
	}
}

// icebergLayouts are the files in a manifest of each of iceberg-go's tables.
func icebergLayouts(o options) []int { return []int{1, o.leafFiles} }

func (b *bench) openCatalogs(ctx context.Context) error {
	path := filepath.Join(b.folder, "catalog.db")
	var err error
	if b.firn, err = (sqlcatalog.Options{Name: firnSide}).Open(ctx, "sqlite:"+path); err != nil {
		return err
	}
	// The same durability on both sides: firn's catalog asks for it itself.
	source := url.URL{Scheme: "file", Path: path, RawQuery: "_busy_timeout=10000&_synchronous=EXTRA"}
	if b.db, err = sql.Open("sqlite", source.String()); err != nil {
		return err
	}
	if b.iceberg, err = sqlcat.NewCatalog(icebergSide, b.db, sqlcat.SQLite, nil); err != nil {
		return err
	}
	return b.iceberg.CreateNamespace(ctx, []string{namespace}, nil)
}

func (b *bench) close() error {
	var errs []error
	if b.iceberg != nil {
		errs = append(errs, b.iceberg.Close())
	}
	if b.db != nil {
		errs = append(errs, b.db.Close())
	}
	if b.firn != nil {
		errs = append(errs, b.firn.Close())
	}
	return errors.Join(errs...)
}

// seed makes one table and remembers the state that every measured commit begins with.
func (b *bench) seed(ctx context.Context, side, label string, plant func(name, location string) (table, error)) error {
	fmt.Fprintf(b.progress, "seeding %s, %s\n", side, label)
	name := fmt.Sprintf("t%d", len(b.subjects))
	folder := filepath.Join(b.folder, name)
	t, err := plant(name, fileScheme+filepath.ToSlash(folder))
	if err != nil {
		return fmt.Errorf("%s, %s: %w", side, label, err)
	}
	s := &subject{table: t, side: side, label: label, name: name, folder: folder, db: b.db}
	if err := s.remember(ctx); err != nil {
		return err
	}
	if n, err := t.live(ctx); err != nil || n != b.files {
		return fmt.Errorf("%s, %s: %d live files after seeding, not %d: %w", side, label, n, b.files, err)
	}
	b.subjects = append(b.subjects, s)
	return nil
}

// remember keeps the metadata location and the objects of the seeded table.
func (s *subject) remember(ctx context.Context) error {
	row := s.db.QueryRowContext(ctx, `SELECT metadata_location FROM iceberg_tables WHERE catalog_name = ? AND table_name = ?`, s.side, s.name)
	if err := row.Scan(&s.base); err != nil {
		return err
	}
	s.seeded = make(map[string]bool)
	return s.walk(func(path string, _ int64) error {
		s.seeded[path] = true
		return nil
	})
}

// rewind puts the table back to its seeded state: each measured commit is the second of its table's life.
func (s *subject) rewind(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, `UPDATE iceberg_tables SET metadata_location = ?, previous_metadata_location = NULL
		WHERE catalog_name = ? AND table_name = ?`, s.base, s.side, s.name)
	return err
}

// walk visits the files of the table's folder.
func (s *subject) walk(visit func(path string, sizeBytes int64) error) error {
	return filepath.WalkDir(s.folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return visit(path, info.Size())
	})
}
