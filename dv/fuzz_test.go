package dv_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/apache/iceberg-go/puffin"
	peer "github.com/apache/iceberg-go/table/dv"
	"github.com/firn-io/firn/dv"
)

// fuzzPositions is the most positions that a fuzz target walks through: a few bytes can stand for 2^32.
const fuzzPositions = 100_000

// FuzzParseBlob reads arbitrary bytes, as a blob and as a bitmap within a sound blob: a fault, or a set that encodes to an
// equal one and that another library reads as the same.
func FuzzParseBlob(f *testing.F) {
	for _, b := range javaBlobs(f) {
		blob := testdata(f, b.file)[b.entry.OffsetBytes:][:b.entry.SizeBytes]
		f.Add(blob)
		f.Add(blob[8 : len(blob)-4])
	}
	for _, v := range manyVectors(f) {
		blob := encode(f, v.Vector)
		f.Add(blob[8 : len(blob)-4])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		for _, blob := range [][]byte{data, framed(data)} {
			v, err := dv.ParseBlob(blob)
			if err != nil {
				if faultOf(t, err) < dv.FaultSize || faultOf(t, err) > dv.FaultReserved || !v.IsEmpty() {
					t.Fatalf("%v beside the error %v", v, err)
				}
				continue
			}
			checkAccepted(t, blob, v)
		}
		if !bytes.Equal(data, before) {
			t.Fatal("ParseBlob changed its input")
		}
	})
}

func checkAccepted(t *testing.T, blob []byte, v dv.Vector) {
	theirs, err := peer.DeserializeDV(blob, v.Cardinality())
	if err != nil {
		t.Fatalf("accepted, another library says %v", err)
	}
	if last, some := v.Max(); some && last > dv.MaxPosition {
		t.Fatalf("position %d was accepted", last)
	}
	if v.Cardinality() > fuzzPositions {
		return
	}
	if !slices.Equal(slices.Collect(theirs.Positions()), slices.Collect(v.All())) {
		t.Fatal("another library reads another set")
	}
	canonical := encode(t, v)
	again, err := dv.ParseBlob(canonical)
	if err != nil || !again.Equal(v) || !bytes.Equal(encode(t, again), canonical) {
		t.Fatalf("%x encodes to %x, which is another set, %v", blob, canonical, err)
	}
}

// FuzzFooter reads arbitrary bytes, as a file and as a payload within a sound frame: an error, or a footer; what we accept
// another library accepts too, unless it is a vector with a snapshot id or a blob out of range.
func FuzzFooter(f *testing.F) {
	for _, folder := range []string{"legacy", "java-v4", "corrupt"} {
		for _, name := range puffins(f, folder) {
			file := testdata(f, name)
			f.Add(file)
			if at := bytes.LastIndex(file, []byte(`PFA1{"blobs"`)); at > 0 {
				f.Add(file[at+4 : len(file)-12])
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, file := range [][]byte{data, withFooter([]byte("PFA1"), data)} {
			footer, err := parseFooter(file, dv.Limits{})
			if err != nil {
				if faultOf(t, err) < dv.FaultNotPuffin && faultOf(t, err) != dv.FaultRange {
					t.Fatalf("a footer with the fault %v", err)
				}
				continue
			}
			theirs, err := puffin.NewReader(bytes.NewReader(file))
			if err != nil {
				continue
			}
			blobs := theirs.Blobs()
			if len(blobs) != len(footer.Blobs) {
				t.Fatalf("%d blobs, another library reads %d", len(footer.Blobs), len(blobs))
			}
			for i, b := range footer.Blobs {
				if b.OffsetBytes != blobs[i].Offset || b.LengthBytes != blobs[i].Length || b.Type != string(blobs[i].Type) {
					t.Fatalf("blob %d: %+v, another library reads %+v", i, b, blobs[i])
				}
			}
		}
	})
}

// FuzzParseText reads arbitrary text: an error, or a set whose text form reads as itself.
func FuzzParseText(f *testing.F) {
	for _, text := range []string{"", "0", "3,7-9", "9-7", "1,,2", "9223372030412324864", "4294967295-4294967297", "0-5,2-9"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := dv.ParseText(text)
		if err != nil {
			if !v.IsEmpty() {
				t.Fatalf("%v beside the error %v", v, err)
			}
			return
		}
		if v.Cardinality() > fuzzPositions {
			return
		}
		again, err := dv.ParseText(v.String())
		if err != nil || !again.Equal(v) {
			t.Fatalf("%q is written %q, which parses to %v, %v", text, v.String(), again, err)
		}
	})
}
