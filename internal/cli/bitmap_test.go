package cli_test

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBitmap(t *testing.T) {
	in(t)
	for hexBytes, positions := range map[string]string{
		"010000000000":                   "",
		"010200000300010000a0050a":       "5,522",
		"0103000001000000030022ff":       "0,34,255",
		"010100001201000000100100118070": "70000",
	} {
		if got := do(t, "bitmap", "encode", positions); got != hexBytes+"\n" {
			t.Errorf("encode %q: %q, want %s", positions, got, hexBytes)
		}
		data, err := hex.DecodeString(hexBytes)
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string][]byte{"raw": data, "text": []byte("0x" + hexBytes + "\n")} {
			if err := os.WriteFile(name, content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, arg := range []string{hexBytes, "0x" + hexBytes, "raw", "text", filepath.Join(".", "raw")} {
			if got := do(t, "bitmap", "decode", arg); got != positions+"\n" {
				t.Errorf("decode %s: %q, want %s", arg, got, positions)
			}
		}
		r := runWith(t.Context(), string(data), nil, "bitmap", "decode", "-")
		if r.code != 0 || r.stdout != positions+"\n" {
			t.Errorf("decode of standard input: %+v", r)
		}
	}
	if got := do(t, "bitmap", "encode", "9-12,7,0,10"); do(t, "bitmap", "decode", got[:len(got)-1]) != "0,7,9-12\n" {
		t.Errorf("encode of unordered positions: %q", got)
	}
}

func TestBitmapShow(t *testing.T) {
	encoded := do(t, "bitmap", "encode", "0-99,300,70000")
	compare(t, "bitmap-show", do(t, "bitmap", "show", encoded[:len(encoded)-1])+do(t, "bitmap", "show", "012000000100000021ffffffff"+strings.Repeat("00", 28)))
}

func TestBitmapRefuses(t *testing.T) {
	in(t)
	for arg, text := range map[string]string{
		"020000000000": "version",
		"01":           "",
		"":             "",
		"010":          "an odd number of hex digits",
		"010000000120": "",
	} {
		refuse(t, 5, text, "bitmap", "decode", arg)
		refuse(t, 5, text, "bitmap", "show", arg)
	}
	refuse(t, 6, "not found", "bitmap", "decode", "nowhere.bin")
	for _, positions := range []string{"x", "1,", "5-3", "2097152", "-1"} {
		refuse(t, 2, "", "bitmap", "encode", "--", positions)
	}
}
