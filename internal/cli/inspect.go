package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/datafile"
	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// propertyNameMapping gives ids to the columns of files that have none.
const propertyNameMapping = "schema.name-mapping.default"

// inspected is a Parquet file that an argument names, with what a manifest says about it.
type inspected struct {
	// location is where the file is now.
	location string
	file     tree.File
}

// inspect reads what is to be known of files to add, and reports all that is wrong with them at once. A file without
// rows is skipped.
func (x *transaction) inspect(ctx context.Context, args []string, partitionValues string) ([]inspected, error) {
	names, err := locations(args)
	if err != nil {
		return nil, err
	}
	o, err := x.inspectOptions(partitionValues)
	if err != nil {
		return nil, err
	}
	var files []inspected
	var wrong problems
	seen := make(map[string]bool)
	for i, name := range names {
		if seen[name] {
			wrong = append(wrong, fmt.Errorf("%s: %w: it is given twice", name, errRefused))
			continue
		}
		seen[name] = true
		file, err := x.inspectOne(ctx, name, o)
		switch {
		case errors.Is(err, datafile.ErrNoRows):
			x.notice("%s: skipped, it has no rows", args[i])
		case errors.Is(err, context.Canceled):
			return nil, err
		case err != nil:
			wrong = append(wrong, err)
		default:
			files = append(files, inspected{location: name, file: file})
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return files, nil
}

func (x *transaction) inspectOne(ctx context.Context, name string, o datafile.Options) (tree.File, error) {
	info, err := x.objects.Stat(ctx, name)
	if err != nil {
		return tree.File{}, err
	}
	m := x.base.Metadata
	r := store.NewReaderAt(ctx, x.objects, name)
	return datafile.Inspect(r, info.SizeBytes, name, m.Schema(), m.Spec(), o)
}

// inspectOptions follow from the properties of the table and from the partition values that the user gave.
func (x *transaction) inspectOptions(partitionValues string) (datafile.Options, error) {
	m := x.base.Metadata
	var o datafile.Options
	var err error
	if o.Metrics, err = datafile.MetricsOf(m.Properties); err != nil {
		return o, fmt.Errorf("%w: %w", errRefused, err)
	}
	if text := m.Properties[propertyNameMapping]; text != "" {
		if err := json.Unmarshal([]byte(text), &o.NameMapping); err != nil {
			return o, fmt.Errorf("%w: table property %s: %w", errRefused, propertyNameMapping, err)
		}
		if o.NameMapping == nil {
			o.NameMapping = iceberg.NameMapping{}
		}
	}
	if partitionValues != "" {
		if o.Partition, err = datafile.ParsePartition([]byte(partitionValues), m.Schema(), m.Spec()); err != nil {
			return o, &target.UsageError{Err: err}
		}
	}
	return o, nil
}
