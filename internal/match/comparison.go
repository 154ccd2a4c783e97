package match

import (
	"strings"

	"github.com/apache/iceberg-go"
)

// test reads what is said about a column.
func (p *parser) test(c column, truth bool) (iceberg.BooleanExpression, error) {
	if p.accept("IS") {
		return p.isTest(c, truth != p.accept("NOT"))
	}
	negated := p.accept("NOT")
	truth = truth != negated
	operator := p.peek()
	comparison, isComparison := comparisons[operator.text]
	switch {
	case p.accept("IN"):
		return p.in(c, truth)
	case p.accept("BETWEEN"):
		return p.between(c, truth)
	case p.accept("LIKE"):
		return p.like(c, truth)
	case p.accept("STARTS", "WITH"):
		return p.startsWith(c, truth)
	case negated:
		return nil, fail(operator, "%s after NOT", operator)
	case isComparison && operator.kind == tokenSymbol:
		p.next()
		l, err := p.literal(c)
		if err != nil {
			return nil, err
		}
		return compare(c, comparison.op, l, truth), nil
	case c.typ.Equals(iceberg.PrimitiveTypes.Bool):
		return iceberg.EqualTo(iceberg.Reference(c.name), truth), nil
	}
	return nil, fail(operator, "%s where a comparison belongs", operator)
}

// reversed reads a comparison whose literal comes first.
func (p *parser) reversed(truth bool) (iceberg.BooleanExpression, error) {
	start := p.pos
	for p.peek().is("-") || p.peek().is("+") {
		p.next()
	}
	p.next()
	operator := p.next()
	comparison, isComparison := comparisons[operator.text]
	if !isComparison || operator.kind != tokenSymbol {
		return nil, fail(operator, "%s where a comparison belongs", operator)
	}
	c, err := p.column()
	if err != nil {
		return nil, err
	}
	end := p.pos
	p.pos = start
	l, err := p.literal(c)
	if err != nil {
		return nil, err
	}
	p.pos = end
	return compare(c, comparison.swapped, l, truth), nil
}

// compare returns a comparison, or what holds where it is false. A comparison with NaN is false but for !=, so the
// rows where an order does not hold include the NaNs.
func compare(c column, op iceberg.Operation, l iceberg.Literal, truth bool) iceberg.BooleanExpression {
	if !truth {
		op = op.Negate()
	}
	expr := iceberg.BooleanExpression(iceberg.LiteralPredicate(op, iceberg.Reference(c.name), l))
	switch {
	case op == iceberg.OpNEQ || op == iceberg.OpNotStartsWith:
		return notNull(c, expr)
	case !truth && op != iceberg.OpEQ && isFloat(c.typ):
		return iceberg.NewOr(expr, iceberg.IsNaN(iceberg.Reference(c.name)))
	}
	return expr
}

// notNull adds to an expression that the column is not null.
func notNull(c column, expr iceberg.BooleanExpression) iceberg.BooleanExpression {
	return iceberg.NewAnd(iceberg.NotNull(iceberg.Reference(c.name)), expr)
}

func (p *parser) isTest(c column, truth bool) (iceberg.BooleanExpression, error) {
	ref := iceberg.Reference(c.name)
	what := p.next()
	switch {
	case what.is("NULL") && truth:
		return iceberg.IsNull(ref), nil
	case what.is("NULL"):
		return iceberg.NotNull(ref), nil
	case !what.is("NAN"):
		return nil, fail(what, "%s where NULL or NAN belongs", what)
	case !isFloat(c.typ):
		return nil, fail(what, "column %s is of type %s, which has no NaN", c.name, c.typ)
	case truth:
		return iceberg.IsNaN(ref), nil
	}
	return iceberg.NotNaN(ref), nil
}

func (p *parser) in(c column, truth bool) (iceberg.BooleanExpression, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	var literals []iceberg.Literal
	for {
		l, err := p.literal(c)
		if err != nil {
			return nil, err
		}
		literals = append(literals, l)
		if !p.accept(",") {
			break
		}
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	if truth {
		return iceberg.SetPredicate(iceberg.OpIn, iceberg.Reference(c.name), literals), nil
	}
	return notNull(c, iceberg.SetPredicate(iceberg.OpNotIn, iceberg.Reference(c.name), literals)), nil
}

func (p *parser) between(c column, truth bool) (iceberg.BooleanExpression, error) {
	low, err := p.literal(c)
	if err != nil {
		return nil, err
	}
	if err := p.expect("AND"); err != nil {
		return nil, err
	}
	high, err := p.literal(c)
	if err != nil {
		return nil, err
	}
	from := compare(c, iceberg.OpGTEQ, low, truth)
	to := compare(c, iceberg.OpLTEQ, high, truth)
	if truth {
		return iceberg.NewAnd(from, to), nil
	}
	return iceberg.NewOr(from, to), nil
}

// like reads a pattern, which may end in a percent sign and has no other wildcard.
func (p *parser) like(c column, truth bool) (iceberg.BooleanExpression, error) {
	t := p.next()
	switch {
	case t.kind != tokenText:
		return nil, fail(t, "%s where a pattern belongs", t)
	case !c.typ.Equals(iceberg.PrimitiveTypes.String):
		return nil, fail(t, "column %s is of type %s: LIKE is for strings", c.name, c.typ)
	}
	prefix, isPrefix := strings.CutSuffix(t.text, "%")
	if strings.ContainsAny(prefix, `%_\`) {
		return nil, fail(t, "only patterns of the form 'prefix%%' are supported")
	}
	if !isPrefix {
		return compare(c, iceberg.OpEQ, iceberg.NewLiteral(prefix), truth), nil
	}
	return compare(c, iceberg.OpStartsWith, iceberg.NewLiteral(prefix), truth), nil
}

func (p *parser) startsWith(c column, truth bool) (iceberg.BooleanExpression, error) {
	isText := c.typ.Equals(iceberg.PrimitiveTypes.String) || c.typ.Equals(iceberg.PrimitiveTypes.Binary)
	if !isText {
		return nil, fail(p.peek(), "column %s is of type %s: STARTS WITH is for strings and binaries", c.name, c.typ)
	}
	l, err := p.literal(c)
	if err != nil {
		return nil, err
	}
	return compare(c, iceberg.OpStartsWith, l, truth), nil
}
