package manifestio

import (
	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// partitionField is the struct of rules 2.7. It has no children if no field of the union type can be stored.
func partitionField(s Schema) *field {
	values := new(strip[tree.Value])
	var fields []*field
	for _, f := range s.Partition {
		typ, ok := leafTypeOf(f.Type)
		if !ok {
			continue // of type unknown: left out of the file (rules 4.1)
		}
		c := &cells[tree.Value]{values, tupleDepth, gatherPartition(f.ID)}
		fields = append(fields, c.optional(f.Name, f.ID, typ, valueAppender(f.Type, typ)))
	}
	return group("partition", idPartition, optional, fields...)
}

// statsField is the struct of rules 3.
func statsField(s Schema) *field {
	shared := new(statsStrip)
	var fields []*field
	for _, col := range s.Stats {
		base, ok := StatsBaseID(col.FieldID)
		if !ok {
			continue
		}
		c := &cells[tree.FieldStats]{&shared.stats, statsDepth, shared.gather(col.FieldID)}
		members := append(boundFields(c, shared, col.Type, base), countFields(c, col.Type, base)...)
		fields = append(fields, group(col.Name, base, optional, members...))
	}
	return group("content_stats", idContentStats, optional, fields...)
}

// boundFields are the bounds in a column's statistics struct, and what is known about them (rules 3.1).
func boundFields(c *cells[tree.FieldStats], s *statsStrip, t iceberg.Type, base int) []*field {
	if isGeo(t) {
		return []*field{
			cornerField("lower_bound", base+offLower, c, &s.lower, t, base+offGeoLower),
			cornerField("upper_bound", base+offUpper, c, &s.upper, t, base+offGeoUpper),
		}
	}
	typ, ok := leafTypeOf(t)
	if !ok {
		return nil
	}
	put := valueAppender(t, typ)
	if isFloat(t) {
		put = notNaN(put)
	}
	return []*field{
		leaf("lower_bound", base+offLower, optional, typ, c, shred(&s.lower, statsDepth, statsDepth+1, put)),
		leaf("upper_bound", base+offUpper, optional, typ, c, shred(&s.upper, statsDepth, statsDepth+1, put)),
		c.optional("tight_bounds", base+offTight, boolLeaf, appendTight),
	}
}

// cornerField is one corner of a bounding box (rules 3.1).
func cornerField(name string, id int, c *cells[tree.FieldStats], corner *strip[tree.Value], t iceberg.Type, first int) *field {
	const depth = statsDepth + 1
	var fields []*field
	for axis, name := range []string{"x", "y", "z", "m"} {
		rep, full := required, int16(depth)
		if axis >= optionalAxis {
			rep, full = optional, depth+1
		}
		fields = append(fields, leaf(name, first+axis, rep, doubleLeaf, c, shred(corner, depth, full, appendCoordinate(t, axis))))
	}
	return group(name, id, optional, fields...)
}

// countFields are the counts in a column's statistics struct (rules 3.1).
func countFields(c *cells[tree.FieldStats], t iceberg.Type, base int) []*field {
	type stats = *tree.FieldStats
	fields := []*field{
		c.optional("value_count", base+offValues, longLeaf, func(dst []byte, s stats) ([]byte, bool, error) { return putOptionalLong(dst, s.ValueCount) }),
		c.optional("null_value_count", base+offNulls, longLeaf, func(dst []byte, s stats) ([]byte, bool, error) { return putOptionalLong(dst, s.NullCount) }),
	}
	switch {
	case isFloat(t):
		fields = append(fields, c.optional("nan_value_count", base+offNaNs, longLeaf,
			func(dst []byte, s stats) ([]byte, bool, error) { return putOptionalLong(dst, s.NaNCount) }))
	case hasSize(t):
		fields = append(fields, c.optional("avg_value_size_in_bytes", base+offAvgSize, intLeaf,
			func(dst []byte, s stats) ([]byte, bool, error) { return putOptionalInt(dst, s.AvgSizeBytes) }))
	}
	return fields
}

func isFloat(t iceberg.Type) bool {
	switch t.(type) {
	case iceberg.Float32Type, iceberg.Float64Type:
		return true
	}
	return false
}

// hasSize reports whether values of a type differ in size.
func hasSize(t iceberg.Type) bool {
	switch t.(type) {
	case iceberg.StringType, iceberg.BinaryType:
		return true
	}
	return isGeo(t)
}
