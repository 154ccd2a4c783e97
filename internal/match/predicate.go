package match

import (
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// predicate compares one column with literals.
type predicate struct {
	op     iceberg.Operation
	column int
	typ    iceberg.Type
	// required says that no row can be null.
	required bool
	// literals are sorted, of the column's type and not NaN.
	literals []tree.Value
	// sources are the partition fields that are computed from the column.
	sources []source
}

// know gathers what an entry says about the column.
func (p *predicate) know(e *tree.Entry) knowledge {
	k := nothing(p.typ, p.required)
	if s, found := e.Stats.Field(p.column); found {
		k = k.and(fromStats(s, p.typ))
	}
	if !e.SpecID.Valid || e.Partition == nil {
		return k
	}
	for _, s := range p.sources {
		if s.specID == int(e.SpecID.Val) {
			k = k.and(s.know(e.Partition.Value(s.fieldID), p.typ))
		}
	}
	return k
}

func (p *predicate) may(e *tree.Entry) bool { return p.mayWith(p.op, p.know(e)) }

// mayWith reports whether a row may satisfy the predicate with the given operation.
func (p *predicate) mayWith(op iceberg.Operation, k knowledge) bool {
	switch op {
	case iceberg.OpIsNull:
		return k.null
	case iceberg.OpNotNull:
		return k.nan || k.value
	case iceberg.OpIsNan:
		return k.nan
	case iceberg.OpNotNan:
		return k.null || k.value
	case iceberg.OpNEQ, iceberg.OpNotIn, iceberg.OpNotStartsWith:
		return k.null || k.nan || k.value && p.valueMay(op, k)
	}
	return k.value && p.valueMay(op, k)
}

// valueMay reports whether a value that is neither null nor NaN may satisfy the predicate. A bound excludes a
// comparison only if it does so for both readings of signed zeros: values compare with a bound by their bits.
func (p *predicate) valueMay(op iceberg.Operation, k knowledge) bool {
	first := p.literals[0]
	switch op {
	case iceberg.OpLT:
		return k.lower.IsNull() || tree.Compare(k.lower, first) < 0
	case iceberg.OpLTEQ:
		return k.lower.IsNull() || !above(k.lower, first)
	case iceberg.OpGT:
		return k.upper.IsNull() || tree.Compare(k.upper, first) > 0
	case iceberg.OpGTEQ:
		return k.upper.IsNull() || !above(first, k.upper)
	case iceberg.OpEQ, iceberg.OpIn:
		return slices.ContainsFunc(p.literals, k.mayEqual)
	case iceberg.OpNEQ, iceberg.OpNotIn:
		v, single := k.only()
		return !single || !slices.Contains(p.literals, v)
	case iceberg.OpStartsWith:
		return k.mayBegin(first.Bytes())
	case iceberg.OpNotStartsWith:
		return !k.mustBegin(first.Bytes())
	}
	return true
}

// must reports whether all rows satisfy the predicate: none may be of a kind that does not, and no value may
// satisfy the opposite.
func (p *predicate) must(e *tree.Entry) bool {
	k := p.know(e)
	switch p.op {
	case iceberg.OpIsNull:
		return !k.nan && !k.value
	case iceberg.OpNotNull:
		return !k.null
	case iceberg.OpIsNan:
		return !k.null && !k.value
	}
	if k.null || k.nan {
		return false
	}
	return p.op == iceberg.OpNotNan || !k.value || !p.valueMay(p.op.Negate(), k)
}
