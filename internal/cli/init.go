package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/spf13/cobra"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/datafile"
	"github.com/firn-io/firn/internal/sysenv"
	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/store"
)

// maxSchemaBytes bounds a schema file.
const maxSchemaBytes = 16 << 20

// initFlags are the flags of firn init.
type initFlags struct {
	schema, like, partition string
	properties              []string
}

// initCommand creates a table.
func (a *app) initCommand() *cobra.Command {
	var f initFlags
	c := a.command(cobra.Command{
		Use:     "init NAMESPACE.NAME (--schema FILE.json | --like FILE.parquet) [--partition SPEC] [--property K=V]...",
		Short:   "Create an empty v4 table",
		GroupID: groupWrite,
		Long: `Create an empty v4 table in the catalog and print the location of its metadata file. A place below the warehouse that has
metadata files already is refused, code 3: firn register puts such a table under the catalog.

The schema is the JSON of an Iceberg schema, whose field ids may be left out, or that of the columns of a Parquet file.
NAMESPACE may have several levels, with dots between them; all names are of letters, digits, _ and -. SPEC lists transforms of columns: day(ts), bucket(8, id), truncate(4, name), region. The property firn.policy
chooses where the entries of files go, and firn.policy.* are its settings. All that is wrong with them is told at once, and nothing is
created.`,
		Args: words(1, 1),
	}, func(ctx context.Context, args []string) error { return a.init(ctx, args[0], f) })
	flags := c.Flags()
	flags.StringVar(&f.schema, "schema", "", "file with the schema as JSON, - for standard input")
	flags.StringVar(&f.like, "like", "", "Parquet file whose columns are the schema")
	flags.StringVar(&f.partition, "partition", "", "partition spec (default: unpartitioned)")
	flags.StringArrayVar(&f.properties, "property", nil, "table property KEY=VALUE (repeatable)")
	return c
}

func (a *app) init(ctx context.Context, name string, f initFlags) error {
	if (f.schema == "") == (f.like == "") {
		return usagef("firn init takes one of --schema FILE.json and --like FILE.parquet: see firn help init")
	}
	id, err := target.ParseNewID(name)
	if err != nil {
		return err
	}
	properties, err := parseProperties(f.properties)
	if err != nil {
		return err
	}
	access, err := a.open()
	if err != nil {
		return err
	}
	schema, err := a.initialSchema(ctx, access, f)
	if err != nil {
		return err
	}
	spec, err := metadata.ParsePartition(f.partition, schema)
	if err != nil {
		return &target.UsageError{Err: err}
	}
	m, err := metadata.New(metadata.NewTable{
		UUID: sysenv.NewUUID(), Location: access.NewTableLocation(id), Schema: schema, Spec: spec,
		Properties: properties, TimestampMillis: sysenv.NowMillis(),
	})
	if err != nil {
		return &target.UsageError{Err: err}
	}
	if err := checkUnused(ctx, access, id); err != nil {
		return err
	}
	catalog, err := access.Catalog(ctx, true)
	if err != nil {
		return err
	}
	if err := checkFree(ctx, catalog, id); err != nil {
		return err
	}
	t, err := commit.Create(ctx, id, catalog, access.Objects, m, commit.Options{})
	if err != nil {
		return created(err)
	}
	a.noticeUnknown(properties)
	head, err := t.Head(ctx)
	if err != nil {
		return err
	}
	return a.printCreated(id, head.MetadataLocation)
}

// checkFree refuses the name of a table that the catalog has.
func checkFree(ctx context.Context, catalog store.Catalog, id store.TableID) error {
	_, err := catalog.Load(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("table %s: %w: the catalog has a table of this name", id, errRefused)
}

// checkUnused refuses the place of a new table that has metadata files: those of a table in another catalog, or in one
// that is gone. It makes nothing, not even a catalog.
func checkUnused(ctx context.Context, access *target.Access, id store.TableID) error {
	location := access.NewTableLocation(id)
	newest, err := access.Newest(ctx, location)
	advice := "firn register " + id.String() + " " + newest
	switch ambiguous := (*metadata.AmbiguousError)(nil); {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case errors.As(err, &ambiguous):
		advice = "firn register with one of " + strings.Join(ambiguous.Names, ", ")
	case err != nil:
		return err
	}
	if catalog, err := access.Catalog(ctx, false); err == nil {
		if err := checkFree(ctx, catalog, id); err != nil {
			return err
		}
	}
	return fmt.Errorf("table %s: %w: %s has metadata files of a table that this catalog does not have; %s takes it over, "+
		"another name or --warehouse begins a new one", id, errRefused, location, advice)
}

// created says what a failed creation means: after an unknown outcome the table may be there.
func created(err error) error {
	if errors.Is(err, store.ErrUnknown) {
		return fmt.Errorf("%w: %w", errOutcome, err)
	}
	return err
}

// initialSchema reads the schema of a new table.
func (a *app) initialSchema(ctx context.Context, access *target.Access, f initFlags) (*iceberg.Schema, error) {
	if f.schema != "" {
		data, err := a.read(ctx, f.schema, maxSchemaBytes)
		if err != nil {
			return nil, err
		}
		schema, err := metadata.ParseSchema(data, metadata.Limits{})
		if err != nil {
			return nil, fmt.Errorf("schema file %s: %w: %w", f.schema, errMalformed, err)
		}
		return schema, nil
	}
	location, err := target.Location(f.like)
	if err != nil {
		return nil, err
	}
	info, err := access.Objects.Stat(ctx, location)
	if err != nil {
		return nil, err
	}
	return datafile.SchemaOf(store.NewReaderAt(ctx, access.Objects, location), info.SizeBytes, location, datafile.Limits{})
}

// parseProperties reads KEY=VALUE and checks the values of properties that this program obeys.
func parseProperties(pairs []string) (map[string]string, error) {
	properties := make(map[string]string)
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, usagef("property %q: KEY=VALUE is needed", pair)
		}
		if _, twice := properties[key]; twice {
			return nil, usagef("property %s is given twice", key)
		}
		properties[key] = value
	}
	policyErr := choose.CheckProperties(properties)
	_, metricsErr := datafile.MetricsOf(properties)
	if err := errors.Join(policyErr, metricsErr); err != nil {
		return nil, &target.UsageError{Err: err}
	}
	return properties, nil
}

// noticeUnknown tells which properties look as if they were meant for this program, and are not: a slip, as a rule.
func (a *app) noticeUnknown(properties map[string]string) {
	known := choose.Properties()
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		if strings.HasPrefix(key, "firn.") && !slices.Contains(known, key) {
			a.notice("property %s is kept, but has no meaning: known are %s", key, strings.Join(known, ", "))
		}
	}
}

// printCreated prints where the metadata of a new table is.
func (a *app) printCreated(id store.TableID, location string) error {
	if a.format == formatText {
		_, err := fmt.Fprintln(a.out, location)
		return err
	}
	t := a.newTable(true, "table", "metadata_location")
	t.row(textCell(id.String()), textCell(location))
	return t.end()
}
