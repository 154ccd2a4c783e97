package mdv_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/firn-io/firn/mdv"
)

// FuzzParse reads arbitrary bytes: an error with its place, or a valid set that encodes to an equal one.
func FuzzParse(f *testing.F) {
	for _, row := range readTSV(f, "testdata/bitmap-java.tsv") {
		f.Add(unhex(f, row[0]))
	}
	for _, c := range malformed {
		f.Add(unhex(f, c.hex))
	}
	for _, c := range accepted {
		f.Add(unhex(f, c.hex))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		b, err := mdv.Parse(data)
		if !bytes.Equal(data, before) {
			t.Fatal("Parse changed its input")
		}
		layout, describeErr := mdv.Describe(data)
		if err != nil {
			var parseErr *mdv.ParseError
			if !errors.As(err, &parseErr) || parseErr.Offset < 0 || parseErr.Offset > len(data) {
				t.Fatalf("the error %v has no place within %d bytes", err, len(data))
			}
			if describeErr == nil || describeErr.Error() != err.Error() {
				t.Fatalf("Parse says %v, Describe says %v", err, describeErr)
			}
			return
		}
		positions := b.AppendTo(nil)
		if len(positions) != b.Cardinality() || !slices.Equal(positions, slices.Collect(b.All())) {
			t.Fatalf("cardinality %d, positions %v", b.Cardinality(), positions)
		}
		if direct, err := mdv.Of(positions...); err != nil || !direct.Equal(b) {
			t.Fatalf("%v is not equal to the set of its positions, %v, %v", b, direct, err)
		}
		canonical := encode(t, b)
		if describeErr != nil || layout.Canonical != bytes.Equal(canonical, data) {
			t.Fatalf("Describe gives %+v, %v; canonical is %x", layout, describeErr, canonical)
		}
		again, err := mdv.Parse(canonical)
		if err != nil || !again.Equal(b) || !bytes.Equal(encode(t, again), canonical) {
			t.Fatalf("%x encodes to %x, which parses to %v, %v", data, canonical, again, err)
		}
	})
}

// FuzzParseText reads arbitrary text: an error, or a set whose text form reads as itself.
func FuzzParseText(f *testing.F) {
	for _, text := range []string{"", "0", "0,7,9-12", "2097151", "12-9", "7,2097152", "1,,2", "0-300,255-600"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := mdv.ParseText(text)
		if err != nil {
			if !b.IsEmpty() {
				t.Fatalf("%v beside the error %v", b, err)
			}
			return
		}
		again, err := mdv.ParseText(b.String())
		if err != nil || !again.Equal(b) {
			t.Fatalf("%q is written %q, which parses to %v, %v", text, b.String(), again, err)
		}
	})
}
