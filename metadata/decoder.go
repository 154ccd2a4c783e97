package metadata

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// decoder reads one JSON document once, from front to back. The first error sticks: from then on every method
// returns a zero value and consumes nothing, so that callers check err once, at the end.
type decoder struct {
	// data is the document as far as it is JSON; syntax is what is wrong then, nil if that is all of it.
	data   []byte
	syntax *json.SyntaxError
	limits Limits
	pos    int
	values int
	path   []step
	err    *ParseError

	// draft allows a schema that a person wrote: ids and whether a field is required may be left out, but
	// nothing may be there that is not understood.
	draft bool
	// fieldIDs are the ids of the schema being read, types the type names met so far.
	fieldIDs fieldIDs
	types    typeNames
}

// members are the members of an object that this package knows, in the order in which they are missed.
type members []memberRule

type memberRule struct {
	name     string
	presence presence
}

// presence says whether an object must have a member.
type presence uint8

const (
	optional presence = iota
	required
	// recorded members are required in table metadata, but not in a draft.
	recorded
)

func (m members) index(name string) int {
	for i := range m {
		if m[i].name == name {
			return i
		}
	}
	return -1
}

// found are the members of one object that were there and not null.
type found struct {
	known members
	seen  uint64
}

func (f found) has(name string) bool { return f.seen>>f.known.index(name)&1 != 0 }

// object reads an object. It calls read for each known member that is not null, positioned at its value, and
// returns the unknown members as text.
func (d *decoder) object(known members, read func(name string)) (found, Unknown) {
	f := found{known: known}
	var unknown Unknown
	d.each(func(name string) {
		i := known.index(name)
		switch {
		case i < 0 && d.draft:
			d.fail("unknown member")
		case i < 0:
			unknown = append(unknown, Member{Name: name, JSON: d.raw()})
		case d.null():
		default:
			f.seen |= 1 << i
			read(name)
		}
	})
	for i, rule := range known {
		if f.seen>>i&1 == 0 && (rule.presence == required || rule.presence == recorded && !d.draft) {
			d.missing(rule.name)
		}
	}
	return f, unknown
}

// need reports the members that this kind of object requires beyond what its rules say.
func (d *decoder) need(f found, names ...string) {
	for _, name := range names {
		if !f.has(name) {
			d.missing(name)
		}
	}
}

func (d *decoder) missing(name string) { d.fail("%s is missing", name) }

// each reads an object and calls read for each member, positioned at its value.
func (d *decoder) each(read func(name string)) {
	if !d.accept('{') {
		d.expected("an object")
	}
	names := map[string]struct{}{}
	for d.more('}') {
		name := d.str()
		if d.enter(step{name: name, index: -1}) {
			if _, twice := names[name]; twice {
				d.fail("the name stands twice in one object")
			}
			names[name] = struct{}{}
			read(name)
		}
		d.leave()
	}
}

// array reads an array and calls read for each element, positioned at it.
func (d *decoder) array(read func()) {
	if !d.accept('[') {
		d.expected("an array")
	}
	for i := 0; d.more(']'); i++ {
		if d.enter(step{index: i}) {
			read()
		}
		d.leave()
	}
}

// more reports whether another member or element follows, and consumes the closing bracket if none does.
func (d *decoder) more(closing byte) bool { return !d.accept(closing) && d.err == nil }

func (d *decoder) enter(s step) bool {
	d.path = append(d.path, s)
	d.values++
	if len(d.path) > d.limits.MaxDepth {
		d.fail("nested deeper than %d levels", d.limits.MaxDepth)
	}
	if d.values > d.limits.MaxValues {
		d.fail("more than %d values in one document", d.limits.MaxValues)
	}
	return d.err == nil
}

func (d *decoder) leave() { d.path = d.path[:len(d.path)-1] }

// strings reads an object whose values are all strings.
func (d *decoder) strings() map[string]string {
	m := map[string]string{}
	d.each(func(name string) { m[name] = d.str() })
	return m
}

// raw reads any value and returns its text without white space between tokens.
func (d *decoder) raw() string {
	start := d.mark()
	d.skip()
	return d.textSince(start)
}

// mark returns the position of the next value, for [decoder.textSince].
func (d *decoder) mark() int {
	d.peek()
	return d.pos
}

// textSince returns what was read since the mark, without white space between tokens.
func (d *decoder) textSince(mark int) string {
	if d.err != nil {
		return ""
	}
	text := bytes.NewBuffer(make([]byte, 0, d.pos-mark))
	if err := json.Compact(text, d.data[mark:d.pos]); err != nil {
		d.fail("%v", err)
	}
	return text.String()
}

// skip reads any value.
func (d *decoder) skip() {
	switch d.peek() {
	case '{':
		d.each(func(string) { d.skip() })
	case '[':
		d.array(d.skip)
	case '"':
		d.str()
	default:
		d.token()
	}
}

// any reads a value as encoding/json would, but integers that fit stay exact as int64.
func (d *decoder) any() any {
	switch d.peek() {
	case '{':
		m := map[string]any{}
		d.each(func(name string) { m[name] = d.any() })
		return m
	case '[':
		var list []any
		d.array(func() { list = append(list, d.any()) })
		return list
	case '"':
		return d.str()
	case 't', 'f':
		return d.boolean()
	}
	if d.null() {
		return nil
	}
	text := d.number("a value")
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		d.fail("the number %s is out of range", shorten(text))
	}
	return f
}

// fail records the first error.
func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = &ParseError{Path: formatPath(d.path), Offset: d.pos, Reason: fmt.Sprintf(format, args...)}
	}
}
