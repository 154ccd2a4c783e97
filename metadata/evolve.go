package metadata

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/apache/iceberg-go"
)

// WithProperties returns the table with properties set, and those of the names in remove removed.
func (t Table) WithProperties(set map[string]string, remove ...string) Table {
	properties := maps.Clone(t.Properties)
	if properties == nil {
		properties = map[string]string{}
	}
	for _, name := range remove {
		delete(properties, name)
	}
	maps.Copy(properties, set)
	t.Properties = properties
	return t
}

// WithRef returns the table with a branch or tag set. Its snapshot must be there, and a ref keeps its type.
// Moving main moves current-snapshot-id and goes into the snapshot log.
func (t Table) WithRef(ref Ref) (Table, error) {
	old, exists := t.Ref(ref.Name)
	_, retained := t.Snapshot(ref.SnapshotID)
	var err error
	switch {
	case ref.Name == "":
		err = errors.New("it has no name")
	case ref.Type != Branch && ref.Type != Tag:
		err = fmt.Errorf("its type is %q", ref.Type)
	case ref.Name == MainBranch && ref.Type != Branch:
		err = errors.New("it must be a branch")
	case exists && old.Type != ref.Type:
		err = fmt.Errorf("it is a %s already", old.Type)
	case !retained:
		err = fmt.Errorf("snapshot %d is not among the snapshots", ref.SnapshotID)
	}
	if err != nil {
		return Table{}, fmt.Errorf("metadata: ref %q: %w", ref.Name, err)
	}
	return t.pointed(ref), nil
}

// WithoutRef returns the table without a branch or tag; main cannot go.
func (t Table) WithoutRef(name string) (Table, error) {
	if _, ok := t.Ref(name); !ok {
		return Table{}, fmt.Errorf("metadata: ref %q: there is none", name)
	}
	if name == MainBranch {
		return Table{}, fmt.Errorf("metadata: ref %q: it cannot be dropped", name)
	}
	t.Refs = slices.DeleteFunc(slices.Clone(t.Refs), func(r Ref) bool { return r.Name == name })
	return t, nil
}

// WithSchema returns the table with s as its current schema, under the next schema id, or under its old one if
// the table has an equal schema. The field id of a known column must keep the column's type or widen it; new
// columns need ids above last-column-id; the default spec must still apply (MD11).
func (t Table) WithSchema(s *iceberg.Schema) (Table, error) {
	check := checkSchema(s)
	complaints := append(check.complaints, t.checkColumns(s, check)...)
	complaints = append(complaints, checkSpec(t.Spec(), s)...)
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
		case known && !mayBecome(old.Type, now.Type):
			complaints = append(complaints, fmt.Sprintf("column %q of type %s cannot become %s", name, old.Type, now.Type))
		}
	}
	return complaints
}

// mayBecome reports whether a column may change its type so. Nested types are compared by their own columns.
func mayBecome(old, now iceberg.Type) bool {
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
	case iceberg.UnknownType:
		return true
	}
	return old.Equals(now)
}

// WithSpec returns the table with a default spec of these fields, under the next spec id, or under its old one
// if the table has such a spec. The field ids of the argument do not count: a field that the table has had
// under the same name keeps its id, others get the next ones (MD11).
func (t Table) WithSpec(spec iceberg.PartitionSpec) (Table, error) {
	fields := fieldsOf(spec)
	last := t.LastPartitionID
	for i := range fields {
		id, ok := t.partitionFieldID(fields[i])
		if !ok {
			last++
			id = last
		}
		fields[i].FieldID = id
	}
	next := 0
	for _, known := range t.Specs {
		next = max(next, known.ID()+1)
	}
	spec = iceberg.NewPartitionSpecID(next, fields...)
	if err := refusal("the new partition spec", checkSpec(spec, t.Schema())); err != nil {
		return Table{}, err
	}
	for _, known := range t.Specs {
		if known.CompatibleWith(&spec) {
			t.DefaultSpecID = known.ID()
			return t, nil
		}
	}
	t.Specs = appended(t.Specs, spec)
	t.DefaultSpecID = next
	t.LastPartitionID = last
	return t, nil
}

// partitionFieldID returns the id that a field of this name, source and transform has in some spec.
func (t Table) partitionFieldID(field iceberg.PartitionField) (int, bool) {
	for _, spec := range t.Specs {
		for _, known := range spec.Fields() {
			if known.Name == field.Name && slices.Equal(known.SourceIDs, field.SourceIDs) &&
				known.Transform.Equals(field.Transform) {
				return known.FieldID, true
			}
		}
	}
	return 0, false
}
