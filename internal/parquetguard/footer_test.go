package parquetguard_test

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/internal/parquetguard"
)

var roomy = parquetguard.FooterLimits{Elements: 100, RowGroups: 100}

func marshal(t testing.TB, v any) []byte {
	t.Helper()
	b, err := thrift.Marshal(new(thrift.CompactProtocol), v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sample is a footer of one column n in one row group, in parquet-go's types.
func sample() *format.FileMetaData {
	root := format.SchemaElement{Name: "schema", NumChildren: thrift.New(int32(1))}
	column := format.SchemaElement{Name: "n", Type: thrift.New(format.Int32), FieldID: 7,
		RepetitionType: thrift.New(format.Optional), LogicalType: thrift.New(format.LogicalType{Integer: &format.IntType{BitWidth: 8}})}
	chunk := format.ColumnChunk{MetaData: format.ColumnMetaData{Type: format.Int32, Encoding: []format.Encoding{format.Plain},
		PathInSchema: []string{"n"}, NumValues: 3, DataPageOffset: 4, TotalCompressedSize: 20,
		Statistics: format.Statistics{NullCount: 2, MinValue: []byte{1, 0, 0, 0}, MaxValue: []byte{9, 0, 0, 0}}}}
	return &format.FileMetaData{Version: 2, Schema: []format.SchemaElement{root, column}, NumRows: 3,
		RowGroups: []format.RowGroup{{Columns: []format.ColumnChunk{chunk}, NumRows: 3}}, CreatedBy: "a test"}
}

// TestDecodeFooter checks that everything parquet-go can express comes through, and what it cannot is told apart.
func TestDecodeFooter(t *testing.T) {
	want := sample()
	got, err := parquetguard.DecodeFooter(marshal(t, want), roomy)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(marshal(t, want), marshal(t, &got.FileMetaData)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]bool{false, true}, got.HasFieldID); diff != "" {
		t.Error(diff)
	}
	stats := parquetguard.Statistics{HasNullCount: true, NullCount: 2, MinValue: []byte{1, 0, 0, 0}, MaxValue: []byte{9, 0, 0, 0}}
	if diff := cmp.Diff([][]parquetguard.Statistics{{stats}}, got.Statistics); diff != "" {
		t.Error(diff)
	}
}

// TestStatistics reads the fields of a Statistics struct that parquet-go loses.
func TestStatistics(t *testing.T) {
	cases := map[string]struct {
		statistics []byte // the fields of the struct
		want       parquetguard.Statistics
	}{
		"none":          {nil, parquetguard.Statistics{}},
		"no nulls":      {[]byte{0x36, 0}, parquetguard.Statistics{HasNullCount: true}},
		"exact minimum": {[]byte{0x68, 0, 0x12, 0x11}, parquetguard.Statistics{MinValue: []byte{}, MinExact: true}},
		"old bounds":    {[]byte{0x18, 1, 9, 0x18, 1, 3}, parquetguard.Statistics{Max: []byte{9}, Min: []byte{3}}},
	}
	for name, c := range cases {
		m := sample()
		m.RowGroups[0].Columns[0].MetaData.Statistics = format.Statistics{NullCount: 99}
		given := []byte{0x36, 0xc6, 0x01, 0} // what stands there after the edit above: the null count, the end
		data := marshal(t, m)
		if bytes.Count(data, given) != 1 {
			t.Fatalf("%x is not in %x once", given, data)
		}
		data = bytes.Replace(data, given, append(bytes.Clone(c.statistics), 0), 1)
		got, err := parquetguard.DecodeFooter(data, roomy)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, got.Statistics[0][0]); diff != "" {
			t.Errorf("%s: want -, got +:\n%s", name, diff)
		}
	}
}

// allocated returns the bytes that a call allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestHostileFooters decodes footers whose fields have types that make parquet-go's decoder lose its place, or whose
// lists have elements of nothing. Each costs little more than itself, because the decoder never sees it.
func TestHostileFooters(t *testing.T) {
	good := marshal(t, sample())
	if _, err := parquetguard.DecodeFooter(good, roomy); err != nil {
		t.Fatal(err) // and what is made once is made
	}
	many := func(field byte, n byte) []byte { return append([]byte{field<<4 | 9, 0xfc, n}, make([]byte, n)...) }
	keys := append([]byte{0x18, 0x59, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07}, make([]byte, 0x59-6)...)
	cases := map[string]struct {
		data []byte
		want string
	}{
		// parquet-go does not pass over the string, and takes its length for the head of a list of 2^31 - 1 keys.
		"a version that is a string": {append(keys, 0), "field type 8, not 5"},
		"keys that are a set":        {append([]byte{0x5a, 0xfc, 3, 0, 0, 0}, good...), "a list should be"},
		"keys that are numbers":      {append([]byte{0x59, 0xf5, 3, 0, 0, 0}, good...), "list elements of type 5, not 12"},
		"keys that are empty":        {append(many(5, 100), good...), "without its field 1"},
		"columns that are empty":     {append([]byte{0x49, 0x1c}, append(many(1, 100), 0, 0)...), "without metadata"},
		"metadata that is empty":     {[]byte{0x49, 0x1c, 0x19, 0x1c, 0x26, 0, 0x1c, 0, 0, 0, 0}, "without its field 1"},
		"no version":                 {[]byte{0}, "without its field 1"},
		"row groups twice":           {twice(t), "given twice"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bytes := allocated(func() {
				_, err := parquetguard.DecodeFooter(c.data, roomy)
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want %q", err, c.want)
				}
			})
			if most := uint64(64*len(c.data) + 1<<13); bytes > most {
				t.Errorf("%d bytes allocated for %d, more than %d", bytes, len(c.data), most)
			}
		})
	}
}

// twice returns the sample with its list of row groups twice.
func twice(t *testing.T) []byte {
	m := sample()
	m.CreatedBy = ""
	one := marshal(t, m)
	m.RowGroups = nil
	none := marshal(t, m)
	head := len(none) - 3 // up to the field's type, its length of 0 and the end
	list := one[head : len(one)-1]
	again := append([]byte{list[0] & 0x0f, 8}, list[1:]...) // the field's id as a number
	return append(append(bytes.Clone(one[:len(one)-1]), again...), 0)
}

func TestFooterLimits(t *testing.T) {
	data := marshal(t, sample())
	for what, limits := range map[string]parquetguard.FooterLimits{
		"schema elements": {Elements: 1, RowGroups: 1}, "row groups": {Elements: 2},
	} {
		_, err := parquetguard.DecodeFooter(data, limits)
		var limit *parquetguard.LimitError
		if !errors.As(err, &limit) || limit.What != what {
			t.Errorf("%s: error %v", what, err)
		}
	}
}

// TestEncrypted checks that encryption is told from damage.
func TestEncrypted(t *testing.T) {
	m := sample()
	m.EncryptionAlgorithm.AesGcmV1 = &format.AesGcmV1{}
	if f, err := parquetguard.DecodeFooter(marshal(t, m), roomy); err != nil || !f.Encrypted {
		t.Errorf("a file: %v", err)
	}
	m = sample()
	m.RowGroups[0].Columns[0].EncryptedColumnMetadata = []byte("x")
	if _, err := parquetguard.DecodeFooter(marshal(t, m), roomy); !errors.Is(err, parquetguard.ErrUnsupported) {
		t.Errorf("a column: %v", err)
	}
}

type failing struct{}

var errGone = errors.New("the store is gone")

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errGone }

func TestReadFooter(t *testing.T) {
	file := []byte("PAR1abc\x03\x00\x00\x00PAR1")
	footer, start, err := parquetguard.ReadFooter(bytes.NewReader(file), int64(len(file)), 3)
	if string(footer) != "abc" || start != 4 || err != nil {
		t.Errorf("%q at %d (%v)", footer, start, err)
	}
	var limit *parquetguard.LimitError
	if _, _, err := parquetguard.ReadFooter(bytes.NewReader(file), int64(len(file)), 2); !errors.As(err, &limit) {
		t.Errorf("a large footer: %v", err)
	}
	if _, _, err := parquetguard.ReadFooter(failing{}, 100, math.MaxInt64); !errors.Is(err, errGone) || errors.Is(err, parquetguard.ErrTruncated) {
		t.Errorf("a failing reader: %v", err)
	}
	for name, c := range map[string]struct {
		data string
		size int64
		kind error
	}{
		"nothing":        {"", 0, parquetguard.ErrTruncated},
		"another file":   {"this is a text file", 19, parquetguard.ErrTruncated},
		"a cut file":     {string(file[:12]), int64(len(file)), parquetguard.ErrTruncated},
		"a long footer":  {"PAR1abc\x04\x00\x00\x00PAR1", 15, parquetguard.ErrTruncated},
		"an encrypted":   {"PAREabc\x03\x00\x00\x00PARE", 15, parquetguard.ErrUnsupported},
		"a negative one": {"PAR1abc\xff\xff\xff\xffPAR1", 15, parquetguard.ErrTruncated},
	} {
		if _, _, err := parquetguard.ReadFooter(strings.NewReader(c.data), c.size, math.MaxInt64); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
