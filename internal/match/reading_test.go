package match_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"pgregory.net/rapid"

	"github.com/firn-io/firn/tree"
)

// formula is an expression of the model.
type formula struct {
	op          string // and, or, not, or that of a predicate
	left, right *formula
	column      modelColumn
	literals    []tree.Value
}

var predicateOps = []string{"=", "!=", "<", "<=", ">", ">=", "in", "notin", "null", "notnull", "nan", "notnan", "starts", "notstarts"}

func drawFormula(t *rapid.T, depth int) *formula {
	if depth > 0 {
		switch rapid.IntRange(0, 3).Draw(t, "shape") {
		case 0:
			return &formula{op: "and", left: drawFormula(t, depth-1), right: drawFormula(t, depth-1)}
		case 1:
			return &formula{op: "or", left: drawFormula(t, depth-1), right: drawFormula(t, depth-1)}
		case 2:
			return &formula{op: "not", left: drawFormula(t, depth-1)}
		}
	}
	f := &formula{op: rapid.SampledFrom(predicateOps).Draw(t, "op"), column: rapid.SampledFrom(model).Draw(t, "column")}
	isFloat := f.column.typ.Equals(prims.Float64) || f.column.typ.Equals(prims.Float32)
	isText := f.column.typ.Equals(prims.String) || f.column.typ.Equals(prims.Binary)
	if strings.HasSuffix(f.op, "nan") && !isFloat || strings.HasSuffix(f.op, "starts") && !isText {
		f.op = "="
	}
	count := map[string]int{"null": 0, "notnull": 0, "nan": 0, "notnan": 0, "in": 3, "notin": 3}
	n, given := count[f.op]
	if !given {
		n = 1
	}
	for range n {
		v := rapid.SampledFrom(f.column.pool).Filter(func(v tree.Value) bool { return !v.IsNaN() }).Draw(t, "literal")
		f.literals = append(f.literals, v)
	}
	return f
}

var operations = map[string]iceberg.Operation{"=": iceberg.OpEQ, "!=": iceberg.OpNEQ, "<": iceberg.OpLT, "<=": iceberg.OpLTEQ,
	">": iceberg.OpGT, ">=": iceberg.OpGTEQ, "in": iceberg.OpIn, "notin": iceberg.OpNotIn, "null": iceberg.OpIsNull,
	"notnull": iceberg.OpNotNull, "nan": iceberg.OpIsNan, "notnan": iceberg.OpNotNan, "starts": iceberg.OpStartsWith,
	"notstarts": iceberg.OpNotStartsWith}

// expression returns the formula as an Iceberg expression.
func (f *formula) expression() iceberg.BooleanExpression {
	ref := iceberg.Reference(f.column.name)
	var literals []iceberg.Literal
	for _, v := range f.literals {
		l, _ := v.Literal()
		literals = append(literals, l)
	}
	switch {
	case f.op == "and":
		return iceberg.NewAnd(f.left.expression(), f.right.expression())
	case f.op == "or":
		return iceberg.NewOr(f.left.expression(), f.right.expression())
	case f.op == "not":
		return iceberg.NewNot(f.left.expression())
	case len(literals) == 0:
		return iceberg.UnaryPredicate(operations[f.op], ref)
	case len(literals) > 1:
		return iceberg.SetPredicate(operations[f.op], ref, literals)
	}
	return iceberg.LiteralPredicate(operations[f.op], ref, literals[0])
}

// opposite returns the predicate that Iceberg puts in place of a negated one.
var opposite = map[string]string{"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "in": "notin", "notin": "in",
	"null": "notnull", "notnull": "null", "nan": "notnan", "notnan": "nan", "starts": "notstarts", "notstarts": "starts"}

// reading is one way to compare: whether signed zeros are one, and whether a null is unequal to values.
type reading struct{ zerosEqual, nullUnequal bool }

// holds reports whether a row satisfies the formula (or, if not wanted, its negation) as Iceberg rewrites it.
func (f *formula) holds(r row, wanted bool, by reading) bool {
	switch f.op {
	case "not":
		return f.left.holds(r, !wanted, by)
	case "and", "or":
		left, right := f.left.holds(r, wanted, by), f.right.holds(r, wanted, by)
		if (f.op == "and") == wanted {
			return left && right
		}
		return left || right
	}
	op := f.op
	if !wanted {
		op = opposite[op]
	}
	v := r[f.column.id-1]
	switch op {
	case "null", "notnull":
		return v.IsNull() == (op == "null")
	}
	if v.IsNull() {
		unequal := op == "!=" || op == "notin" || op == "notstarts" || op == "notnan"
		return unequal && by.nullUnequal
	}
	return f.compares(op, v, by.zerosEqual)
}

// compares applies a predicate to a value that is not null.
func (f *formula) compares(op string, v tree.Value, zerosEqual bool) bool {
	order := func(l tree.Value) int {
		isFloat := v.Kind() == tree.KindDouble || v.Kind() == tree.KindFloat
		if isFloat && zerosEqual && v.Float64() == 0 && l.Float64() == 0 {
			return 0
		}
		return tree.Compare(v, l)
	}
	switch op {
	case "nan":
		return v.IsNaN()
	case "notnan":
		return !v.IsNaN()
	case "!=", "notin", "notstarts":
		return !f.compares(opposite[op], v, zerosEqual)
	}
	if v.IsNaN() {
		return false
	}
	switch op {
	case "=", "in":
		return slices.ContainsFunc(f.literals, func(l tree.Value) bool { return order(l) == 0 })
	case "<":
		return order(f.literals[0]) < 0
	case "<=":
		return order(f.literals[0]) <= 0
	case ">":
		return order(f.literals[0]) > 0
	case ">=":
		return order(f.literals[0]) >= 0
	}
	return strings.HasPrefix(v.Bytes(), f.literals[0].Bytes())
}

// truth is SQL's: true, false or unknown.
type truth int

const (
	unknown truth = iota
	isTrue
	isFalse
)

// sql evaluates the formula by SQL's logic of three values, in which NaN compares with nothing.
func (f *formula) sql(r row, zerosEqual bool) truth {
	is := func(b bool) truth {
		if b {
			return isTrue
		}
		return isFalse
	}
	switch f.op {
	case "not":
		return map[truth]truth{isTrue: isFalse, isFalse: isTrue, unknown: unknown}[f.left.sql(r, zerosEqual)]
	case "and", "or":
		decisive := map[string]truth{"and": isFalse, "or": isTrue}[f.op]
		left, right := f.left.sql(r, zerosEqual), f.right.sql(r, zerosEqual)
		switch {
		case left == decisive || right == decisive:
			return decisive
		case left == unknown || right == unknown:
			return unknown
		}
		return left
	}
	v := r[f.column.id-1]
	switch {
	case f.op == "null" || f.op == "notnull":
		return is(v.IsNull() == (f.op == "null"))
	case f.op == "nan":
		return is(v.IsNaN())
	case f.op == "notnan":
		return is(!v.IsNaN())
	case v.IsNull():
		return unknown
	}
	return is(f.compares(f.op, v, zerosEqual))
}

// text returns the formula as a filter's text.
func (f *formula) text() string {
	var literals []string
	for _, v := range f.literals {
		literals = append(literals, spell(v))
	}
	switch f.op {
	case "and", "or":
		return "(" + f.left.text() + " " + strings.ToUpper(f.op) + " " + f.right.text() + ")"
	case "not":
		return "NOT " + f.left.text()
	case "null", "notnull", "nan", "notnan":
		what := map[string]string{"null": "NULL", "notnull": "NOT NULL", "nan": "NAN", "notnan": "NOT NAN"}[f.op]
		return f.column.name + " IS " + what
	case "in", "notin":
		word := map[string]string{"in": " IN (", "notin": " NOT IN ("}[f.op]
		return f.column.name + word + strings.Join(literals, ", ") + ")"
	case "starts":
		return f.column.name + " STARTS WITH " + literals[0]
	case "notstarts":
		return f.column.name + " NOT STARTS WITH " + literals[0]
	}
	return f.column.name + " " + f.op + " " + literals[0]
}

// spell returns a value as a literal of a filter.
func spell(v tree.Value) string {
	switch v.Kind() {
	case tree.KindBool, tree.KindInt, tree.KindLong:
		return v.String()
	case tree.KindFloat, tree.KindDouble:
		return fmt.Sprint(v.Float64())
	case tree.KindBinary:
		return fmt.Sprintf("'0x%x'", v.Bytes())
	}
	return "'" + strings.ReplaceAll(v.String(), "'", "''") + "'"
}
