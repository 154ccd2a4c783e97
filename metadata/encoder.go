package metadata

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/apache/iceberg-go"
)

// encoder appends JSON without white space to what dst held before start. The first error sticks.
type encoder struct {
	dst   []byte
	start int
	err   error
}

// open starts an object or an array that is an element.
func (e *encoder) open(bracket byte) {
	e.separate()
	e.dst = append(e.dst, bracket)
}

func (e *encoder) close(bracket byte) { e.dst = append(e.dst, bracket) }

// separate writes the comma between two members or elements. No value ends in one of the bytes that precede
// a first member, a first element or a member's value.
func (e *encoder) separate() {
	if len(e.dst) == e.start {
		return
	}
	switch e.dst[len(e.dst)-1] {
	case '{', '[', ':':
	default:
		e.dst = append(e.dst, ',')
	}
}

// name starts a member.
func (e *encoder) name(name string) {
	e.str(name)
	e.dst = append(e.dst, ':')
}

func (e *encoder) str(s string) {
	e.separate()
	if !utf8.ValidString(s) {
		e.fail(fmt.Errorf("metadata: the text %q is not valid UTF-8", shorten(s)))
	}
	e.dst = appendQuoted(e.dst, s)
}

func (e *encoder) int(n int64) {
	e.separate()
	e.dst = strconv.AppendInt(e.dst, n, 10)
}

// raw writes a value that is JSON text already.
func (e *encoder) raw(text string) {
	e.separate()
	e.dst = append(e.dst, text...)
}

func (e *encoder) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

func (e *encoder) strMember(name, value string) {
	e.name(name)
	e.str(value)
}

func (e *encoder) intMember(name string, value int64) {
	e.name(name)
	e.int(value)
}

func (e *encoder) optionalStr(name string, value iceberg.Optional[string]) {
	if value.Valid {
		e.strMember(name, value.Val)
	}
}

func optionalInt[T int | int64](e *encoder, name string, value iceberg.Optional[T]) {
	if value.Valid {
		e.intMember(name, int64(value.Val))
	}
}

// strings writes a map by its keys, the ones in first before the others.
func (e *encoder) strings(name string, m map[string]string, first ...string) {
	e.name(name)
	e.open('{')
	for _, key := range first {
		if value, ok := m[key]; ok {
			e.strMember(key, value)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(first, key) {
			e.strMember(key, m[key])
		}
	}
	e.close('}')
}

// list writes a member that is an array with one element for each item.
func list[T any](e *encoder, name string, items []T, write func(T)) {
	e.name(name)
	e.open('[')
	for _, item := range items {
		write(item)
	}
	e.close(']')
}

// unknown writes the members that this version does not interpret. Text that would make the object
// unreadable is refused.
func (e *encoder) unknown(u Unknown, known members) {
	names := map[string]struct{}{}
	for _, m := range u {
		_, twice := names[m.Name]
		names[m.Name] = struct{}{}
		switch {
		case twice || known.index(m.Name) >= 0:
			e.fail(fmt.Errorf("metadata: unknown member %q: the name stands twice in one object", shorten(m.Name)))
		case !json.Valid([]byte(m.JSON)):
			e.fail(fmt.Errorf("metadata: unknown member %q: its value is not JSON", shorten(m.Name)))
		}
		e.name(m.Name)
		e.raw(m.JSON)
	}
}

// appendQuoted appends a JSON string; only what must be escaped is.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
