package manifestio

import (
	"fmt"

	"github.com/firn-io/firn/tree"
)

// fieldHomes is the struct of each field of the format.
var fieldHomes = func() map[int]int {
	homes := map[int]int{
		idTracking: tree.InEntry, idPartition: tree.InEntry, idContentStats: tree.InEntry, idDV: tree.InEntry,
		idManifestInfo: tree.InEntry, idSplitOffsets: tree.InEntry, idEqualityIDs: tree.InEntry,
		idColumnFiles: tree.InEntry, idOldVersion: tree.InEntry,
	}
	for _, fields := range [][]knownField{entryFields, trackingFields, dvFields, manifestFields} {
		for _, f := range fields {
			homes[f.id] = f.parent
		}
	}
	return homes
}()

// fieldNames are the names of the format's fields.
var fieldNames = func() map[int]string {
	names := map[int]string{
		idPartition: "partition", idContentStats: "content_stats", idSplitOffsets: "split_offsets",
		idEqualityIDs: "equality_ids", idColumnFiles: "column_files", idOldVersion: "format_version",
	}
	for id, s := range knownStructs {
		names[id] = s
	}
	for _, fields := range [][]knownField{entryFields, trackingFields, dvFields, manifestFields} {
		for _, f := range fields {
			names[f.id] = f.name
		}
	}
	return names
}()

// fieldLabel names a field for messages: its struct, its name and its id.
func fieldLabel(parent, id int) string {
	name, ok := fieldNames[id]
	if !ok {
		name = "field"
	}
	if parent != tree.InEntry {
		name = fieldNames[parent] + "." + name
	}
	return fmt.Sprintf("%s (%d)", name, id)
}

// structName names one of the format's structs for messages.
func structName(id int) string {
	if id == tree.InEntry {
		return "the entry"
	}
	return fmt.Sprintf("%s (%d)", fieldNames[id], id)
}

// label names the field that a column belongs to, by the format's names and ids whatever the file calls it.
func (n *fileNode) label() string {
	var chain []*fileNode // from the top field down
	for ; n.parent != nil; n = n.parent {
		chain = append([]*fileNode{n}, chain...)
	}
	top := chain[0].id
	switch {
	case len(chain) > 1 && top == idPartition:
		return fmt.Sprintf("partition (%d).%d", idPartition, chain[1].id)
	case len(chain) > 2 && top == idContentStats:
		return statsLabel(chain[1].id, chain[2].id)
	case len(chain) > 1 && knownStructs[top] != "":
		return fieldLabel(top, chain[1].id)
	}
	return fieldLabel(tree.InEntry, top)
}

// statsLabel names a member of a statistics struct.
func statsLabel(base, id int) string {
	name := "member"
	switch offset := id - base; offset {
	case offLower:
		name = "lower_bound"
	case offUpper:
		name = "upper_bound"
	default:
		for _, m := range memberFields {
			if m.offset == offset {
				name = m.name
			}
		}
	}
	return fmt.Sprintf("content_stats.%d.%s (%d)", base, name, id)
}

// describe says for messages what a node is in the file.
func (n *fileNode) describe() string {
	kind := "a struct"
	switch {
	case n.isLeaf() && n.annotation.name != "":
		kind = fmt.Sprintf("%s %s", n.physical, n.annotation)
	case n.isLeaf():
		kind = n.physical.String()
	case n.annotation.name != "":
		kind = "a " + n.annotation.String()
	}
	if n.repetition == tree.Repeated {
		kind = "repeated " + kind
	}
	return kind
}
