package datafile

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// verdict is what the footer says about a file's value of one partition field.
type verdict struct {
	kind verdictKind
	// value is the partition value of all rows, or of some of them if there are several; other is another one.
	value, other tree.Value
}

type verdictKind int

const (
	verdictOpen verdictKind = iota
	verdictSingle
	verdictSeveral
)

// partition returns the tuple of a file under a spec (rules 2.7): each value as given, else from exact bounds, else
// from the source column itself.
func (in *inspector) partition(spec iceberg.PartitionSpec, given tree.Tuple) (tree.Tuple, error) {
	var values []tree.PartitionValue
	for _, field := range spec.Fields() {
		v, err := in.partitionValue(field, given)
		if err != nil {
			return nil, err
		}
		values = append(values, tree.PartitionValue{FieldID: field.FieldID, Value: v})
	}
	for _, v := range given {
		if !slices.ContainsFunc(values, func(p tree.PartitionValue) bool { return p.FieldID == v.FieldID }) {
			return nil, fmt.Errorf("partition field %d has a value but spec %d has no such field", v.FieldID, spec.ID())
		}
	}
	return tree.NewTuple(values...)
}

func (in *inspector) partitionValue(field iceberg.PartitionField, given tree.Tuple) (tree.Value, error) {
	i := slices.IndexFunc(given, func(v tree.PartitionValue) bool { return v.FieldID == field.FieldID })
	if i >= 0 {
		return in.checkGiven(field, given[i].Value)
	}
	if _, void := field.Transform.(iceberg.VoidTransform); void {
		return tree.Value{}, nil
	}
	c, known, err := in.source(field)
	if err != nil || !known {
		return tree.Value{}, err
	}
	v, err := in.fromBounds(field, c)
	if err == nil && v.kind == verdictOpen {
		v, err = in.fromColumn(field, c)
	}
	if err != nil {
		return tree.Value{}, err
	}
	if v.kind == verdictSeveral {
		return tree.Value{}, severalPartitions(field, v)
	}
	return v.value, nil
}

// checkGiven refuses a given value that the footer disproves.
func (in *inspector) checkGiven(field iceberg.PartitionField, value tree.Value) (tree.Value, error) {
	c, known := in.fit.find(field.SourceID())
	if !known || !derivable(field.Transform) {
		return value, nil
	}
	v, err := in.fromBounds(field, c)
	switch {
	case err != nil:
		return tree.Value{}, err
	case v.kind == verdictSeveral:
		return tree.Value{}, severalPartitions(field, v)
	case v.kind == verdictSingle && v.value != value:
		return tree.Value{}, partitionError(field, "%s was given, but the rows belong to %s", value, v.value)
	}
	return value, nil
}

func severalPartitions(field iceberg.PartitionField, v verdict) error {
	return partitionError(field, "the rows belong to more than one partition, such as %s and %s", v.value, v.other)
}

func partitionError(field iceberg.PartitionField, format string, args ...any) error {
	return &PartitionError{Field: field.Name, Reason: fmt.Sprintf(format, args...)}
}

// derivable reports whether values of the transform can be computed here.
func derivable(t iceberg.Transform) bool {
	switch t.(type) {
	case iceberg.IdentityTransform, iceberg.YearTransform, iceberg.MonthTransform, iceberg.DayTransform,
		iceberg.HourTransform, iceberg.BucketTransform, iceberg.TruncateTransform:
		return true
	}
	return false
}

// source returns the column behind a partition field; known is false if all its rows are null because the file
// lacks the column.
func (in *inspector) source(field iceberg.PartitionField) (c column, known bool, err error) {
	if len(field.SourceIDs) != 1 || !derivable(field.Transform) {
		return column{}, false, partitionError(field, "values of %s must be given", field.Transform)
	}
	c, found := in.fit.find(field.SourceID())
	if found && field.Transform.CanTransform(c.field.Type) {
		return c, true, nil
	}
	missing, lacks := in.fit.missing[field.SourceID()]
	switch {
	case found:
		return column{}, false, partitionError(field, "%s does not apply to %s", field.Transform, c.field.Type)
	case !lacks:
		return column{}, false, partitionError(field, "source column %d is no scalar column of the schema", field.SourceID())
	case missing.InitialDefault != nil, missing.Required:
		return column{}, false, partitionError(field, "the file lacks column %s, so the value must be given", missing.Name)
	}
	return column{}, false, nil
}

// fromBounds decides by the footer: null if all values are, else the value that the transform gives for both exact
// bounds. Inexact bounds decide nothing.
func (in *inspector) fromBounds(field iceberg.PartitionField, c column) (verdict, error) {
	s, err := in.stats(c)
	switch {
	case err != nil:
		return verdict{}, err
	case s.allNull():
		return verdict{kind: verdictSingle}, nil
	case s.nulls < 0 || !s.exact():
		return verdict{}, nil
	case !field.Transform.PreservesOrder() && s.lower.value != s.upper.value:
		return verdict{}, nil
	}
	low, err := apply(field.Transform, s.lower.value)
	if err != nil {
		return verdict{}, partitionError(field, "%v", err)
	}
	high, err := apply(field.Transform, s.upper.value)
	switch {
	case err != nil:
		return verdict{}, partitionError(field, "%v", err)
	case low != high:
		return verdict{kind: verdictSeveral, value: low, other: high}, nil
	case s.nulls > 0:
		return verdict{kind: verdictSeveral, value: low}, nil
	}
	return verdict{kind: verdictSingle, value: low}, nil
}

// fromColumn decides by the column itself.
func (in *inspector) fromColumn(field iceberg.PartitionField, c column) (verdict, error) {
	maxDef := in.file.leaves[c.node.column].maxDef
	v := verdict{kind: verdictSingle}
	var last raw
	var lastBytes []byte
	started, lastIsNull := false, false
	err := in.file.scan(c.node.column, func(def int, r raw, _ int64) error {
		isNull := def < maxDef
		if started && isNull == lastIsNull && (isNull || r.num == last.num && bytes.Equal(r.bytes, lastBytes)) {
			return nil
		}
		lastIsNull, last, lastBytes = isNull, r, append(lastBytes[:0], r.bytes...)
		value, err := in.partitionOf(field, c, isNull, r)
		switch {
		case err != nil:
			return err
		case !started:
			started, v.value = true, value
		case value != v.value:
			v.kind, v.other = verdictSeveral, value
			return errStop
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return verdict{}, err
	}
	return v, nil
}

// partitionOf returns the partition value of a stored value.
func (in *inspector) partitionOf(field iceberg.PartitionField, c column, isNull bool, r raw) (tree.Value, error) {
	if isNull {
		return tree.Value{}, nil
	}
	v, err := c.node.leaf.value(r)
	if err != nil {
		return tree.Value{}, err
	}
	return apply(field.Transform, promote(v, c.field.Type))
}

// apply returns the transform of a value that is not null. All NaNs are one.
func apply(t iceberg.Transform, v tree.Value) (tree.Value, error) {
	switch {
	case v.IsNaN() && v.Kind() == tree.KindFloat:
		v = tree.Float(float32(math.NaN()))
	case v.IsNaN():
		v = tree.Double(math.NaN())
	}
	if _, identity := t.(iceberg.IdentityTransform); identity {
		return v, nil
	}
	literal, ok := v.Literal()
	if !ok {
		return tree.Value{}, fmt.Errorf("%s has no %s", v, t)
	}
	result := t.Apply(iceberg.Optional[iceberg.Literal]{Val: literal, Valid: true})
	if !result.Valid || result.Val == nil {
		return tree.Value{}, fmt.Errorf("%s has no %s", v, t)
	}
	return tree.FromLiteral(result.Val)
}
