package metadata

import (
	"cmp"
	"slices"

	"github.com/apache/iceberg-go"
)

// WithSpec returns the table with a default spec of these fields, under the next spec id, or under its old one
// if the table has such a spec. The field ids of the argument do not count: a field that some spec has, with
// the same source and transform, keeps its id, others get the next ones (MD11).
func (t Table) WithSpec(spec iceberg.PartitionSpec) (Table, error) {
	fields := fieldsOf(spec)
	last := t.lastPartitionID()
	for i := range fields {
		known, ok := t.equivalent(fields[i])
		if !ok {
			last++
			known.FieldID = last
		}
		fields[i].FieldID = known.FieldID
	}
	return t.partitioned(fields)
}

// partitioned returns the table with a default spec of these fields, ids included.
func (t Table) partitioned(fields []iceberg.PartitionField) (Table, error) {
	next := 0
	for _, known := range t.Specs {
		next = max(next, known.ID()+1)
	}
	spec := iceberg.NewPartitionSpecID(next, fields...)
	if err := refusal("the new partition spec", checkSpec(spec, t.Schema())); err != nil {
		return Table{}, err
	}
	for _, known := range t.Specs {
		if known.CompatibleWith(&spec) {
			t.DefaultSpecID = known.ID()
			return t, nil
		}
	}
	t.LastPartitionID = max(t.lastPartitionID(), highestPartitionFieldID([]iceberg.PartitionSpec{spec}))
	t.Specs = appended(t.Specs, spec)
	t.DefaultSpecID = next
	return t, nil
}

// lastPartitionID is above all ids of partition fields, even if last-partition-id is not.
func (t Table) lastPartitionID() int {
	return max(t.LastPartitionID, highestPartitionFieldID(t.Specs))
}

// equivalent returns the field of some spec that has the source and transform of another one: the newest of
// the same name, else the newest of any name. Void fields of one source may be different ones, so only the
// name tells them apart.
func (t Table) equivalent(field iceberg.PartitionField) (iceberg.PartitionField, bool) {
	var found iceberg.PartitionField
	ok := false
	for _, spec := range t.specsNewestFirst() {
		for _, known := range spec.Fields() {
			if !slices.Equal(known.SourceIDs, field.SourceIDs) || !known.Transform.Equals(field.Transform) {
				continue
			}
			if known.Name == field.Name {
				return known, true
			}
			if !ok && !isVoid(field) {
				found, ok = known, true
			}
		}
	}
	return found, ok
}

func (t Table) specsNewestFirst() []iceberg.PartitionSpec {
	return slices.SortedStableFunc(slices.Values(t.Specs), func(a, b iceberg.PartitionSpec) int {
		return cmp.Compare(b.ID(), a.ID())
	})
}
