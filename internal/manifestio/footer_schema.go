package manifestio

import (
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/internal/parquetguard"
	"github.com/firn-io/firn/tree"
)

// maxSchemaDepth bounds the nesting of columns, and with it every definition and repetition level.
const maxSchemaDepth = 64

// maxFixedBytes bounds the length of fixed-length values, as all known writers do.
const maxFixedBytes = 1 << 15

// maxNameInMessage is how much of a column's name a message repeats.
const maxNameInMessage = 64

// schemaElement is one SchemaElement struct of a footer.
type schemaElement struct {
	name       string
	leaf       bool // whether there is a physical type
	physical   format.Type
	typeLength int64
	repetition tree.Repetition
	children   int64
	id         int
	hasID      bool
	logical    fileAnnotation
	converted  int64 // number of the converted type, -1 for none
	// precision and scale belong to a converted decimal; the logical type has its own.
	precision, scale int
}

// annotation returns the element's logical type, or what its converted type stands for.
func (e *schemaElement) annotation() fileAnnotation {
	if e.logical.name != "" || e.converted < 0 {
		return e.logical
	}
	return convertedType(e.converted, e.precision, e.scale)
}

// fileNode is a node of the schema of a file: a column, or a struct or list of columns.
type fileNode struct {
	name       string
	parent     *fileNode // nil for the root
	id         int       // meaningful only with hasID: 0 is an id like any other
	hasID      bool
	repetition tree.Repetition
	children   []*fileNode // none for a leaf

	physical   format.Type
	typeLength int
	annotation fileAnnotation

	// def and rep are the definition level at which the node itself is not null, and the repetition level
	// of a repetition within it. column is the number of the node's first leaf.
	def, rep int
	column   int
}

// isLeaf reports whether the node is a column.
func (n *fileNode) isLeaf() bool { return len(n.children) == 0 }

// child returns the child with the given id, or nil.
func (n *fileNode) child(id int) *fileNode {
	for _, c := range n.children {
		if c.hasID && c.id == id {
			return c
		}
	}
	return nil
}

// path returns the dotted names of the node from below the root, for messages only. It is built when asked
// for: hostile names would make storing it for every node expensive.
func (n *fileNode) path() string {
	if n.parent == nil {
		return ""
	}
	name := n.name
	if len(name) > maxNameInMessage {
		name = name[:maxNameInMessage] + "..."
	}
	return strings.TrimPrefix(n.parent.path()+"."+name, ".")
}

// parseSchemaElement decodes a SchemaElement struct.
func parseSchemaElement(t *parquetguard.Reader) (e schemaElement) {
	named := false
	e.converted = -1
	t.Object(func(id int, typ byte) {
		switch id {
		case 1:
			e.physical, e.leaf = format.Type(t.Number(typ)), true
		case 2:
			e.typeLength = t.Number(typ)
		case 3:
			e.repetition = parseRepetition(t, t.Number(typ))
		case 4:
			e.name, named = t.Text(typ), true
		case 5:
			e.children = t.Number(typ)
		case 6:
			e.converted = t.Number(typ)
		case 7:
			e.scale = int(t.Number(typ))
		case 8:
			e.precision = int(t.Number(typ))
		case 9:
			e.id, e.hasID = int(t.Number(typ)), true
		case 10:
			e.logical = parseLogicalType(t, typ)
		default:
			t.Skip(typ)
		}
	})
	if !named {
		t.Fail("a schema element without a name")
	}
	return e
}

// parseRepetition maps Parquet's FieldRepetitionType.
func parseRepetition(t *parquetguard.Reader, v int64) tree.Repetition {
	switch format.FieldRepetitionType(v) {
	case format.Required:
		return tree.Required
	case format.Optional:
		return tree.Optional
	case format.Repeated:
		return tree.Repeated
	}
	t.Fail("repetition type %d", v)
	return 0
}

// schemaBuilder turns the flat list of a footer's schema elements into a tree.
type schemaBuilder struct {
	elements []schemaElement
	next     int
	leaves   []*fileNode
}

// buildSchema returns the root of the schema and its leaves in column order.
func buildSchema(elements []schemaElement) (*fileNode, []*fileNode, error) {
	if len(elements) == 0 {
		return nil, nil, fmt.Errorf("schema: empty")
	}
	root := &fileNode{name: elements[0].name}
	b := &schemaBuilder{elements: elements, next: 1}
	if err := b.fill(root, elements[0].children, 0); err != nil {
		return nil, nil, err
	}
	if b.next != len(elements) {
		return nil, nil, fmt.Errorf("schema: %d elements do not belong to any struct", len(elements)-b.next)
	}
	return root, b.leaves, nil
}

// fill reads the children of a node.
func (b *schemaBuilder) fill(parent *fileNode, children int64, depth int) error {
	if depth > maxSchemaDepth {
		return fmt.Errorf("schema: %s: nested deeper than %d", parent.path(), maxSchemaDepth)
	}
	if left := len(b.elements) - b.next; children < 0 || children > int64(left) {
		return fmt.Errorf("schema: %s has %d children, %d elements are left", parent.path(), children, left)
	}
	for ; children > 0; children-- {
		if b.next == len(b.elements) {
			return fmt.Errorf("schema: %s: not enough elements", parent.path())
		}
		e := &b.elements[b.next]
		b.next++
		n, err := b.node(parent, e)
		if err != nil {
			return err
		}
		parent.children = append(parent.children, n)
		if e.leaf {
			b.leaves = append(b.leaves, n)
			continue
		}
		if err := b.fill(n, e.children, depth+1); err != nil {
			return err
		}
		if len(n.children) == 0 {
			return fmt.Errorf("schema: %s is a struct without columns", n.path())
		}
	}
	return nil
}

// node makes the node of one element.
func (b *schemaBuilder) node(parent *fileNode, e *schemaElement) (*fileNode, error) {
	n := &fileNode{
		name: e.name, parent: parent, id: e.id, hasID: e.hasID, repetition: e.repetition,
		physical: e.physical, typeLength: int(e.typeLength), annotation: e.annotation(),
		def: parent.def, rep: parent.rep, column: len(b.leaves),
	}
	switch e.repetition {
	case tree.Required:
	case tree.Optional:
		n.def++
	case tree.Repeated:
		n.def++
		n.rep++
	default:
		return nil, fmt.Errorf("schema: %s has no repetition type", n.path())
	}
	if !e.leaf {
		return n, nil
	}
	if e.children != 0 {
		return nil, fmt.Errorf("schema: %s has a type and %d children", n.path(), e.children)
	}
	if e.physical < format.Boolean || e.physical > format.FixedLenByteArray {
		return nil, fmt.Errorf("schema: %s has physical type %d", n.path(), e.physical)
	}
	if e.physical == format.FixedLenByteArray && (e.typeLength <= 0 || e.typeLength > maxFixedBytes) {
		return nil, fmt.Errorf("schema: %s has values of %d bytes", n.path(), e.typeLength)
	}
	return n, nil
}
