package parquetguard_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/firn-io/firn/internal/parquetguard"
)

// TestReaderRefuses feeds structs that claim more than their bytes hold, or that no writer makes.
func TestReaderRefuses(t *testing.T) {
	uvarint := func(n uint64) []byte { return binary.AppendUvarint(nil, n) }
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	cases := map[string]struct {
		data []byte
		want string
	}{
		"nothing":                       {nil, "1 bytes expected, 0 left"},
		"a struct without an end":       {[]byte{0x15, 2}, "1 bytes expected"},
		"a long string":                 {join([]byte{0x18}, uvarint(1<<40)), "bytes expected, 0 left"},
		"a long list":                   {join([]byte{0x19, 0xfc}, uvarint(1<<62)), "a list of"},
		"a long set":                    {join([]byte{0x1a, 0xf5}, uvarint(9), []byte{1}), "a list of 9 elements in 1 bytes"},
		"a long map":                    {join([]byte{0x1b}, uvarint(1<<62), []byte{0x55, 1}), "no varint"},
		"a list of booleans, cut":       {[]byte{0x19, 0x31, 1, 1}, "a list of 3"},
		"an unknown type":               {[]byte{0x1e}, "unknown field type 14"},
		"a varint without an end":       {append([]byte{0x15}, bytes.Repeat([]byte{0xff}, 11)...), "no varint"},
		"a field id of seventeen bits":  {join([]byte{0x05}, binary.AppendVarint(nil, 1<<16), []byte{0}), "field id 65536"},
		"field ids that add up to more": {join([]byte{0x05}, binary.AppendVarint(nil, math.MaxInt16), []byte{0, 0x15}), "field id 32768"},
		"structs in structs":            {bytes.Repeat([]byte{0x1c}, 1000), "nested deeper"},
		"lists in lists":                {append([]byte{0x19}, bytes.Repeat([]byte{0x19}, 1000)...), "nested deeper"},
		"maps in maps":                  {append([]byte{0x1b}, bytes.Repeat([]byte{1, 0xbb}, 1000)...), "nested deeper"},
	}
	for name, c := range cases {
		r := parquetguard.NewReader(c.data)
		r.Skip(parquetguard.WireStruct)
		if r.Err() == nil || !strings.Contains(r.Err().Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, r.Err(), c.want)
		}
		if r.Pos() != len(c.data) {
			t.Errorf("%s: at byte %d of %d after the error", name, r.Pos(), len(c.data))
		}
	}
}

// TestReaderSkips passes over values of every type and stops at the end of the struct.
func TestReaderSkips(t *testing.T) {
	data := bytes.Join([][]byte{
		{0x11}, {0x12}, {0x13, 7}, {0x14, 2}, {0x15, 2}, {0x16, 2}, append([]byte{0x17}, make([]byte, 8)...),
		{0x18, 2, 'a', 'b'}, {0x19, 0x21, 1, 2}, {0x1a, 0x15, 4}, {0x1b, 0}, {0x1b, 1, 0x58, 2, 1, 'x'},
		{0x1c, 0x15, 2, 0}, append([]byte{0x1d}, make([]byte, 16)...), {0},
	}, nil)
	r := parquetguard.NewReader(append(data, 0xff))
	r.Skip(parquetguard.WireStruct)
	if r.Err() != nil || r.Pos() != len(data) {
		t.Errorf("at byte %d of %d: %v", r.Pos(), len(data), r.Err())
	}
}

// TestReaderTypes refuses a value of another type than the caller reads.
func TestReaderTypes(t *testing.T) {
	for name, read := range map[string]func(r *parquetguard.Reader){
		"number": func(r *parquetguard.Reader) { r.Number(parquetguard.WireBinary) },
		"flag":   func(r *parquetguard.Reader) { r.Flag(parquetguard.WireInt8) },
		"text":   func(r *parquetguard.Reader) { _ = r.Text(parquetguard.WireInt32) },
		"struct": func(r *parquetguard.Reader) { r.Nested(parquetguard.WireList, func(int, byte) {}) },
		"list":   func(r *parquetguard.Reader) { r.List(parquetguard.WireSet, parquetguard.WireInt32, func() {}) },
		"elements": func(r *parquetguard.Reader) {
			r.List(parquetguard.WireList, parquetguard.WireStruct, func() {})
		},
	} {
		r := parquetguard.NewReader([]byte{0x25, 2, 2})
		if read(r); r.Err() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
