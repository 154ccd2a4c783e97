package interop_test

import (
	"encoding/binary"

	"github.com/firn-io/firn/tree"
)

// sampleForeign returns what entry i carries without knowing it: a list of column files (rules 15), a struct whose
// member has no field id, and a field in tracking. Every other entry lacks the last two.
func sampleForeign(i int) []tree.ForeignField {
	fields := []tree.ForeignField{{Parent: tree.InEntry, Type: columnFilesType, Cells: columnFilesCells(i)}}
	if i%2 == 0 {
		fields = append(fields,
			tree.ForeignField{Parent: tree.InEntry, Type: noteType, Cells: []tree.ForeignCell{{Def: 1, Value: "note 漢"}}},
			tree.ForeignField{Parent: tree.InTracking, Type: ownerType, Cells: []tree.ForeignCell{{Def: 1, Value: longBytes(int64(i))}}})
	}
	return fields
}

func leafType(id int, name string, repetition tree.Repetition, physical, logical string) *tree.ForeignType {
	return &tree.ForeignType{ID: id, Name: name, Repetition: repetition, Physical: physical, Logical: logical}
}

func groupType(id int, name string, repetition tree.Repetition, logical string, children ...*tree.ForeignType) *tree.ForeignType {
	return &tree.ForeignType{ID: id, Name: name, Repetition: repetition, Logical: logical, Children: children}
}

var (
	// columnFilesType is the list of rules 15, with two of its members.
	columnFilesType = groupType(158, "column_files", tree.Optional, "list",
		groupType(-1, "list", tree.Repeated, "",
			groupType(159, "element", tree.Required, "",
				leafType(164, "location", tree.Optional, "BYTE_ARRAY", "string"),
				leafType(166, "file_size_in_bytes", tree.Required, "INT64", ""))))
	noteType  = groupType(900, "note", tree.Optional, "", leafType(-1, "text", tree.Required, "BYTE_ARRAY", "string"))
	ownerType = leafType(90, "owner_since", tree.Optional, "INT64", "timestamp(micros,utc)")
)

// columnFile is an element of the list.
type columnFile struct {
	location  string // empty for null
	sizeBytes int64
}

// columnFilesOf are the column files of entry i.
func columnFilesOf(i int) []columnFile {
	return []columnFile{{"cf/0.parquet", 1 << 34}, {"", 5}, {"cf/2.parquet", int64(i)}}[:i%4]
}

// columnFilesCells shreds them: the definition level is 1 for an empty list, 2 for a value of an element, and 3 for an
// optional one.
func columnFilesCells(i int) []tree.ForeignCell {
	files := columnFilesOf(i)
	if len(files) == 0 {
		return []tree.ForeignCell{{Leaf: 0, Def: 1}, {Leaf: 1, Def: 1}}
	}
	var locations, sizes []tree.ForeignCell
	for n, f := range files {
		location := tree.ForeignCell{Leaf: 0, Rep: min(n, 1), Def: 3, Value: f.location}
		if f.location == "" {
			location.Def = 2
		}
		locations = append(locations, location)
		sizes = append(sizes, tree.ForeignCell{Leaf: 1, Rep: min(n, 1), Def: 2, Value: longBytes(f.sizeBytes)})
	}
	return append(locations, sizes...)
}

func longBytes(n int64) string {
	return string(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}
