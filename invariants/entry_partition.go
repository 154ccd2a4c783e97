package invariants

import (
	"fmt"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

var partitionInvariants = []Invariant{
	{
		ID: "E-SPEC-PAIR", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 2.7.2, 2.7.3, 2.7.5, 20.1",
		Statement: "A data file has both a spec id and a partition or neither; a v4 manifest with a spec id has a partition.",
		Symptom:   "Readers refuse the row, or plan the file under no partition.",
		Advice:    "Write spec_id and partition together; both null for a file of a spec without fields.",
		check:     checker{entry: checkSpecPair},
	},
	{
		ID: "E-SPEC-KNOWN", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 2.7.1, 2.7.4",
		Statement: "The spec id is the id of one of the table's partition specs.",
		Symptom:   "Readers cannot tell what the partition values mean.",
		Advice:    "Keep every spec that a live file uses in the metadata.",
		check:     checker{entry: checkSpecKnown},
	},
	{
		ID: "E-SPEC-EMPTY", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 2.7.2, 20.1",
		Statement: "A data file whose spec has no fields is written with a null spec id.",
		Symptom:   "Readers see an unpartitioned file that claims a spec and has no partition type.",
		Advice:    "Write null for spec_id and partition.",
		check:     checker{entry: checkSpecEmpty},
	},
	{
		ID: "E-SPEC-NULL", Scope: ScopeEntry, Severity: Warning, Firmness: Derived, Rule: "rules 0.5-8, 2.7.2, 2.7.4",
		Statement: "Where a data file has a null spec id, the table has a partition spec without fields.",
		Symptom:   "Java's reader throws, for it looks for the spec that null stands for.",
		Advice:    "Write the spec id of partitioned files; keep the unpartitioned spec in the metadata while files use it.",
		check:     checker{entry: checkSpecNull},
	},
	{
		ID: "E-PARTITION-FIELD", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 2.7.1, B24",
		Statement: "Each partition value that is not null belongs to a field of the row's own spec.",
		Symptom:   "A value under the id of another spec's field: the file is pruned or matched by the wrong rule.",
		Advice:    "Write the tuple by the field ids of the file's own spec, null for all others.",
		check:     checker{entry: checkPartitionFields},
	},
	{
		ID: "E-PARTITION-KIND", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 2.7.1, B46",
		Statement: "Each partition value is one of the type that its field's transform yields.",
		Symptom:   "A value in another unit or type; readers compare it as if it were right.",
		Advice:    "Write the tuple in the result types of the spec's transforms.",
		check:     checker{entry: checkPartitionKinds},
	},
	{
		ID: "E-PARTITION-BOUNDS", Scope: ScopeEntry, Severity: Error, Firmness: Derived, Rule: "rules 2.7.1, 3.6",
		Statement: "The value of an identity partition field lies within the bounds of its source column.",
		Symptom:   "Either the partition or the bounds are wrong, so scans skip the file although rows in it match.",
		Advice:    "Read the file to see which of the two is wrong (D-BOUNDS, D-PARTITION).",
		check:     checker{entry: checkPartitionBounds},
	},
}

func checkSpecPair(in *entryInput, r reporter) {
	e := in.entry
	switch {
	case isData(e) && e.SpecID.Valid != (e.Partition != nil):
		r.report("partition", presence(e.SpecID.Valid)+", as spec_id", presence(e.Partition != nil))
	case isManifest(e) && !isLegacy(e) && e.SpecID.Valid && e.Partition == nil:
		r.report("partition", "a value beside spec_id", "null")
	}
}

func checkSpecKnown(in *entryInput, r reporter) {
	if id := in.entry.SpecID; id.Valid && len(in.table.Specs) > 0 {
		if _, known := in.table.spec(id.Val); !known {
			r.report("spec_id", "the id of a spec of the table", id)
		}
	}
}

func checkSpecEmpty(in *entryInput, r reporter) {
	if !isData(in.entry) || !in.entry.SpecID.Valid {
		return
	}
	if spec, known := in.table.spec(in.entry.SpecID.Val); known && spec.NumFields() == 0 {
		r.report("spec_id", "null for a spec without fields", in.entry.SpecID)
	}
}

func checkSpecNull(in *entryInput, r reporter) {
	if !isData(in.entry) || in.entry.SpecID.Valid || len(in.table.Specs) == 0 {
		return
	}
	for _, spec := range in.table.Specs {
		if onlyVoid(spec) {
			return
		}
	}
	r.report("spec_id", "the id of a spec, for the table has none without fields", in.entry.SpecID)
}

func checkPartitionFields(in *entryInput, r reporter) {
	if len(in.table.Specs) == 0 {
		return
	}
	spec, known := in.table.spec(in.entry.SpecID.Val)
	for _, p := range in.entry.Partition {
		switch {
		case p.Value.IsNull():
		case !in.table.hasPartitionField(p.FieldID):
			r.report("partition", "field ids of the table's specs", fmt.Sprintf("field %d", p.FieldID))
		case in.entry.SpecID.Valid && known && !hasField(spec, p.FieldID):
			r.report("partition", fmt.Sprintf("null for field %d, which spec %d lacks", p.FieldID, spec.ID()), p.Value)
		}
	}
}

func checkPartitionKinds(in *entryInput, r reporter) {
	for _, p := range in.entry.Partition {
		if p.Value.IsNull() {
			continue
		}
		for _, spec := range in.table.Specs {
			f, ok := partitionField(spec, p.FieldID)
			if !ok {
				continue
			}
			if types := in.table.partitionTypes(f); !fits(p.Value, types) {
				r.report("partition", fmt.Sprintf("%s in field %d", describe(types), p.FieldID), kindOf(p.Value))
			}
			break
		}
	}
}

// kindOf prints a value with its kind.
func kindOf(v tree.Value) string { return fmt.Sprintf("%s %s", v.Kind(), v) }

func checkPartitionBounds(in *entryInput, r reporter) {
	if !isData(in.entry) || !in.entry.SpecID.Valid {
		return
	}
	spec, _ := in.table.spec(in.entry.SpecID.Val)
	for _, f := range spec.Fields() {
		value := in.entry.Partition.Value(f.FieldID)
		if _, identity := f.Transform.(iceberg.IdentityTransform); !identity || value.IsNull() {
			continue
		}
		for _, stats := range in.entry.Stats {
			if stats.FieldID != f.SourceID() {
				continue
			}
			below, lower := compareBounds(value, stats.Lower)
			above, upper := compareBounds(value, stats.Upper)
			if lower && below < 0 || upper && above > 0 {
				r.report(fmt.Sprintf("partition[%d]", f.FieldID),
					fmt.Sprintf("a value from %s to %s, as column %d has them", stats.Lower, stats.Upper, stats.FieldID), value)
			}
		}
	}
}
