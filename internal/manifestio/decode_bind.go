package manifestio

import (
	"slices"

	"github.com/apache/iceberg-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/tree"
)

// binding says which columns of a file hold which parts of an entry. It is made once per file, by field id
// only, and never changes.
type binding struct {
	fields       []boundField
	splitOffsets *fileNode // the list group, or nil
	partition    *fileNode // the struct, or nil
	values       []boundValue
	stats        []boundStats
	foreign      []boundForeign
}

// boundField is a known field with its column.
type boundField struct {
	*knownField
	leaf *fileNode
	// floor is the definition level from which on the field's struct is there; a required field may be null
	// below it only.
	floor byte
}

// boundValue is a partition field with its column.
type boundValue struct {
	field iceberg.NestedField
	leaf  *fileNode
	form  valueForm
}

// binder builds a binding.
type binder struct {
	root *fileNode
	out  *binding
}

// bind resolves the columns of a file (rules 2, 4.8; B51).
func bind(root *fileNode) (*binding, error) {
	if err := checkIDs(root); err != nil {
		return nil, err
	}
	b := &binder{root: root, out: &binding{}}
	steps := []func() error{b.checkKind, b.bindFields, b.bindSplitOffsets, b.bindPartition, b.bindStats, b.bindForeign}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return b.out, nil
}

// checkKind refuses files that are no v4 manifest, and manifests in the numbering of August 2026: those have
// one of the ids that were given up, or an id with a type that it has no longer (Q3).
func (b *binder) checkKind() error {
	if b.root.child(idTracking) == nil {
		if record := b.root.child(idLegacyDataFile); record != nil && !record.isLeaf() {
			return kindf(ErrNotV4, "it holds manifest entries of versions 1 to 3")
		}
		return kindf(ErrNotV4, "there is no field tracking (%d)", idTracking)
	}
	info := b.root.child(idManifestInfo)
	if info == nil {
		return nil
	}
	for _, n := range info.children {
		long := n.isLeaf() && n.physical == format.Int64
		switch n.id {
		case idOldReplacedFiles:
			return kindf(ErrLegacyNumbering, "manifest_info has a field %d", n.id)
		case idFormatVersion, idReplacedFiles, idModifiedFiles:
			if long {
				return kindf(ErrLegacyNumbering, "field %d of manifest_info is a long", n.id)
			}
		}
	}
	return nil
}

const (
	idLegacyDataFile   = 2   // of the manifest_entry record of versions 1 to 3
	idOldReplacedFiles = 520 // replaced_files_count in August 2026
)

// bindFields resolves the scalar fields of the entry and of its structs.
func (b *binder) bindFields() error {
	if err := b.bindAll(b.root, entryFields); err != nil {
		return err
	}
	for _, s := range []struct {
		id     int
		fields []knownField
	}{{idTracking, trackingFields}, {idDV, dvFields}} {
		if err := b.bindStruct(s.id, s.fields); err != nil {
			return err
		}
	}
	info := b.root.child(idManifestInfo)
	fields := manifestFields
	old := b.root.child(idOldVersion)
	if info == nil || info.child(idFormatVersion) != nil {
		old = nil
	}
	if old != nil {
		fields = slices.DeleteFunc(slices.Clone(fields), func(f knownField) bool { return f.id == idFormatVersion })
	}
	if err := b.bindStruct(idManifestInfo, fields); err != nil || old == nil {
		return err
	}
	return b.bindAll(b.root, []knownField{oldVersionField})
}

// bindStruct resolves the fields of one of the known structs, which may be missing if it is optional.
func (b *binder) bindStruct(id int, fields []knownField) error {
	n := b.root.child(id)
	if n == nil {
		return nil
	}
	if err := checkStruct(n, knownStructs[id]); err != nil {
		return err
	}
	return b.bindAll(n, fields)
}

// checkStruct refuses a known struct that is something else in the file.
func checkStruct(n *fileNode, name string) error {
	if n.isLeaf() || n.repetition == tree.Repeated || n.annotation.name != "" {
		return kindf(ErrFieldIDs, "%s (%d) is %s, not a struct", name, n.id, n.describe())
	}
	return nil
}

// bindAll resolves fields among the children of a struct.
func (b *binder) bindAll(parent *fileNode, fields []knownField) error {
	var floor byte
	if parent.id != idTracking { // which is required: its own definition level has no say
		floor = byte(parent.def)
	}
	for i := range fields {
		f := &fields[i]
		leaf := parent.child(f.id)
		switch {
		case leaf == nil && f.required:
			return kindf(ErrFieldIDs, "%s is missing", f)
		case leaf == nil:
			continue
		case !leaf.isLeaf() || leaf.repetition == tree.Repeated || !f.typ.fits(leaf):
			return kindf(ErrFieldIDs, "%s is %s, not %s", f, leaf.describe(), f.typ)
		}
		b.out.fields = append(b.out.fields, boundField{knownField: f, leaf: leaf, floor: floor})
	}
	return nil
}

// bindSplitOffsets resolves the list split_offsets.
func (b *binder) bindSplitOffsets() error {
	list := b.root.child(idSplitOffsets)
	if list == nil {
		return nil
	}
	element := list.listElement()
	if element == nil || element.id != idSplitOffset || !longField.fits(element) {
		return kindf(ErrFieldIDs, "split_offsets (%d) is %s, not a list of longs (%d)", list.id, list.describe(), idSplitOffset)
	}
	b.out.splitOffsets = list
	return nil
}

// listElement returns the element of a three-level list, or nil if the node is something else.
func (n *fileNode) listElement() *fileNode {
	if n.annotation.name != "list" || len(n.children) != 1 || n.repetition == tree.Repeated {
		return nil
	}
	middle := n.children[0]
	if middle.repetition != tree.Repeated || len(middle.children) != 1 {
		return nil
	}
	element := middle.children[0]
	if !element.isLeaf() || element.repetition == tree.Repeated {
		return nil
	}
	return element
}

// bindPartition resolves the fields of the partition tuple, whose types are those of the file (rules 2.7.1).
// Negative ids are placeholders of old prototypes (rules 2.1.5).
func (b *binder) bindPartition() error {
	n := b.root.child(idPartition)
	if n == nil {
		return nil
	}
	if err := checkStruct(n, "partition"); err != nil {
		return err
	}
	for _, c := range n.children {
		if c.id < 0 {
			continue
		}
		typ, form, ok := valueType(c)
		if !c.isLeaf() || c.repetition == tree.Repeated || !ok {
			return kindf(ErrFieldIDs, "%s is %s, not a partition value", c.label(), c.describe())
		}
		field := iceberg.NestedField{ID: c.id, Name: c.name, Type: typ}
		b.out.values = append(b.out.values, boundValue{field: field, leaf: c, form: form})
	}
	slices.SortFunc(b.out.values, func(x, y boundValue) int { return x.field.ID - y.field.ID })
	if len(b.out.values) > 0 {
		b.out.partition = n
	}
	return nil
}
