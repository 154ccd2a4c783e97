package metadata

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// newDecoder returns the decoder of a document. encoding/json decides what is JSON, before the first token is read,
// and decodes what has escapes; all that is left is to find where each token ends. Decoding all of it there would
// lose the order of members, names that stand twice, and the path to what is wrong.
func newDecoder(data []byte, l Limits) *decoder {
	d := &decoder{data: data, limits: l}
	if !json.Valid(data) && errors.As(json.Unmarshal(data, new(any)), &d.syntax) {
		d.data = data[:max(d.syntax.Offset-1, 0)]
	}
	return d
}

// separators are the bytes between two tokens.
const separators = " \t\r\n,:"

// peek returns the first byte of the next token, 0 after an error. There must be a token.
func (d *decoder) peek() byte {
	if d.err != nil {
		return 0
	}
	d.pos = len(d.data) - len(bytes.TrimLeft(d.data[d.pos:], separators))
	if d.pos == len(d.data) {
		d.broken()
		return 0
	}
	return d.data[d.pos]
}

// token consumes the next token and returns its text, which is empty after an error.
func (d *decoder) token() []byte {
	size := 0
	switch d.peek() {
	case 0:
		return nil
	case '{', '}', '[', ']':
		size = 1
	case '"':
		size = stringSize(d.data[d.pos:])
	default:
		size = bytes.IndexAny(d.data[d.pos:], separators+"}]")
	}
	if size <= 0 {
		d.broken()
		return nil
	}
	d.pos += size
	return d.data[d.pos-size : d.pos]
}

// stringSize returns the size of the string that text begins with, 0 if the string does not end.
func stringSize(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return 0
}

// accept consumes the next token if it begins with the byte, and reports whether it did.
func (d *decoder) accept(first byte) bool {
	return d.peek() == first && len(d.token()) > 0
}

// null reports whether the next value is null, and consumes it.
func (d *decoder) null() bool { return d.accept('n') }

func (d *decoder) boolean() bool {
	if d.accept('t') {
		return true
	}
	if !d.accept('f') {
		d.expected("a boolean")
	}
	return false
}

// wholeEscapes matches a string in which no escape sequence stands for half of a surrogate pair.
var wholeEscapes = regexp.MustCompile(
	`^(?:[^\\]|\\(?:[^u]|u(?:[^dD]...|[dD][0-7]..|[dD][89abAB]..\\u[dD][c-fC-F]..)))*$`)

// str reads a string. Text that is no UTF-8, and half of a surrogate pair, are errors: encoding/json replaces
// them, so that they would not come out as they went in.
func (d *decoder) str() string {
	if d.peek() != '"' {
		d.expected("a string")
		return ""
	}
	quoted := d.token()
	switch {
	case d.err != nil:
		return ""
	case !utf8.Valid(quoted):
		d.fail("the string is not valid UTF-8")
		return ""
	case bytes.IndexByte(quoted, '\\') < 0:
		return string(quoted[1 : len(quoted)-1])
	}
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		d.fail("%v", err)
	}
	if strings.ContainsRune(text, utf8.RuneError) && !wholeEscapes.Match(quoted) {
		d.fail("half of a surrogate pair in a string")
	}
	return text
}

// number reads a number and returns it as it is written; what names it in an error.
func (d *decoder) number(what string) string {
	if c := d.peek(); c != '-' && (c < '0' || c > '9') {
		d.expected(what)
	}
	return string(d.token())
}

// int64 reads an integer; a fraction or an exponent is an error, as is a value beyond 64 bits.
func (d *decoder) int64() int64 { return d.integer(64) }

// int32 reads an integer of 32 bits: the ids of columns, schemas, specs and orders.
func (d *decoder) int32() int { return int(d.integer(32)) }

func (d *decoder) integer(bits int) int64 {
	text := d.number("an integer")
	n, err := strconv.ParseInt(text, 10, bits)
	switch {
	case errors.Is(err, strconv.ErrRange):
		d.fail("%s does not fit %d bits", shorten(text), bits)
	case err != nil:
		d.fail("expected an integer, found %s", shorten(text))
	}
	return n
}

// expected reports that the next token is of another kind.
func (d *decoder) expected(what string) {
	found := "a number"
	switch d.peek() {
	case '{':
		found = "an object"
	case '[':
		found = "an array"
	case '"':
		found = "a string"
	case 't', 'f':
		found = "a boolean"
	case 'n':
		found = "null"
	}
	d.fail("expected %s, found %s", what, found)
}

// end reports what follows the document.
func (d *decoder) end() {
	if d.syntax != nil {
		d.broken()
	}
}

// broken reports that the document is no JSON from here on.
func (d *decoder) broken() {
	d.pos = len(d.data)
	d.fail("%v", d.syntax)
}
