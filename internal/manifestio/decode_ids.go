package manifestio

import (
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
