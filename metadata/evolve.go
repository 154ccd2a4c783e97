package metadata

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/apache/iceberg-go"
)

// WithSchema returns the table with s as its current schema, under the next schema id, or under its old one if
// the table has an equal schema. The field id of a known column must keep the column's type or widen it; new
// columns need ids above last-column-id; an initial default stays as it is; the default spec and the default
// sort order must still apply (MD11, MD14).
func (t Table) WithSchema(s *iceberg.Schema) (Table, error) {
	check := checkSchema(s)
	complaints := append(check.complaints, t.checkColumns(s, check)...)
	complaints = append(complaints, checkSpec(t.Spec(), s)...)
	complaints = append(complaints, t.checkSort(s)...)
	if err := refusal("the new schema", complaints); err != nil {
		return Table{}, err
	}
	next := 0
	for _, known := range t.Schemas {
		if known.Equals(s) {
			t.CurrentSchemaID = known.ID
			return t, nil
		}
		next = max(next, known.ID+1)
	}
	t.Schemas = appended(t.Schemas, iceberg.NewSchemaWithIdentifiers(next, s.IdentifierFieldIDs, s.Fields()...))
	t.CurrentSchemaID = next
	t.LastColumnID = max(t.LastColumnID, check.highestID)
	return t, nil
}

// checkColumns compares the columns of a new schema with those that the table has or had. Existing rows have
// no value for a new column, so it must be optional or have a default, unless it lies in a new column itself.
func (t Table) checkColumns(s *iceberg.Schema, check schemaCheck) []string {
	var complaints []string
	newestFirst := t.schemasNewestFirst()
	parents, _ := iceberg.IndexParents(s) // checkSchema has found what could fail
	for _, id := range slices.Sorted(maps.Keys(check.ids)) {
		name := check.ids[id]
		now, _ := s.FindFieldByID(id)
		old, known := findColumn(newestFirst, id)
		parent, nested := parents[id]
		_, parentKnown := findColumn(newestFirst, parent)
		switch {
		case !known && id <= t.LastColumnID:
			complaints = append(complaints, fmt.Sprintf("column %q is new and needs an id above %d, not %d", name, t.LastColumnID, id))
		case !known && now.Required && now.InitialDefault == nil && (!nested || parentKnown):
			complaints = append(complaints, fmt.Sprintf("column %q is new and must be optional or have an initial default", name))
		case known && now.Required && !old.Required:
			complaints = append(complaints, fmt.Sprintf("column %q is optional and cannot become required", name))
		case known && !mayBecome(t.FormatVersion, old.Type, now.Type):
			complaints = append(complaints, fmt.Sprintf("column %q of type %s cannot become %s", name, old.Type, now.Type))
		case known && !reflect.DeepEqual(old.InitialDefault, now.InitialDefault):
			complaints = append(complaints, fmt.Sprintf("column %q has an initial default, or has none, and that cannot change", name))
		case known && isDate(old.Type) && !isDate(now.Type):
			complaints = append(complaints, t.checkDate(name, old)...)
		}
	}
	return complaints
}

// checkDate says what keeps a column of dates from becoming one of timestamps. Year, month and day of a date
// are those of its midnight; every other transform would give other values for the rows that are there, and
// a default would be no timestamp (MD14).
func (t Table) checkDate(name string, column iceberg.NestedField) []string {
	var complaints []string
	if column.InitialDefault != nil || column.WriteDefault != nil {
		complaints = append(complaints, fmt.Sprintf("column %q of type date has a default and cannot become a timestamp", name))
	}
	for _, spec := range t.Specs {
		for _, field := range spec.Fields() {
			if slices.Contains(field.SourceIDs, column.ID) && !isVoid(field) && !isTime(field) {
				complaints = append(complaints, fmt.Sprintf(
					"column %q of type date cannot become a timestamp, the values of partition field %q of spec %d would change",
					name, field.Name, spec.ID()))
			}
		}
	}
	return complaints
}

// checkSort compares the default sort order with a new schema.
func (t Table) checkSort(s *iceberg.Schema) []string {
	sources, err := t.defaultSortSources()
	if err != nil {
		return []string{err.Error()}
	}
	var complaints []string
	for _, id := range sources {
		if _, ok := s.FindFieldByID(id); !ok {
			complaints = append(complaints, fmt.Sprintf("the default sort order %d sorts by column %d, which is not there", t.DefaultSortOrderID, id))
		}
	}
	return complaints
}

// promotionsVersion is the format version from which on unknown and date may be promoted.
const promotionsVersion = 3

// mayBecome reports whether a column may change its type so. Nested types are compared by their own columns.
func mayBecome(version int, old, now iceberg.Type) bool {
	switch o := old.(type) {
	case *iceberg.StructType:
		_, ok := now.(*iceberg.StructType)
		return ok
	case *iceberg.ListType:
		_, ok := now.(*iceberg.ListType)
		return ok
	case *iceberg.MapType:
		_, ok := now.(*iceberg.MapType)
		return ok
	case iceberg.Int32Type:
		if _, ok := now.(iceberg.Int64Type); ok {
			return true
		}
	case iceberg.Float32Type:
		if _, ok := now.(iceberg.Float64Type); ok {
			return true
		}
	case iceberg.DecimalType:
		n, ok := now.(iceberg.DecimalType)
		return ok && n.Scale() == o.Scale() && n.Precision() >= o.Precision()
	case iceberg.DateType:
		switch now.(type) {
		case iceberg.TimestampType, iceberg.TimestampNsType:
			return version >= promotionsVersion
		}
	case iceberg.UnknownType:
		return version >= promotionsVersion || old.Equals(now)
	}
	return old.Equals(now)
}

func isDate(t iceberg.Type) bool {
	_, ok := t.(iceberg.DateType)
	return ok
}
