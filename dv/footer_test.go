package dv_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/store"
	"github.com/google/go-cmp/cmp"
)

// parseFooter reads the footer of a file that is wholly here.
func parseFooter(file []byte, limits dv.Limits) (dv.Footer, error) {
	return dv.ParseFooter(bytes.NewReader(file), int64(len(file)), "s3://b/p", limits)
}

const blobText = `"type":"x","fields":[],"snapshot-id":-1,"sequence-number":-1,"offset":4,"length":0`

// TestFooter reads all that a footer may say.
func TestFooter(t *testing.T) {
	payload := ` {"later":[{"a":1}], "blobs": [ {"type":"x","fields":[3,-2],"snapshot-id":9223372036854775807,
		"sequence-number":-1,"offset":4,"length":0,"compression-codec":"lz4","properties":{"a":"\u00e9"},"unknown":null},
		{` + blobText + `,"compression-codec":null} ],"properties":{"created-by":"someone"}}` + "\n"
	got, err := parseFooter(withFooter([]byte("PFA1"), []byte(payload)), dv.Limits{})
	want := dv.Footer{
		Location: "s3://b/p", StartBytes: 4, Properties: map[string]string{"created-by": "someone"},
		Blobs: []dv.Blob{
			{Type: "x", Fields: []int32{3, -2}, SnapshotID: 9223372036854775807, SequenceNumber: -1, OffsetBytes: 4,
				CompressionCodec: "lz4", Properties: map[string]string{"a": "é"}},
			{Type: "x", SnapshotID: -1, SequenceNumber: -1, OffsetBytes: 4},
		},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

// TestLongFooter needs more than the first read.
func TestLongFooter(t *testing.T) {
	var blobs []string
	for i := range 500 {
		blobs = append(blobs, fmt.Sprintf(`{%s,"properties":{"referenced-data-file":"s3://b/%d"}}`, blobText, i))
	}
	payload := `{"blobs":[` + strings.Join(blobs, ",") + `]}`
	file := withFooter(append([]byte("PFA1"), make([]byte, 50_000)...), []byte(payload))
	footer, err := parseFooter(file, dv.Limits{})
	if err != nil || len(footer.Blobs) != 500 || footer.StartBytes != 50_004 ||
		footer.Blobs[499].Properties["referenced-data-file"] != "s3://b/499" {
		t.Errorf("%d blobs, start %d, %v", len(footer.Blobs), footer.StartBytes, err)
	}
	if _, err := parseFooter(file, dv.Limits{FooterBytes: int64(len(payload)) - 1}); !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("above the limit: %v", err)
	}
	file[0] = 'X'
	if _, err := parseFooter(file, dv.Limits{}); err == nil || faultOf(t, err) != dv.FaultNotPuffin {
		t.Errorf("wrong magic at the front: %v", err)
	}
}

// TestFooterRefused has one file for each way in which frame and payload can be wrong.
func TestFooterRefused(t *testing.T) {
	good := withFooter([]byte("PFA1"), []byte(`{"blobs":[]}`))
	if _, err := parseFooter(good, dv.Limits{}); err != nil {
		t.Fatal(err)
	}
	change := func(fromEnd int, b byte) []byte {
		file := bytes.Clone(good)
		file[len(file)-fromEnd] = b
		return file
	}
	for _, c := range []struct {
		name string
		file []byte
		want dv.Fault
	}{
		{"empty", nil, dv.FaultNotPuffin},
		{"too short", good[:19], dv.FaultNotPuffin},
		{"last magic", change(1, '2'), dv.FaultNotPuffin},
		{"first magic", change(len(good), 'p'), dv.FaultNotPuffin},
		{"footer's magic", change(len(good)-4, 'p'), dv.FaultFooter},
		{"compressed", change(8, 1), dv.FaultFooterCompressed},
		{"reserved flag", change(8, 2), dv.FaultFooter},
		{"reserved byte of flags", change(5, 1), dv.FaultFooter},
		{"payload longer than the file", change(12, 200), dv.FaultFooter},
		{"payload that begins within the first magic", change(12, 13), dv.FaultFooter},
		{"payload that begins before the file", change(12, 20), dv.FaultFooter},
		{"negative length", change(9, 0x80), dv.FaultFooter},
	} {
		if _, err := parseFooter(c.file, dv.Limits{}); err == nil || faultOf(t, err) != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if _, err := dv.ParseFooter(bytes.NewReader(good), int64(len(good))+1, "s3://b/p", dv.Limits{}); err == nil ||
		faultOf(t, err) != dv.FaultRange {
		t.Errorf("a file that is shorter than was said: %v", err)
	}
}

func TestPayloadRefused(t *testing.T) {
	for _, c := range []struct{ payload, want string }{
		{``, "EOF"},
		{`[]`, "the footer does not begin with {"},
		{`{}`, `the footer has no "blobs"`},
		{`{"blobs":{}}`, "blobs does not begin with ["},
		{`{"blobs":[],"blobs":[]}`, `the footer has "blobs" twice`},
		{`{"blobs":[]} {}`, "something follows the payload's object"},
		{`{"blobs":[]}x`, "something follows the payload's object"},
		{"{\"blobs\":[],\"a\":\"\xff\"}", "the payload is not UTF-8"},
		{`{"blobs":[{` + strings.Replace(blobText, `"offset":4,`, "", 1) + `}]}`, `blob 0: it has no "offset"`},
		{`{"blobs":[{` + blobText + `},{"Type":"x"}]}`, `blob 1: it has no "type"`},
		{`{"blobs":[{"type":7}]}`, "blob 0: type is no string"},
		{`{"blobs":[{"offset":4.5}]}`, "blob 0: offset is no integer of 64 bits"},
		{`{"blobs":[{"offset":"4"}]}`, "blob 0: offset is no integer of 64 bits"},
		{`{"blobs":[{"length":9223372036854775808}]}`, "blob 0: length is no integer of 64 bits"},
		{`{"blobs":[{"fields":[2147483648]}]}`, "blob 0: a field id is no integer of 32 bits"},
		{`{"blobs":[{"fields":{}}]}`, "blob 0: fields does not begin with ["},
		{`{"blobs":[{"compression-codec":1}]}`, "blob 0: compression-codec is no string"},
		{`{"blobs":[{"properties":{"a":1}}]}`, `blob 0: property "a" is no string`},
		{`{"blobs":[{"properties":{"a":"1","a":"2"}}]}`, `blob 0: properties has "a" twice`},
		{`{"blobs":[],"properties":null}`, "properties does not begin with {"},
	} {
		_, err := parseFooter(withFooter([]byte("PFA1"), []byte(c.payload)), dv.Limits{})
		want := "deletion vector s3://b/p@0: footer: " + c.want
		if err == nil || err.Error() != want || faultOf(t, err) != dv.FaultFooter {
			t.Errorf("%s\n got %v\nwant %s", c.payload, err, want)
		}
	}
}
