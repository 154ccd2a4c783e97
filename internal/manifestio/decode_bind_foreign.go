package manifestio

import (
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/tree"
)

// boundForeign is a column, or tree of columns, that is carried without being read (S45, rules 15.3).
type boundForeign struct {
	parent int
	typ    *tree.ForeignType
	node   *fileNode
	base   byte // the definition level at which the parent is not null
	leaves []*fileNode
}

// bindForeign collects the columns of the entry and of its two open structs that nothing else reads. They
// are ordered by struct and id, so that the order of columns in a file does not show.
func (b *binder) bindForeign() error {
	read := []int{idPartition, idContentStats, idTracking, idDV, idManifestInfo, idSplitOffsets, idOldVersion}
	for _, f := range entryFields {
		read = append(read, f.id)
	}
	b.collectForeign(b.root, tree.InEntry, read)
	for _, s := range []struct {
		id     int
		fields []knownField
	}{{idTracking, trackingFields}, {idManifestInfo, manifestFields}} {
		n := b.root.child(s.id)
		if n == nil {
			continue
		}
		read = read[:0]
		for _, f := range s.fields {
			read = append(read, f.id)
		}
		b.collectForeign(n, s.id, read)
	}
	slices.SortStableFunc(b.out.foreign, func(x, y boundForeign) int {
		if x.parent != y.parent {
			return x.parent - y.parent
		}
		return x.typ.ID - y.typ.ID
	})
	return nil
}

// collectForeign adds the children of a struct whose ids are not among those read.
func (b *binder) collectForeign(n *fileNode, parent int, read []int) {
	for _, c := range n.children {
		if slices.Contains(read, c.id) {
			continue
		}
		f := boundForeign{parent: parent, node: c, base: byte(n.def)}
		f.typ = f.describe(c)
		b.out.foreign = append(b.out.foreign, f)
	}
}

// describe turns a node of the file into the type that its values are carried with, and collects its leaves.
// The converted type is left out: it follows from the logical one, and files with and without it are alike.
func (f *boundForeign) describe(n *fileNode) *tree.ForeignType {
	t := &tree.ForeignType{
		ID: noID, Name: n.name, Repetition: n.repetition, Logical: n.annotation.String(),
		Precision: n.annotation.precision, Scale: n.annotation.scale,
	}
	if n.hasID {
		t.ID = n.id
	}
	if n.isLeaf() {
		t.Physical = n.physical.String()
		if n.physical == format.FixedLenByteArray {
			t.TypeLength = n.typeLength
		}
		f.leaves = append(f.leaves, n)
	}
	for _, c := range n.children {
		t.Children = append(t.Children, f.describe(c))
	}
	return t
}
