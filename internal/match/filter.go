package match

import (
	"fmt"
	"maps"
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// Filter is an expression bound to a table's schema and partition specs. It is immutable and safe for concurrent
// use (MT2, MT3, MT5).
type Filter struct {
	root    node
	columns []int
}

// New binds an unbound expression. Columns are found by their names with regard to case; literals are cast to the
// types of their columns by Iceberg's rules. Specs are all that entries may refer to: the partition of an entry of
// another spec tells nothing. Predicates that cannot be decided by bounds, such as those on transforms, are legal
// and match everything (MT4).
func New(expr iceberg.BooleanExpression, schema *iceberg.Schema, specs []iceberg.PartitionSpec) (*Filter, error) {
	bound, err := iceberg.BindExpr(schema, expr, true)
	if err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	positive, err := iceberg.RewriteNotExpr(bound)
	if err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	c := &compiler{schema: schema, specs: specs, columns: map[int]bool{}}
	root, err := iceberg.VisitExpr(positive, c)
	if err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	return &Filter{root: root, columns: slices.Sorted(maps.Keys(c.columns))}, nil
}

// Columns returns the ids of the columns whose statistics the filter looks at, ascending: what a reader must
// project (see [tree.Projection]). The caller may change the slice.
func (f *Filter) Columns() []int { return slices.Clone(f.columns) }

// MayMatch is false only if no row behind the entry can match the filter (MT1).
func (f *Filter) MayMatch(e tree.Entry) bool { return f.root.may(&e) }

// MustMatch is true only if every row behind the entry matches the filter (MT1).
func (f *Filter) MustMatch(e tree.Entry) bool { return f.root.must(&e) }

// node is one node of a filter without negations.
type node interface {
	may(e *tree.Entry) bool
	must(e *tree.Entry) bool
}

type constant bool

func (c constant) may(*tree.Entry) bool  { return bool(c) }
func (c constant) must(*tree.Entry) bool { return bool(c) }

type and struct{ left, right node }

func (n and) may(e *tree.Entry) bool  { return n.left.may(e) && n.right.may(e) }
func (n and) must(e *tree.Entry) bool { return n.left.must(e) && n.right.must(e) }

type or struct{ left, right node }

func (n or) may(e *tree.Entry) bool  { return n.left.may(e) || n.right.may(e) }
func (n or) must(e *tree.Entry) bool { return n.left.must(e) || n.right.must(e) }

// undecided is a predicate about which entries say nothing.
type undecided struct{}

func (undecided) may(*tree.Entry) bool  { return true }
func (undecided) must(*tree.Entry) bool { return false }

// compiler turns a bound expression without negations into nodes.
type compiler struct {
	schema  *iceberg.Schema
	specs   []iceberg.PartitionSpec
	columns map[int]bool
}

// VisitTrue implements [iceberg.BooleanExprVisitor], as do the methods below.
func (c *compiler) VisitTrue() node { return constant(true) }

// VisitFalse matches nothing.
func (c *compiler) VisitFalse() node { return constant(false) }

// VisitNot cannot happen, for negations were rewritten; it decides nothing.
func (c *compiler) VisitNot(node) node { return undecided{} }

// VisitAnd is a conjunction.
func (c *compiler) VisitAnd(left, right node) node { return and{left, right} }

// VisitOr is a disjunction.
func (c *compiler) VisitOr(left, right node) node { return or{left, right} }

// VisitUnbound cannot happen, for the expression is bound; it decides nothing.
func (c *compiler) VisitUnbound(iceberg.UnboundPredicate) node { return undecided{} }

// VisitBound compiles a predicate on one column.
func (c *compiler) VisitBound(p iceberg.BoundPredicate) node {
	ref, plain := p.Term().(iceberg.BoundReference)
	if !plain {
		return undecided{}
	}
	literals, ok := literalsOf(p)
	if !ok {
		return undecided{}
	}
	field := ref.Field()
	c.columns[field.ID] = true
	return &predicate{
		op:       p.Op(),
		column:   field.ID,
		typ:      field.Type,
		required: field.Required && !c.schema.FieldHasOptionalParent(field.ID),
		literals: literals,
		sources:  sourcesOf(field.ID, c.specs),
	}
}

// literalsOf returns the literals of a predicate in order; false if the predicate is none that bounds decide.
func literalsOf(p iceberg.BoundPredicate) ([]tree.Value, bool) {
	var literals []iceberg.Literal
	switch p := p.(type) {
	case iceberg.BoundUnaryPredicate:
	case iceberg.BoundLiteralPredicate:
		literals = []iceberg.Literal{p.Literal()}
	case iceberg.BoundSetPredicate:
		literals = p.Literals().Members()
	default:
		return nil, false
	}
	var values []tree.Value
	for _, l := range literals {
		v, err := tree.FromLiteral(l)
		if err != nil || v.IsNaN() {
			return nil, false
		}
		values = append(values, v)
	}
	slices.SortFunc(values, tree.Compare)
	return values, true
}
