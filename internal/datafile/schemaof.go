package datafile

import (
	"io"

	"github.com/apache/iceberg-go"
)

// SchemaOf returns the Iceberg schema, with id 0, that the columns of a Parquet file amount to. Field ids are the
// file's if every column has one and no two are the same, else they are counted from 1: the fields of a struct
// first, then what is inside them. A column without an Iceberg type is a [SchemaMismatchError] (DF9).
func SchemaOf(r io.ReaderAt, sizeBytes int64, location string, limits Limits) (schema *iceberg.Schema, err error) {
	defer func() { err = inFile(recovered(recover(), err), location) }()
	f, err := open(r, sizeBytes, limits)
	if err != nil {
		return nil, err
	}
	if !allIDs(f.columns) || uniqueIDs(f.columns, map[int]*node{}) != nil {
		next := 1
		numberIDs(f.columns, &next)
	}
	fields, err := schemaFields(f.columns)
	if err != nil {
		return nil, err
	}
	return iceberg.NewSchema(0, fields...), nil
}

// allIDs reports whether every column has a usable id.
func allIDs(nodes []*node) bool {
	for _, n := range nodes {
		if n.id <= 0 || !allIDs(n.children) {
			return false
		}
	}
	return true
}

func numberIDs(nodes []*node, next *int) {
	for _, n := range nodes {
		n.id = *next
		*next++
	}
	for _, n := range nodes {
		numberIDs(n.children, next)
	}
}

func schemaFields(nodes []*node) ([]iceberg.NestedField, error) {
	var fields []iceberg.NestedField
	names := map[string]bool{}
	for _, n := range nodes {
		if n.name == "" || names[n.name] {
			return nil, mismatch(n.path.String(), "has the name %q, which is empty or taken", n.name)
		}
		names[n.name] = true
		typ, err := n.icebergType()
		if err != nil {
			return nil, err
		}
		fields = append(fields, iceberg.NestedField{ID: n.id, Name: n.name, Type: typ, Required: !n.optional})
	}
	return fields, nil
}

func (n *node) icebergType() (iceberg.Type, error) {
	if n.problem != "" {
		return nil, mismatch(n.path.String(), "is %s", n.problem)
	}
	switch n.shape {
	case shapeLeaf:
		return n.leaf.typ, nil
	case shapeVariant:
		return iceberg.VariantType{}, nil
	case shapeStruct:
		fields, err := schemaFields(n.children)
		return &iceberg.StructType{FieldList: fields}, err
	case shapeList:
		element := n.children[0]
		typ, err := element.icebergType()
		return &iceberg.ListType{ElementID: element.id, Element: typ, ElementRequired: !element.optional}, err
	}
	key, value := n.children[0], n.children[1]
	keyType, err := key.icebergType()
	if err != nil {
		return nil, err
	}
	valueType, err := value.icebergType()
	return &iceberg.MapType{KeyID: key.id, KeyType: keyType, ValueID: value.id, ValueType: valueType,
		ValueRequired: !value.optional}, err
}
