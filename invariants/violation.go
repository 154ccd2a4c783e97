package invariants

import (
	"fmt"

	"github.com/apache/iceberg-go"
)

// Place says where something stands.
type Place struct {
	// Snapshot is the id of the snapshot under check, 0 if there is none.
	Snapshot int64
	// Object is the resolved location of a manifest or metadata file.
	Object string
	// Row is the ordinal of a row in the object, -1 if the whole object is meant.
	Row int64
}

// Violation is one finding: an invariant that does not hold, and where.
type Violation struct {
	// ID and Severity are those of the invariant, see [Lookup].
	ID       string
	Severity Severity
	// Snapshot, Object and Row say where, see [Place].
	Snapshot int64
	Object   string
	Row      int64
	// Field names the field, by the names of the format, dotted.
	Field string
	// Expected and Found say what should be there and what is.
	Expected, Found string
}

// Message returns the violation as one line.
func (v Violation) Message() string {
	where := v.Object
	if where == "" {
		where = "the table"
	}
	if v.Row >= 0 {
		where = fmt.Sprintf("%s row %d", where, v.Row)
	}
	return fmt.Sprintf("%s: %s: %s: expected %s, found %s", v.ID, where, v.Field, v.Expected, v.Found)
}

// sink hands violations to the consumer until it has had enough.
type sink struct {
	yield func(Violation) bool
	done  bool
	// storage is that of the rows that the check reads; nil if it reads none.
	storage *storage
}

// over reports whether nothing more is to be found: the consumer has had enough, or the spill failed, so that rows are
// missing and what would be found of them is wrong.
func (s *sink) over() bool { return s.done || s.storage.failed() }

func (s *sink) put(v Violation) {
	if !s.over() && !s.yield(v) {
		s.done = true
	}
}

// reporter reports violations of one invariant at one place.
type reporter struct {
	invariant *Invariant
	place     Place
	sink      *sink
}

// at returns a reporter for another row, or for another object and row.
func (r reporter) at(object string, row int64) reporter {
	r.place.Object, r.place.Row = object, row
	return r
}

// row returns a reporter for another row of the same object.
func (r reporter) row(row int64) reporter { return r.at(r.place.Object, row) }

// report reports a violation. What was expected and found is printed as [show] prints it.
func (r reporter) report(field string, expected, found any) {
	r.sink.put(Violation{
		ID: r.invariant.ID, Severity: r.invariant.Severity,
		Snapshot: r.place.Snapshot, Object: r.place.Object, Row: r.place.Row,
		Field: field, Expected: show(expected), Found: show(found),
	})
}

// show prints a value of a message: nulls as null, all else as fmt does.
func show(v any) string {
	switch x := v.(type) {
	case iceberg.Optional[int64]:
		return showOptional(x)
	case iceberg.Optional[int32]:
		return showOptional(x)
	case iceberg.Optional[bool]:
		return showOptional(x)
	}
	return fmt.Sprint(v)
}

func showOptional[T any](v iceberg.Optional[T]) string {
	if !v.Valid {
		return "null"
	}
	return fmt.Sprint(v.Val)
}
