package match

import (
	"fmt"
	"strings"

	"github.com/apache/iceberg-go"
)

// Limits of a filter's text: the nesting of its parentheses and negations, and its length.
const (
	maxParseDepth  = 200
	maxFilterBytes = 1 << 16
)

// Parse reads a filter as people write it and returns it unbound, for [New]; all columns and literals were checked
// against the schema. The grammar is a small part of SQL:
//
//	region = 'eu' AND (amount >= 9.5 OR NOT kind IN ('a', 'b')) AND ts < '2026-11-29T12:00:00'
//
// with = == != <> < <= > >=, [NOT] IN, [NOT] BETWEEN, [NOT] LIKE 'prefix%', STARTS WITH 'prefix', IS [NOT] NULL,
// IS [NOT] NAN, AND, OR, NOT, TRUE and FALSE; a boolean column stands for itself. Keywords have no case, column
// names have. A name is dotted for nested columns and stands in double quotes where it is no word. Literals are
// numbers, TRUE, FALSE and texts in single quotes, a doubled quote for one; texts become dates, times, instants,
// uuids, decimals or binaries (0x and hex) by the type of their column. An instant without a zone is one in UTC.
//
// As in SQL, and unlike in Iceberg, a null satisfies no comparison, not even !=, NOT IN and NOT LIKE; IS tests are
// true or false of it. Errors are [SyntaxError] (MT6).
func Parse(text string, schema *iceberg.Schema) (iceberg.BooleanExpression, error) {
	if len(text) > maxFilterBytes {
		return nil, &SyntaxError{Column: 1, Reason: fmt.Sprintf("more than %d bytes", maxFilterBytes)}
	}
	all, err := tokens(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: all, schema: schema}
	expr, err := p.disjunction(true)
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t.kind != tokenEnd {
		return nil, fail(t, "unexpected %s", t)
	}
	return expr, nil
}

// parser reads tokens. Its methods take the truth that is asked for: a false one yields the expression that holds
// exactly where the text is false, neither true nor unknown, so that no negation of nulls is ever left.
type parser struct {
	tokens []token
	pos    int
	depth  int
	schema *iceberg.Schema
}

func fail(t token, format string, args ...any) error {
	return &SyntaxError{Column: t.column, Reason: fmt.Sprintf(format, args...)}
}

func (p *parser) peek() token { return p.tokens[p.pos] }

// next returns the token and moves on; the end stays.
func (p *parser) next() token {
	t := p.tokens[p.pos]
	if t.kind != tokenEnd {
		p.pos++
	}
	return t
}

// accept moves on if the next tokens are the given words.
func (p *parser) accept(words ...string) bool {
	for i, word := range words {
		if p.pos+i >= len(p.tokens) || !p.tokens[p.pos+i].is(word) {
			return false
		}
	}
	p.pos += len(words)
	return true
}

func (p *parser) expect(word string) error {
	if !p.accept(word) {
		return fail(p.peek(), "%s where %s belongs", p.peek(), word)
	}
	return nil
}

func (p *parser) disjunction(truth bool) (iceberg.BooleanExpression, error) {
	return p.chain(truth, "OR", !truth, p.conjunction)
}

func (p *parser) conjunction(truth bool) (iceberg.BooleanExpression, error) {
	return p.chain(truth, "AND", truth, p.negation)
}

// chain reads operands with a word between them, and joins them by AND if all must hold, else by OR.
func (p *parser) chain(truth bool, word string, all bool, operand func(bool) (iceberg.BooleanExpression, error)) (iceberg.BooleanExpression, error) {
	left, err := operand(truth)
	for err == nil && p.accept(word) {
		var right iceberg.BooleanExpression
		if right, err = operand(truth); err != nil {
			break
		}
		if all {
			left = iceberg.NewAnd(left, right)
		} else {
			left = iceberg.NewOr(left, right)
		}
	}
	return left, err
}

func (p *parser) negation(truth bool) (iceberg.BooleanExpression, error) {
	if p.depth++; p.depth > maxParseDepth {
		return nil, fail(p.peek(), "more than %d levels of nesting", maxParseDepth)
	}
	defer func() { p.depth-- }()
	if p.accept("NOT") {
		return p.negation(!truth)
	}
	if p.accept("(") {
		inner, err := p.disjunction(truth)
		if err != nil {
			return nil, err
		}
		return inner, p.expect(")")
	}
	return p.predicate(truth)
}

func (p *parser) predicate(truth bool) (iceberg.BooleanExpression, error) {
	t := p.peek()
	switch {
	case t.is("TRUE") || t.is("FALSE"):
		p.next()
		if t.is("TRUE") == truth {
			return iceberg.AlwaysTrue{}, nil
		}
		return iceberg.AlwaysFalse{}, nil
	case t.kind == tokenText || t.kind == tokenNumber || t.is("-") || t.is("+"):
		return p.reversed(truth)
	}
	c, err := p.column()
	if err != nil {
		return nil, err
	}
	return p.test(c, truth)
}

// column is a column of the schema.
type column struct {
	token
	name string
	typ  iceberg.Type
}

func (p *parser) column() (column, error) {
	first := p.peek()
	var names []string
	for {
		t := p.next()
		if t.kind != tokenQuoted && (t.kind != tokenWord || isKeyword(t)) {
			return column{}, fail(t, "%s where a column belongs", t)
		}
		names = append(names, t.text)
		if !p.accept(".") {
			break
		}
	}
	name := strings.Join(names, ".")
	field, found := p.schema.FindFieldByName(name)
	if !found {
		return column{}, fail(first, "there is no column %s", name)
	}
	if kindOf(field.Type) == 0 {
		return column{}, fail(first, "column %s is of type %s, which has no comparisons", name, field.Type.Type())
	}
	if _, err := iceberg.BindExpr(p.schema, iceberg.NotNull(iceberg.Reference(name)), true); err != nil {
		return column{}, fail(first, "column %s lies in a list or map", name)
	}
	return column{token: first, name: name, typ: field.Type}, nil
}

// isKeyword reports whether a word must be quoted to be a column.
func isKeyword(t token) bool {
	for _, word := range []string{"AND", "OR", "NOT", "IN", "IS", "LIKE", "BETWEEN", "TRUE", "FALSE", "NULL"} {
		if t.is(word) {
			return true
		}
	}
	return false
}

// comparisons are the operators, and what they are with their sides swapped.
var comparisons = map[string]struct{ op, swapped iceberg.Operation }{
	"=":  {iceberg.OpEQ, iceberg.OpEQ},
	"==": {iceberg.OpEQ, iceberg.OpEQ},
	"!=": {iceberg.OpNEQ, iceberg.OpNEQ},
	"<>": {iceberg.OpNEQ, iceberg.OpNEQ},
	"<":  {iceberg.OpLT, iceberg.OpGT},
	"<=": {iceberg.OpLTEQ, iceberg.OpGTEQ},
	">":  {iceberg.OpGT, iceberg.OpLT},
	">=": {iceberg.OpGTEQ, iceberg.OpLTEQ},
}
