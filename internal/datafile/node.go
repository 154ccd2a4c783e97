package datafile

import (
	"fmt"

	"github.com/apache/iceberg-go"
	"github.com/parquet-go/parquet-go/format"
)

// noFieldID is the id of a column without one.
const noFieldID = -1

// node is a column of the file, seen as Iceberg sees it: the middle groups of lists and maps are gone.
type node struct {
	name string
	path *path
	// id is the field id, [noFieldID] if there is none.
	id       int
	optional bool
	// def is the definition level at which the column is present; parentDef that of its parent.
	def, parentDef int
	shape          shape
	// leaf is set for a scalar column; for the others, column is the ordinal of the first leaf inside.
	leaf   *leafType
	column int
	// children are the fields of a struct, the element of a list, or key and value of a map.
	children []*node
	// problem says why the column has no Iceberg type; such a column may only be ignored.
	problem string
}

// shape is what kind of type a column has.
type shape int

const (
	shapeLeaf shape = iota
	shapeStruct
	shapeList
	shapeMap
	shapeVariant
)

// treeBuilder builds nodes from the flat schema of a footer.
type treeBuilder struct {
	footer *footer
	pos    int
	limits Limits
	// leaves are the leaf columns in file order.
	leaves []leafColumn
}

// path is the place of a column in the file, middle groups included. Names are joined only for messages: a deep
// tree of long names would otherwise take the square of its size.
type path struct {
	name   string
	parent *path
}

// String returns the names joined by dots.
func (p *path) String() string {
	if p.parent == nil {
		return p.name
	}
	return p.parent.String() + "." + p.name
}

// leafColumn is what reading the pages of a column takes.
type leafColumn struct {
	path     *path
	physical format.Type
	width    int // of a FIXED_LEN_BYTE_ARRAY
	maxDef   int
	maxRep   int
}

// level is where in the nesting a node stands.
type level struct {
	path     *path
	def, rep int
}

// buildTree returns the top-level columns of a file and its leaf columns.
func buildTree(f *footer, limits Limits) ([]*node, []leafColumn, error) {
	b := treeBuilder{footer: f, limits: limits}
	root, err := b.raw()
	if err != nil {
		return nil, nil, err
	}
	var columns []*node
	for _, child := range root.children {
		columns = append(columns, b.node(child, level{}))
	}
	return columns, b.leaves, nil
}

// rawNode is a schema element with its children.
type rawNode struct {
	*format.SchemaElement
	id         int // [noFieldID] if there is none
	repetition format.FieldRepetitionType
	note       annotation
	children   []*rawNode
}

// raw nests the flat schema.
func (b *treeBuilder) raw() (*rawNode, error) {
	if len(b.footer.Schema) == 0 || b.footer.Schema[0].Type.Valid {
		return nil, malformed("schema without a root")
	}
	root, err := b.nest(0)
	if err != nil {
		return nil, err
	}
	if b.pos != len(b.footer.Schema) {
		return nil, malformed("schema has %d elements, its tree %d", len(b.footer.Schema), b.pos)
	}
	return root, nil
}

func (b *treeBuilder) nest(depth int) (*rawNode, error) {
	if b.pos == len(b.footer.Schema) {
		return nil, malformed("schema tree has more nodes than elements")
	}
	if depth > b.limits.Depth {
		return nil, fmt.Errorf("nesting of columns: %w (%d)", ErrLimit, b.limits.Depth)
	}
	n := b.element()
	switch physical := n.Type.V; {
	case n.Type.Valid && n.NumChildren.V > 0:
		return nil, malformed("schema element %q has a type and children", n.Name)
	case physical < format.Boolean || physical > format.FixedLenByteArray:
		return nil, malformed("schema element %q has physical type %d", n.Name, physical)
	case n.Type.Valid && physical == format.FixedLenByteArray && n.TypeLength.V <= 0:
		return nil, malformed("schema element %q has length %d", n.Name, n.TypeLength.V)
	case n.repetition < format.Required || n.repetition > format.Repeated:
		return nil, malformed("schema element %q has repetition %d", n.Name, n.repetition)
	}
	for range n.NumChildren.V {
		child, err := b.nest(depth + 1)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, child)
	}
	return n, nil
}

// element returns the next schema element.
func (b *treeBuilder) element() *rawNode {
	e := &b.footer.Schema[b.pos]
	n := &rawNode{SchemaElement: e, id: noFieldID, repetition: e.RepetitionType.V, note: noteOf(e)}
	if b.footer.HasFieldID[b.pos] {
		n.id = int(e.FieldID)
	}
	b.pos++
	return n
}

// enter returns the level inside an element.
func (l level) enter(n *rawNode) level {
	l.path = &path{name: n.Name, parent: l.path}
	if n.repetition != format.Required {
		l.def++
	}
	if n.repetition == format.Repeated {
		l.rep++
	}
	return l
}

// node returns the column that an element stands for, numbering the leaves below it.
func (b *treeBuilder) node(raw *rawNode, outer level) *node {
	at := outer.enter(raw)
	n := &node{name: raw.Name, path: at.path, id: raw.id, optional: raw.repetition == format.Optional,
		def: at.def, parentDef: outer.def, column: len(b.leaves)}
	switch {
	case raw.repetition == format.Repeated:
		n.problem = "a repeated column outside a list"
		b.skip(raw, at)
	case raw.Type.Valid:
		n.shape = shapeLeaf
		leaf, problem := leafTypeOf(raw)
		n.leaf, n.problem = leaf, problem
		b.addLeaf(raw, at)
	case raw.note.kind == noteVariant:
		n.shape = shapeVariant
		b.skip(raw, at)
	case raw.note.kind == noteList:
		b.list(n, raw, at)
	case raw.note.kind == noteMap:
		b.mapping(n, raw, at)
	default:
		n.shape = shapeStruct
		for _, child := range raw.children {
			n.children = append(n.children, b.node(child, at))
		}
		if len(n.children) == 0 {
			n.problem = "a group without columns"
		}
	}
	return n
}

// skip numbers the leaves below an element without a use for them.
func (b *treeBuilder) skip(raw *rawNode, at level) {
	if raw.Type.Valid {
		b.addLeaf(raw, at)
	}
	for _, child := range raw.children {
		b.skip(child, at.enter(child))
	}
}

func (b *treeBuilder) addLeaf(raw *rawNode, at level) {
	b.leaves = append(b.leaves, leafColumn{path: at.path, physical: raw.Type.V, width: int(raw.TypeLength.V),
		maxDef: at.def, maxRep: at.rep})
}

// list finds the element of a list, also in the forms that older writers gave it: the repeated field is the
// element itself where it is no group, has several fields, or bears one of two names.
func (b *treeBuilder) list(n *node, raw *rawNode, at level) {
	n.shape = shapeList
	if len(raw.children) != 1 || raw.children[0].repetition != format.Repeated {
		n.problem = "a list without a repeated field"
		b.skip(raw, at)
		return
	}
	repeated := raw.children[0]
	inner := at.enter(repeated)
	if !repeated.Type.Valid && len(repeated.children) == 1 && repeated.Name != "array" && repeated.Name != raw.Name+"_tuple" {
		n.children = []*node{b.node(repeated.children[0], inner)}
		return
	}
	required := *repeated
	required.repetition = format.Required
	element := b.node(&required, level{path: at.path, def: inner.def, rep: inner.rep})
	n.children = []*node{element}
}

// mapping finds key and value of a map.
func (b *treeBuilder) mapping(n *node, raw *rawNode, at level) {
	n.shape = shapeMap
	if len(raw.children) != 1 || raw.children[0].repetition != format.Repeated || len(raw.children[0].children) != 2 {
		n.problem = "a map without repeated keys and values"
		b.skip(raw, at)
		return
	}
	entries := raw.children[0]
	inner := at.enter(entries)
	for _, child := range entries.children {
		n.children = append(n.children, b.node(child, inner))
	}
}

// describe names the column's type for messages.
func (n *node) describe() string {
	switch {
	case n.problem != "":
		return n.problem
	case n.shape == shapeLeaf:
		return n.leaf.typ.String()
	case n.shape == shapeStruct:
		return "struct"
	case n.shape == shapeList:
		return "list"
	case n.shape == shapeMap:
		return "map"
	}
	return iceberg.VariantType{}.String()
}

// anyID reports whether a column or one inside has a field id.
func anyID(nodes []*node) bool {
	for _, n := range nodes {
		if n.id != noFieldID || anyID(n.children) {
			return true
		}
	}
	return false
}
