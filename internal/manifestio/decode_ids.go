package manifestio

import (
	"fmt"

	"github.com/firn-io/firn/tree"
)

// checkIDs refuses schemas whose field ids cannot be trusted: an id that stands twice anywhere, a field
// without an id in a struct whose fields all have one, and an id of the format in the wrong struct (rules
// 4.2; B51). Fields below a foreign column are only looked at for doubles.
func checkIDs(root *fileNode) error {
	if err := checkDoubles(root, make(map[int]*fileNode)); err != nil {
		return err
	}
	if err := checkMembers(root, "the file"); err != nil {
		return err
	}
	if root.child(idTracking) == nil {
		return nil // no v4 manifest, whatever its ids mean
	}
	for _, n := range root.children {
		if home, ok := fieldHomes[n.id]; ok && home != tree.InEntry {
			return kindf(ErrFieldIDs, "field %d of %s stands beside it", n.id, structName(home))
		}
		if n.isLeaf() {
			continue
		}
		switch n.id {
		case idTracking, idDV, idManifestInfo:
			if err := checkHomes(n); err != nil {
				return err
			}
		case idPartition, idContentStats:
			if err := checkMembers(n, structName(n.id)); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkDoubles refuses an id that two nodes have.
func checkDoubles(n *fileNode, seen map[int]*fileNode) error {
	for _, c := range n.children {
		if c.hasID {
			if other := seen[c.id]; other != nil {
				return kindf(ErrFieldIDs, "both %s and %s have field id %d", other.path(), c.path(), c.id)
			}
			seen[c.id] = c
		}
		if err := checkDoubles(c, seen); err != nil {
			return err
		}
	}
	return nil
}

// checkMembers refuses a member of a struct that has no id.
func checkMembers(n *fileNode, name string) error {
	for _, c := range n.children {
		if !c.hasID {
			return kindf(ErrFieldIDs, "column %s of %s has none", c.path(), name)
		}
	}
	return nil
}

// checkHomes refuses members of a known struct that have no id or belong elsewhere.
func checkHomes(n *fileNode) error {
	if err := checkMembers(n, structName(n.id)); err != nil {
		return err
	}
	for _, c := range n.children {
		if home, ok := fieldHomes[c.id]; ok && home != n.id {
			return kindf(ErrFieldIDs, "field %d of %s stands in %s", c.id, structName(home), structName(n.id))
		}
	}
	return nil
}

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

// structName names one of the format's structs for messages.
func structName(id int) string {
	switch id {
	case tree.InEntry:
		return "the entry"
	case idPartition:
		return fmt.Sprintf("partition (%d)", id)
	case idContentStats:
		return fmt.Sprintf("content_stats (%d)", id)
	}
	return fmt.Sprintf("%s (%d)", knownStructs[id].name, id)
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
