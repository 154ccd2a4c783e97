package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// listing is what the columns of a list of files need to know of the table.
type listing struct {
	// union are the partition fields of all specs (rules 2.7.1).
	union []iceberg.NestedField
	// table is the table's location.
	table string
}

// fileColumn is a column of firn files.
type fileColumn struct {
	name string
	cell func(l listing, f tree.Located) cell
}

// fileColumns are the columns for scripts, which depend on their names and order.
var fileColumns = []fileColumn{
	{"location", func(_ listing, f tree.Located) cell { return textCell(f.Location) }},
	recordCount,
	fileSize,
	{"snapshot_id", func(_ listing, f tree.Located) cell { return optionalCell(f.Entry.Tracking.SnapshotID) }},
	sequenceNumber,
	{"file_sequence_number", func(_ listing, f tree.Located) cell { return optionalCell(f.Entry.Tracking.FileSequenceNumber) }},
	{"first_row_id", func(_ listing, f tree.Located) cell { return optionalCell(f.Entry.Tracking.FirstRowID) }},
	{"spec_id", func(_ listing, f tree.Located) cell { return optionalCell(f.Entry.SpecID) }},
	partition,
	{"dv_location", dvCell(func(l listing, dv tree.DeletionVector) cell {
		return textCell(tree.Resolve(l.table, dv.Location))
	})},
	{"dv_offset", dvCell(func(_ listing, dv tree.DeletionVector) cell { return numberCell(dv.OffsetBytes) })},
	{"dv_size_bytes", dvCell(func(_ listing, dv tree.DeletionVector) cell { return numberCell(dv.SizeBytes) })},
	dvCardinality,
	status,
	{"manifest", func(_ listing, f tree.Located) cell { return textCell(holder(f)) }},
	{"position", func(_ listing, f tree.Located) cell { return numberCell(f.Position) }},
}

// fileTextColumns are the columns for people, with locations relative to the table.
var fileTextColumns = []fileColumn{
	{"location", func(l listing, f tree.Located) cell { return textCell(tree.Relativize(l.table, f.Location)) }},
	recordCount,
	fileSize,
	sequenceNumber,
	partition,
	dvCardinality,
	status,
	{"manifest", func(l listing, f tree.Located) cell { return textCell(tree.Relativize(l.table, holder(f))) }},
}

// Columns that stand in both lists.
var (
	recordCount    = fileColumn{"record_count", func(_ listing, f tree.Located) cell { return numberCell(f.Entry.RecordCount) }}
	fileSize       = fileColumn{"file_size_bytes", func(_ listing, f tree.Located) cell { return numberCell(f.Entry.FileSizeBytes) }}
	sequenceNumber = fileColumn{"sequence_number", func(_ listing, f tree.Located) cell {
		return optionalCell(f.Entry.Tracking.SequenceNumber)
	}}
	partition     = fileColumn{"partition", func(l listing, f tree.Located) cell { return partitionCell(f.Entry.Partition, l.union) }}
	dvCardinality = fileColumn{"dv_cardinality", dvCell(func(_ listing, dv tree.DeletionVector) cell {
		return numberCell(dv.Cardinality)
	})}
	status = fileColumn{"status", func(_ listing, f tree.Located) cell { return textCell(f.Entry.Tracking.Status.String()) }}
)

// deletesColumn is the column of --deletes. Delete files stand in delete manifests alone, and a tree that has one is
// refused before anything is printed.
var deletesColumn = fileColumn{"deletes", func(listing, tree.Located) cell { return jsonCell([]byte("[]")) }}

// dvCell returns a column of the deletion vector.
func dvCell(of func(listing, tree.DeletionVector) cell) func(listing, tree.Located) cell {
	return func(l listing, f tree.Located) cell {
		if !f.Entry.DeletionVector.Valid {
			return nullCell
		}
		return of(l, f.Entry.DeletionVector.Val)
	}
}

// holder returns the location of the leaf that holds an entry, or the word for the root.
func holder(f tree.Located) string { return cmp.Or(f.Manifest, "root") }

// partitionCell prints a tuple with all fields of a union of specs: as JSON by name or, in tab-separated lines, by id;
// for people, those that have a value.
func partitionCell(t tree.Tuple, union []iceberg.NestedField) cell {
	if t == nil {
		return nullCell
	}
	names := unionNames(union)
	byID, byName := object{dst: []byte{'{'}}, object{dst: []byte{'{'}}
	var text []string
	for i, field := range union {
		v := t.Value(field.ID)
		value := string(appendValue(nil, v))
		byID.raw(strconv.Itoa(field.ID), value)
		byName.raw(names[i], value)
		if !v.IsNull() {
			text = append(text, fmt.Sprintf("%s=%s", names[i], v))
		}
	}
	return cell{
		text: cmp.Or(strings.Join(text, ","), "null"),
		json: string(append(byName.dst, '}')),
		tsv:  string(append(byID.dst, '}')),
	}
}

// unionNames returns the names of partition fields. Fields of two specs may share a name: those have their id too.
func unionNames(union []iceberg.NestedField) []string {
	uses := make(map[string]int)
	for _, field := range union {
		uses[field.Name]++
	}
	names := make([]string, len(union))
	for i, field := range union {
		names[i] = field.Name
		if uses[field.Name] > 1 {
			names[i] = fmt.Sprintf("%s_%d", field.Name, field.ID)
		}
	}
	return names
}
