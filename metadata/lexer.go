package metadata

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// peek skips white space and returns the next byte, 0 at the end or after an error.
func (d *decoder) peek() byte {
	for d.pos < len(d.data) && isSpace(d.data[d.pos]) {
		d.pos++
	}
	if d.pos >= len(d.data) || d.err != nil {
		return 0
	}
	return d.data[d.pos]
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// null reports whether the next value is null, and consumes it.
func (d *decoder) null() bool { return d.word("null") }

func (d *decoder) word(w string) bool {
	if d.peek() == 0 || !bytes.HasPrefix(d.data[d.pos:], []byte(w)) {
		return false
	}
	d.pos += len(w)
	return true
}

func (d *decoder) boolean() bool {
	if d.word("true") {
		return true
	}
	if !d.word("false") {
		d.expected("a boolean")
	}
	return false
}

// str reads a string. Text that is no UTF-8, and half of a surrogate pair, are errors: they would not come
// out as they went in.
func (d *decoder) str() string {
	if d.peek() != '"' {
		d.expected("a string")
		return ""
	}
	d.pos++
	start := d.pos
	var unescaped []byte // what precedes start, if anything was escaped
	for d.pos < len(d.data) {
		switch c := d.data[d.pos]; {
		case c == '"':
			text := string(append(unescaped, d.data[start:d.pos]...))
			d.pos++
			if !utf8.ValidString(text) {
				d.fail("the string is not valid UTF-8")
			}
			return text
		case c == '\\':
			unescaped = append(unescaped, d.data[start:d.pos]...)
			unescaped = d.escape(unescaped)
			start = d.pos
		case c < ' ':
			d.fail("a control character in a string")
			return ""
		default:
			d.pos++
		}
		if d.err != nil {
			return ""
		}
	}
	d.fail("the string does not end")
	return ""
}

const (
	escapeNames  = `"\/bfnrt`
	escapeValues = "\"\\/\b\f\n\r\t"
)

// escape reads one escape sequence, or a pair of them that stands for one character, and appends what it
// means to dst.
func (d *decoder) escape(dst []byte) []byte {
	d.pos++
	if d.pos >= len(d.data) {
		d.fail("the string does not end")
		return dst
	}
	c := d.data[d.pos]
	d.pos++
	if i := strings.IndexByte(escapeNames, c); i >= 0 {
		return append(dst, escapeValues[i])
	}
	if c != 'u' {
		d.fail("an unknown escape sequence in a string")
		return dst
	}
	r := d.hex4()
	if utf16.IsSurrogate(r) {
		low := rune(-1)
		if bytes.HasPrefix(d.data[d.pos:], []byte(`\u`)) {
			d.pos += 2
			low = d.hex4()
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			d.fail("half of a surrogate pair in a string")
		}
	}
	return utf8.AppendRune(dst, r)
}

// hex4 reads the four digits of a \u escape.
func (d *decoder) hex4() rune {
	const size = 4
	if len(d.data)-d.pos >= size {
		if n, err := strconv.ParseUint(string(d.data[d.pos:d.pos+size]), 16, 16); err == nil {
			d.pos += size
			return rune(n)
		}
	}
	d.fail("an escape sequence without four hexadecimal digits in a string")
	return 0
}

// number reads a number and returns it as it is written; what names it in an error.
func (d *decoder) number(what string) string {
	c := d.peek()
	if c != '-' && !isDigit(c) {
		d.expected(what)
		return ""
	}
	start := d.pos
	if c == '-' {
		d.pos++
	}
	whole := d.pos
	d.digits()
	if d.pos > whole+1 && d.data[whole] == '0' {
		d.fail("a number with a leading zero")
	}
	if d.at('.') {
		d.pos++
		d.digits()
	}
	if d.at('e') || d.at('E') {
		d.pos++
		if d.at('+') || d.at('-') {
			d.pos++
		}
		d.digits()
	}
	return string(d.data[start:d.pos])
}

func (d *decoder) at(c byte) bool { return d.pos < len(d.data) && d.data[d.pos] == c }

func (d *decoder) digits() {
	start := d.pos
	for d.pos < len(d.data) && isDigit(d.data[d.pos]) {
		d.pos++
	}
	if d.pos == start {
		d.fail("a number without digits where they are due")
	}
}

// int64 reads an integer; a fraction or an exponent is an error, as is a value beyond 64 bits.
func (d *decoder) int64() int64 { return d.integer(64) }

// int32 reads an integer of 32 bits: the ids of columns, schemas, specs and orders.
func (d *decoder) int32() int { return int(d.integer(32)) }

func (d *decoder) integer(bits int) int64 {
	text := d.number("an integer")
	if d.err != nil {
		return 0
	}
	if strings.ContainsAny(text, ".eE") {
		d.fail("expected an integer, found %s", shorten(text))
		return 0
	}
	n, err := strconv.ParseInt(text, 10, bits)
	if err != nil {
		d.fail("%s does not fit %d bits", shorten(text), bits)
		return 0
	}
	return n
}

// nameSet finds names that stand twice. Most objects have few members, and a list finds them faster.
type nameSet struct {
	list  []string
	index map[string]struct{}
}

const nameListMax = 16

// add reports whether the name is new.
func (s *nameSet) add(name string) bool {
	if s.index == nil {
		for _, known := range s.list {
			if known == name {
				return false
			}
		}
		s.list = append(s.list, name)
		if len(s.list) > nameListMax {
			s.index = make(map[string]struct{}, 2*len(s.list))
			for _, known := range s.list {
				s.index[known] = struct{}{}
			}
		}
		return true
	}
	_, twice := s.index[name]
	s.index[name] = struct{}{}
	return !twice
}
