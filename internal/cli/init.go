package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/spf13/cobra"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/datafile"
	"github.com/firn-io/firn/internal/sysenv"
	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
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
		Long: `Create an empty v4 table in the catalog and print the location of its metadata file.

The schema is the JSON of an Iceberg schema, whose field ids may be left out, or that of the columns of a Parquet file.
SPEC lists transforms of columns: day(ts), bucket(8, id), truncate(4, name), region. The properties firn.policy,
firn.policy.root-bytes, firn.policy.leaf-bytes and firn.policy.rows choose where the entries of files go.`,
		Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, args []string) error { return a.init(ctx, args[0], f) })
	flags := c.Flags()
	flags.StringVar(&f.schema, "schema", "", "file with the schema as JSON, - for standard input")
	flags.StringVar(&f.like, "like", "", "Parquet file whose columns are the schema")
	flags.StringVar(&f.partition, "partition", "", "partition spec (default: unpartitioned)")
	flags.StringArrayVar(&f.properties, "property", nil, "table property KEY=VALUE (repeatable)")
	c.MarkFlagsMutuallyExclusive("schema", "like")
	c.MarkFlagsOneRequired("schema", "like")
	return c
}

func (a *app) init(ctx context.Context, name string, f initFlags) error {
	id, err := target.ParseID(name)
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
	_, policyErr := policy.ForTable(properties)
	_, metricsErr := datafile.MetricsOf(properties)
	if err := errors.Join(policyErr, metricsErr); err != nil {
		return nil, &target.UsageError{Err: err}
	}
	return properties, nil
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
