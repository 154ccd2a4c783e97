package interop_test

// want is a field that a manifest should have, and how its values come from what was written. It knows the format
// from the rules alone, not from the code that writes manifests.
type want struct {
	name     string
	id       int    // -1 for none
	typ      string // an Iceberg type, struct or list
	required bool
	// value returns what the field holds in its parent: nil for null, a []any in a list, what the members take in a
	// struct, else what JSON can say.
	value   func(parent any) any
	members []want
}

// field returns an optional field without members. P is what its parent holds.
func field[P any](name string, id int, typ string, value func(P) any) want {
	return want{name: name, id: id, typ: typ, value: func(parent any) any { return value(parent.(P)) }}
}

// structOf returns an optional struct.
func structOf[P any](name string, id int, value func(P) any, members ...want) want {
	w := field(name, id, "struct", value)
	w.members = members
	return w
}

// listOf returns an optional list.
func listOf[P any](name string, id int, value func(P) any, element want) want {
	w := field(name, id, "list", value)
	w.members = []want{element}
	return w
}

// always returns the field as a required one.
func (w want) always() want {
	w.required = true
	return w
}

// written returns the field without those of its members that no row has a value of, and whether anything is left:
// such columns are not written, unless they are required on their whole path.
func (w want) written(parents []any, onRequiredPath bool) (want, bool) {
	onRequiredPath = onRequiredPath && w.required
	var held []any
	for _, parent := range parents {
		if v := w.value(parent); v != nil {
			held = append(held, v)
		}
	}
	switch w.typ {
	case "struct":
		w.members = writtenOf(w.members, held, onRequiredPath)
		return w, len(w.members) > 0
	case "list":
		var elements []any
		for _, v := range held {
			elements = append(elements, v.([]any)...)
		}
		w.members = writtenOf(w.members, elements, false)
		return w, len(w.members) > 0
	}
	return w, onRequiredPath || len(held) > 0
}

func writtenOf(members []want, parents []any, onRequiredPath bool) []want {
	var kept []want
	for _, m := range members {
		if m, ok := m.written(parents, onRequiredPath); ok {
			kept = append(kept, m)
		}
	}
	return kept
}

// cell returns the value of the field as the Python script prints it.
func (w want) cell(parent any) any {
	v := w.value(parent)
	switch {
	case v == nil || w.members == nil:
		return v
	case w.typ == "list":
		items := []any{}
		for _, element := range v.([]any) {
			items = append(items, w.members[0].cell(element))
		}
		return items
	}
	return row(w.members, v)
}

// row returns the values of fields by name.
func row(fields []want, parent any) map[string]any {
	cells := make(map[string]any)
	for _, f := range fields {
		cells[f.name] = f.cell(parent)
	}
	return cells
}

// column is a field as the Python script lists it.
type column struct {
	Path     string
	ID       int
	Type     string
	Required bool
}

// columnsOf lists fields, parents before members, with the names that a reader has for types.
func columnsOf(prefix string, fields []want, types map[string]string) []column {
	var listed []column
	for _, f := range fields {
		path := prefix + f.name
		listed = append(listed, column{Path: path, ID: f.id, Type: types[f.typ], Required: f.required})
		listed = append(listed, columnsOf(path+"/", f.members, types)...)
	}
	return listed
}
