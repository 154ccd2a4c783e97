package datafile

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"
)

// fit is how a file's columns serve a table's schema.
type fit struct {
	// columns are the scalar columns outside lists and maps that table and file share, by field id.
	columns []column
	// missing are the table's fields that the file lacks, by id; fields inside a missing one included.
	missing map[int]iceberg.NestedField
	// required are the columns that may be null in the file but not in the table.
	required []requirement
}

// column is a table column together with the column of the file that holds it.
type column struct {
	field iceberg.NestedField
	// name is the table's dotted name.
	name string
	node *node
}

type requirement struct {
	name string
	node *node
}

// find returns the shared scalar column with an id.
func (f *fit) find(id int) (column, bool) {
	i, found := slices.BinarySearchFunc(f.columns, id, func(c column, id int) int { return cmp.Compare(c.field.ID, id) })
	if !found {
		return column{}, false
	}
	return f.columns[i], true
}

// fitSchema matches the columns of a file with those of a table: by field id, or by name where the file has no
// ids at all. Columns that the table does not have are ignored, as readers do. Supplied are the ids of columns
// whose value a reader takes from the partition if the file lacks them.
func fitSchema(nodes []*node, table *iceberg.Schema, names iceberg.NameMapping, supplied []int) (*fit, error) {
	if !anyID(nodes) {
		if names == nil {
			names = table.NameMapping()
		}
		assignIDs(nodes, names)
	}
	if err := uniqueIDs(nodes, map[int]*node{}); err != nil {
		return nil, err
	}
	m := matcher{fit: &fit{missing: map[int]iceberg.NestedField{}}, supplied: supplied}
	if err := m.fields(table.Fields(), nodes, "", false); err != nil {
		return nil, err
	}
	slices.SortFunc(m.fit.columns, func(a, b column) int { return cmp.Compare(a.field.ID, b.field.ID) })
	return m.fit, nil
}

// assignIDs gives each column the id that the mapping has for its name.
func assignIDs(nodes []*node, names []iceberg.MappedField) {
	byName := map[string]iceberg.MappedField{}
	for _, mapped := range names {
		for _, name := range mapped.Names {
			byName[name] = mapped
		}
	}
	for _, n := range nodes {
		assignID(n, byName[n.name])
	}
}

// assignID gives a column its id and those of the columns inside. Whatever the file calls the parts of lists and
// maps, the mapping calls them element, key and value.
func assignID(n *node, mapped iceberg.MappedField) {
	if mapped.FieldID != nil {
		n.id = *mapped.FieldID
	}
	inner := func(i int, name string) {
		if part := mapped.GetField(name); part != nil && i < len(n.children) {
			assignID(n.children[i], *part)
		}
	}
	switch n.shape {
	case shapeStruct:
		assignIDs(n.children, mapped.Fields)
	case shapeList:
		inner(0, "element")
	case shapeMap:
		inner(0, "key")
		inner(1, "value")
	}
}

func uniqueIDs(nodes []*node, seen map[int]*node) error {
	for _, n := range nodes {
		if other, twice := seen[n.id]; twice && n.id != noFieldID {
			return mismatch(n.path.String(), "has field id %d, and so has %s", n.id, other.path)
		}
		seen[n.id] = n
		if err := uniqueIDs(n.children, seen); err != nil {
			return err
		}
	}
	return nil
}

func mismatch(column, format string, args ...any) error {
	return &SchemaMismatchError{Column: column, Reason: fmt.Sprintf(format, args...)}
}

type matcher struct {
	fit      *fit
	supplied []int
}

// fields matches the fields of a struct.
func (m *matcher) fields(fields []iceberg.NestedField, nodes []*node, prefix string, repeated bool) error {
	byID := map[int]*node{}
	for _, n := range nodes {
		byID[n.id] = n
	}
	for _, f := range fields {
		n, found := byID[f.ID]
		if !found {
			if f.Required && f.InitialDefault == nil && !slices.Contains(m.supplied, f.ID) {
				return mismatch(prefix+f.Name, "is required and missing in the file")
			}
			m.miss(f)
			continue
		}
		if err := m.field(f, n, prefix+f.Name, repeated); err != nil {
			return err
		}
	}
	return nil
}

// miss notes a field that the file lacks, and the fields of a struct with it.
func (m *matcher) miss(f iceberg.NestedField) {
	m.fit.missing[f.ID] = f
	if s, isStruct := f.Type.(*iceberg.StructType); isStruct {
		for _, inner := range s.FieldList {
			m.miss(inner)
		}
	}
}

func (m *matcher) field(f iceberg.NestedField, n *node, name string, repeated bool) error {
	unlike := func() error {
		return mismatch(name, "is %s in the file and %s in the table", n.describe(), f.Type)
	}
	if n.problem != "" {
		return unlike()
	}
	if f.Required && n.optional {
		m.fit.required = append(m.fit.required, requirement{name: name, node: n})
	}
	switch typ := f.Type.(type) {
	case *iceberg.StructType:
		if n.shape != shapeStruct {
			return unlike()
		}
		return m.fields(typ.FieldList, n.children, name+".", repeated)
	case *iceberg.ListType:
		if n.shape != shapeList {
			return unlike()
		}
		return m.part(typ.ElementField(), n.children[0], name)
	case *iceberg.MapType:
		if n.shape != shapeMap {
			return unlike()
		}
		if err := m.part(typ.KeyField(), n.children[0], name); err != nil {
			return err
		}
		return m.part(typ.ValueField(), n.children[1], name)
	case iceberg.VariantType:
		if n.shape != shapeVariant {
			return unlike()
		}
	default:
		if n.shape != shapeLeaf || !promotes(n.leaf.typ, typ) {
			return unlike()
		}
		if !repeated {
			m.fit.columns = append(m.fit.columns, column{field: f, name: name, node: n})
		}
	}
	return nil
}

// part matches the element of a list, or the key or value of a map. Its place tells what it is, so an id may be
// missing but not be another one.
func (m *matcher) part(f iceberg.NestedField, n *node, outer string) error {
	name := outer + "." + f.Name
	if n.id != noFieldID && n.id != f.ID {
		return mismatch(name, "has field id %d in the file and %d in the table", n.id, f.ID)
	}
	return m.field(f, n, name, true)
}

// promotes reports whether values of a file's type can be read as ones of the table's type.
func promotes(file, table iceberg.Type) bool {
	if file.Equals(table) {
		return true
	}
	switch from := file.(type) {
	case iceberg.UnknownType: // holds nulls alone
		return true
	case iceberg.Int32Type:
		return table.Equals(iceberg.PrimitiveTypes.Int64)
	case iceberg.Float32Type:
		return table.Equals(iceberg.PrimitiveTypes.Float64)
	case iceberg.DecimalType:
		to, isDecimal := table.(iceberg.DecimalType)
		return isDecimal && to.Scale() == from.Scale() && to.Precision() >= from.Precision()
	}
	return false
}
