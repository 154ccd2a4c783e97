package commit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// validate reports everything that is wrong with the change by itself, whatever the table holds. It drops the files that
// the transaction removed again.
func (x *Txn) validate() error {
	problems := x.problems
	for _, t := range x.targets {
		if t.Hint != nil && (t.Hint.Origin.TableUUID != x.base.Metadata.UUID || t.Hint.Location != t.location) {
			problems = append(problems, fmt.Errorf("%s: the hint is of another table or file", t.location))
		}
		if t.Hint != nil && t.FileSequenceNumber.Valid && t.FileSequenceNumber != t.Hint.Entry.Tracking.FileSequenceNumber {
			problems = append(problems, fmt.Errorf("%s: the hint is of a file with another sequence number", t.location))
		}
	}
	x.adds = slices.DeleteFunc(x.adds, func(a *add) bool { return a.withdrawn })
	fields, err := x.base.Metadata.UnionPartitionFields()
	if err != nil {
		return err
	}
	seen := make(map[string]bool)
	for _, a := range x.adds {
		if seen[a.location] {
			problems = append(problems, fmt.Errorf("%s: added and added in one transaction", a.location))
		}
		if t := x.named[a.location]; t != nil {
			what := "changed"
			if t.remove {
				what = "removed"
			}
			problems = append(problems, fmt.Errorf("%s: %s and added in one transaction", a.location, what))
		}
		seen[a.location] = true
		if err := cmp.Or(x.validateFile(a.file), validateValues(x.base.Metadata.Schema(), fields, a.file), x.checkEntry(x.newRow(a))); err != nil {
			problems = append(problems, err)
		}
	}
	return refused(append(problems, x.validateRestore()...))
}

// checkEntry holds what a caller says of a file to the rules of entries, so that what is wrong with it is refused as
// the caller's and not as a fault of the engine.
func (x *Txn) checkEntry(entry tree.Entry) error {
	entry.Stats = entry.Stats.Settled()
	place := invariants.Place{Object: tree.Resolve(x.base.Location, entry.Location), Row: -1}
	for v := range invariants.CheckEntry(invariants.TableOf(x.base.Metadata), place, entry) {
		if v.Severity == invariants.Error {
			return errors.New(v.Message())
		}
	}
	return nil
}

// validateFile checks a file against the table's specs (rules 2.7).
func (x *Txn) validateFile(f tree.File) error {
	if err := f.Validate(); err != nil {
		return err
	}
	return validateSpec(x.base.Metadata, f)
}

// validateSpec checks that a table has the spec of a file, and the spec the fields of its tuple.
func validateSpec(m metadata.Table, f tree.File) error {
	if !f.SpecID.Valid {
		if slices.ContainsFunc(m.Specs, iceberg.PartitionSpec.IsUnpartitioned) {
			return nil
		}
		return fmt.Errorf("%s: no spec id, and the table has no unpartitioned spec", f.Location)
	}
	spec, ok := m.SpecByID(int(f.SpecID.Val))
	if !ok {
		return fmt.Errorf("%s: the table has no partition spec %d", f.Location, f.SpecID.Val)
	}
	for _, v := range f.Partition {
		if !hasField(spec, v.FieldID) {
			return fmt.Errorf("%s: partition spec %d has no field %d", f.Location, f.SpecID.Val, v.FieldID)
		}
	}
	return nil
}

// validateValues checks that the partition values and bounds of a file are of the table's types, or of types that
// those were promoted from. Statistics of columns that the schema lacks are not written, and not looked at.
func validateValues(schema *iceberg.Schema, fields []iceberg.NestedField, f tree.File) error {
	for _, v := range f.Partition {
		for _, field := range fields {
			if field.ID == v.FieldID && !fits(v.Value, field.Type) {
				return fmt.Errorf("%s: partition field %d is a %s, its value a %s", f.Location, v.FieldID, field.Type, v.Value.Kind())
			}
		}
	}
	for _, s := range f.Stats {
		column, ok := schema.FindFieldByID(s.FieldID)
		for _, bound := range [...]tree.Value{s.Lower, s.Upper} {
			if ok && !fits(bound, column.Type) {
				return fmt.Errorf("%s: column %d is a %s, its bound a %s", f.Location, s.FieldID, column.Type, bound.Kind())
			}
		}
	}
	return nil
}

// fits reports whether a value can stand for one of a type.
func fits(v tree.Value, t iceberg.Type) bool {
	kind, ok := tree.KindOf(t)
	switch {
	case v.IsNull() || ok && v.Kind() == kind:
		return true
	case v.Kind() == tree.KindInt:
		return kind == tree.KindLong
	case v.Kind() == tree.KindFloat:
		return kind == tree.KindDouble
	case v.Kind() == tree.KindDate:
		return kind == tree.KindTimestamp || kind == tree.KindTimestampNano
	}
	return false
}

func hasField(spec iceberg.PartitionSpec, id int) bool {
	for _, field := range spec.Fields() {
		if field.FieldID == id {
			return true
		}
	}
	return false
}
