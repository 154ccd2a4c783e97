package metadata

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"
)

// NewTable says what [New] makes.
type NewTable struct {
	UUID uuid.UUID
	// Location is the table's absolute location; empty leaves it to the catalog (rules 12.7).
	Location string
	// Schema becomes schema 0. Its field ids are kept; see [AssignIDs].
	Schema *iceberg.Schema
	// Spec becomes spec 0; the zero spec makes an unpartitioned table. Its field ids are kept.
	Spec iceberg.PartitionSpec
	// Properties are the table's settings.
	Properties map[string]string
	// TimestampMillis becomes last-updated-ms.
	TimestampMillis int64
}

// New returns the metadata of an empty table of version 4: no snapshots, no refs, sequence number and next row
// id 0, unsorted. A schema or spec that version 4 does not allow is an error that names all that is wrong.
func New(n NewTable) (Table, error) {
	if n.Schema == nil || n.Schema.NumFields() == 0 {
		return Table{}, errors.New("metadata: a new table needs a schema with at least one column")
	}
	if n.UUID == uuid.Nil {
		return Table{}, errors.New("metadata: a new table needs a uuid")
	}
	schema := iceberg.NewSchemaWithIdentifiers(0, n.Schema.IdentifierFieldIDs, n.Schema.Fields()...)
	spec := iceberg.NewPartitionSpecID(0, fieldsOf(n.Spec)...)
	check := checkSchema(schema)
	if err := refusal("the schema", check.complaints); err != nil {
		return Table{}, err
	}
	if err := refusal("the partition spec", checkSpec(spec, schema)); err != nil {
		return Table{}, err
	}
	t := Table{
		FormatVersion:     FormatVersion,
		UUID:              n.UUID.String(),
		LastUpdatedMillis: n.TimestampMillis,
		LastColumnID:      check.highestID,
		Schemas:           []*iceberg.Schema{schema},
		Specs:             []iceberg.PartitionSpec{spec},
		LastPartitionID:   highestPartitionFieldID([]iceberg.PartitionSpec{spec}),
		SortOrders:        []SortOrder{Unsorted},
		Properties:        map[string]string{},
	}
	if n.Location != "" {
		t.Location = some(n.Location)
	}
	maps.Copy(t.Properties, n.Properties)
	return t, nil
}

// AssignIDs returns the schema with new field ids from 1, in the order of its fields, and the id 0.
func AssignIDs(s *iceberg.Schema) (*iceberg.Schema, error) {
	fresh, err := iceberg.AssignFreshSchemaIDs(s, nil)
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	return fresh, nil
}

// refusal makes one error of all complaints about a thing; nil if there are none.
func refusal(about string, complaints []string) error {
	if len(complaints) == 0 {
		return nil
	}
	return fmt.Errorf("metadata: %s: %s", about, strings.Join(complaints, "; "))
}
