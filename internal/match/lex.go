package match

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SyntaxError says what is wrong with a filter's text, and where.
type SyntaxError struct {
	// Column counts the characters before the place, from 1.
	Column int
	Reason string
}

// Error names the column.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("match: filter, column %d: %s", e.Column, e.Reason)
}

type tokenKind int

const (
	tokenEnd tokenKind = iota
	tokenWord
	tokenQuoted // "name"
	tokenText   // 'text'
	tokenNumber
	tokenSymbol
)

// token is one word of a filter. Text is without quotes.
type token struct {
	kind   tokenKind
	text   string
	column int
}

// is reports whether the token is the given symbol or, in any case, the given keyword.
func (t token) is(word string) bool {
	switch t.kind {
	case tokenSymbol:
		return t.text == word
	case tokenWord:
		return strings.EqualFold(t.text, word)
	}
	return false
}

// String prints the token for messages.
func (t token) String() string {
	switch t.kind {
	case tokenEnd:
		return "the end"
	case tokenQuoted:
		return fmt.Sprintf("%q", t.text)
	}
	return "'" + t.text + "'"
}

// symbols are the operators and brackets, longer ones first.
var symbols = []string{"<=", ">=", "<>", "!=", "==", "<", ">", "=", "(", ")", ",", ".", "-", "+"}

// lexer splits a filter into tokens.
type lexer struct {
	rest   string
	column int
}

// tokens splits a text; the last token is the end.
func tokens(text string) ([]token, error) {
	if !utf8.ValidString(text) {
		return nil, &SyntaxError{Column: 1, Reason: "the text is not UTF-8"}
	}
	l := lexer{rest: text, column: 1}
	var all []token
	for {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		all = append(all, t)
		if t.kind == tokenEnd {
			return all, nil
		}
	}
}

// take cuts n bytes off and moves behind them.
func (l *lexer) take(n int) string {
	text := l.rest[:n]
	l.rest = l.rest[n:]
	l.column += utf8.RuneCountInString(text)
	return text
}

func (l *lexer) next() (token, error) {
	trimmed := strings.TrimLeftFunc(l.rest, unicode.IsSpace)
	l.take(len(l.rest) - len(trimmed))
	t := token{column: l.column}
	if l.rest == "" {
		return t, nil
	}
	first, _ := utf8.DecodeRuneInString(l.rest)
	switch {
	case first == '\'' || first == '"':
		return l.quoted(t, byte(first))
	case isDigit(first) || first == '.' && len(l.rest) > 1 && isDigit(rune(l.rest[1])):
		t.kind, t.text = tokenNumber, l.take(numberLength(l.rest))
		return t, nil
	case isNameStart(first):
		end := strings.IndexFunc(l.rest, func(r rune) bool { return !isNameStart(r) && !isDigit(r) && r != '$' })
		if end < 0 {
			end = len(l.rest)
		}
		t.kind, t.text = tokenWord, l.take(end)
		return t, nil
	}
	for _, s := range symbols {
		if strings.HasPrefix(l.rest, s) {
			t.kind, t.text = tokenSymbol, l.take(len(s))
			return t, nil
		}
	}
	return t, &SyntaxError{Column: t.column, Reason: fmt.Sprintf("unexpected character %q", first)}
}

// quoted reads a text or a name; a doubled quote stands for one.
func (l *lexer) quoted(t token, quote byte) (token, error) {
	t.kind = tokenText
	if quote == '"' {
		t.kind = tokenQuoted
	}
	var text strings.Builder
	for i := 1; i < len(l.rest); i++ {
		if l.rest[i] != quote {
			text.WriteByte(l.rest[i])
			continue
		}
		if i+1 < len(l.rest) && l.rest[i+1] == quote {
			text.WriteByte(quote)
			i++
			continue
		}
		l.take(i + 1)
		t.text = text.String()
		return t, nil
	}
	return t, &SyntaxError{Column: t.column, Reason: fmt.Sprintf("no closing %c", quote)}
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isNameStart(r rune) bool { return r == '_' || unicode.IsLetter(r) }

// numberLength returns the length of the number at the start of a text: digits, a fraction and an exponent.
func numberLength(text string) int {
	n := digits(text)
	if n < len(text) && text[n] == '.' {
		n += 1 + digits(text[n+1:])
	}
	if n < len(text) && (text[n] == 'e' || text[n] == 'E') {
		sign := 0
		if n+1 < len(text) && (text[n+1] == '+' || text[n+1] == '-') {
			sign = 1
		}
		if d := digits(text[n+1+sign:]); d > 0 {
			n += 1 + sign + d
		}
	}
	return n
}

func digits(text string) int {
	n := 0
	for n < len(text) && isDigit(rune(text[n])) {
		n++
	}
	return n
}
