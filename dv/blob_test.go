package dv_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
	peer "github.com/apache/iceberg-go/table/dv"
	"github.com/firn-io/firn/dv"
	"pgregory.net/rapid"
)

// encode returns the blob of a vector.
func encode(t testing.TB, v dv.Vector) []byte {
	t.Helper()
	blob, err := dv.AppendBlob(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	return blob
}

// framed puts a bitmap's bytes into a blob with the right length, magic and checksum.
func framed(bitmap []byte) []byte {
	content := append([]byte{0xd1, 0xd3, 0x39, 0x64}, bitmap...)
	blob := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	blob = append(blob, content...)
	return binary.BigEndian.AppendUint32(blob, crc32.ChecksumIEEE(content))
}

// faultOf returns the kind of an error, which must be a fault.
func faultOf(t testing.TB, err error) dv.Fault {
	t.Helper()
	var fault *dv.FaultError
	if !errors.As(err, &fault) {
		t.Fatalf("%v is no fault", err)
	}
	return fault.Fault
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	data, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestBlobBytes spells one blob out, from the format's text.
func TestBlobBytes(t *testing.T) {
	want := unhex(t, "00000024 d1d33964 "+ // length, magic
		"0100000000000000 00000000 "+ // one 32-bit bitmap, key 0
		"3a300000 01000000 0000 0100 10000000 "+ // no runs, one container: key 0, two positions, at byte 16
		"0300 0700")
	want = binary.BigEndian.AppendUint32(want, crc32.ChecksumIEEE(want[4:]))
	want[3] = byte(len(want) - 8)
	if got := encode(t, mustOf(t, 7, 3)); !bytes.Equal(got, want) {
		t.Errorf("got  %x\nwant %x", got, want)
	}
	prefix := []byte("before")
	if got, err := dv.AppendBlob(slices.Clone(prefix), mustOf(t, 3, 7)); err != nil || !bytes.Equal(got[6:], want) {
		t.Errorf("appended: %x, %v", got, err)
	}
}

// bitsetOrRuns reports whether the positions, ascending, have a container in which a bitset is shorter than runs by
// less than 32 bytes: Go's Roaring library counts the fields of its own struct as bytes of the file and takes runs there.
func bitsetOrRuns(positions []uint64) bool {
	runs, last := map[uint64]int{}, uint64(1<<63)
	for _, p := range positions {
		if p != last+1 || p%(1<<16) == 0 {
			runs[p>>16]++
		}
		last = p
	}
	for _, n := range runs {
		if 2+4*n >= 8192 && 2+4*n < 8192+32 {
			return true
		}
	}
	return false
}

// TestBlobLikePeers compares every blob with the one of another library, reads it there, and reads theirs here. A
// vector that was computed in another way has the same bytes.
func TestBlobLikePeers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		positions := drawPositions(t, "n")
		v, err := dv.Of(positions...)
		if err != nil {
			t.Fatal(err)
		}
		blob, err := dv.AppendBlob(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		theirs := peer.NewRoaringPositionBitmap()
		for _, p := range positions {
			theirs.Set(p)
		}
		theirBlob, err := peer.SerializeDV(theirs)
		if err != nil || !bytes.Equal(blob, theirBlob) && !bitsetOrRuns(slices.Collect(v.All())) {
			t.Fatalf("%s\nours   %x\ntheirs %x, %v", v, blob, theirBlob, err)
		}
		read, err := peer.DeserializeDV(blob, v.Cardinality())
		if err != nil || !slices.Equal(slices.Collect(read.Positions()), slices.Collect(v.All())) {
			t.Fatalf("they read other positions, %v", err)
		}
		again, err := dv.ParseBlob(theirBlob)
		if err != nil || !again.Equal(v) {
			t.Fatalf("we read another set, %v", err)
		}
		text, err := dv.ParseText(v.String())
		if err != nil {
			t.Fatal(err)
		}
		for name, same := range map[string]dv.Vector{
			"parsed": again, "from ranges": text, "a difference": v.Union(text).Minus(dv.Vector{}),
		} {
			if other, err := dv.AppendBlob(nil, same); err != nil || !bytes.Equal(other, blob) {
				t.Fatalf("%s: other bytes for the same set, %v\n%x\n%x", name, err, other, blob)
			}
		}
	})
}

// TestContainerForms has sets at the sizes from which on a container takes another form: the shortest, on a tie not runs.
func TestContainerForms(t *testing.T) {
	// pairs returns n runs of length, two positions apart.
	pairs := func(n, length int) (positions []uint64) {
		for i := range n {
			for k := range length {
				positions = append(positions, uint64(i*(length+2)+k))
			}
		}
		return positions
	}
	const noRuns, withRuns = 12346, 12347
	for _, c := range []struct {
		name      string
		positions []uint64
		cookie    uint32
		bytes     int // of the container
	}{
		{"three neighbors, as long as an array", pairs(1, 3), noRuns, 6},
		{"four neighbors", pairs(1, 4), withRuns, 6},
		{"the largest array", pairs(4096, 1), noRuns, 8192},
		{"the smallest bitset", pairs(4097, 1), noRuns, 8192},
		{"runs just shorter than a bitset", pairs(2047, 3), withRuns, 8190},
		{"runs just longer than a bitset", pairs(2048, 3), noRuns, 8192},
	} {
		blob := encode(t, mustOf(t, c.positions...))
		head := 4 + 4 + 4 + 4 // cookie, size, descriptor, offset
		if c.cookie == withRuns {
			head = 4 + 1 + 4 // cookie and size, flags, descriptor
		}
		got := binary.LittleEndian.Uint32(blob[20:]) & 0xffff
		if size := len(blob) - 8 - 12 - head - 4; got != c.cookie || size != c.bytes {
			t.Errorf("%s: cookie %d, container of %d bytes, want %d and %d", c.name, got, size, c.cookie, c.bytes)
		}
		theirs, err := peer.DeserializeDV(blob, int64(len(c.positions)))
		if err != nil || !slices.Equal(slices.Collect(theirs.Positions()), c.positions) {
			t.Errorf("%s: another library reads other positions, %v", c.name, err)
		}
	}
}

// TestParseForms reads forms that other writers choose: without runs, and with empty bitmaps between the keys.
func TestParseForms(t *testing.T) {
	positions := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 70_000, 3 << 32}
	plain := roaring64.BitmapOf(positions...)
	loose, err := plain.ToPortableBytes()
	if err != nil {
		t.Fatal(err)
	}
	want := mustOf(t, positions...)
	if bytes.Equal(framed(loose), encode(t, want)) {
		t.Fatal("the form without runs is the canonical one")
	}
	gaps := unhex(t, "0200000000000000 00000000 3a30000000000000 01000000 3a300000 01000000 0000 0000 10000000 0500")
	for _, c := range []struct {
		name   string
		bitmap []byte
		want   dv.Vector
	}{
		{"no runs", loose, want},
		{"a gap filled", gaps, mustOf(t, 1<<32|5)},
		{"nothing", make([]byte, 8), dv.Vector{}},
		{"an empty bitmap", unhex(t, "0100000000000000 00000000 3a30000000000000"), dv.Vector{}},
	} {
		v, err := dv.ParseBlob(framed(c.bitmap))
		if err != nil || !v.Equal(c.want) || !bytes.Equal(encode(t, v), encode(t, c.want)) {
			t.Errorf("%s: %v, %v, want %v", c.name, v, err, c.want)
		}
	}
}

// TestParseRefuses has one blob for each way in which the bytes can be wrong.
func TestParseRefuses(t *testing.T) {
	good := encode(t, mustOf(t, 3, 7))
	change := func(at int, xor byte) []byte {
		b := bytes.Clone(good)
		b[at] ^= xor
		return b
	}
	const one = "0100000000000000 00000000 "
	for _, c := range []struct {
		name string
		blob []byte
		want dv.Fault
	}{
		{"empty", nil, dv.FaultSize},
		{"shorter than the frame", good[:11], dv.FaultSize},
		{"one byte less", good[:len(good)-1], dv.FaultSize},
		{"one byte more", append(bytes.Clone(good), 0), dv.FaultSize},
		{"length field", change(3, 1), dv.FaultSize},
		{"magic", change(4, 1), dv.FaultMagic},
		{"checksum", change(len(good)-1, 1), dv.FaultChecksum},
		{"a flipped bit", change(len(good)-6, 1), dv.FaultChecksum},
		{"no bitmap", framed(nil), dv.FaultBitmap},
		{"more bitmaps than bytes", framed(unhex(t, "ffffffffffffffff")), dv.FaultBitmap},
		{"a bitmap too few", framed(unhex(t, "0200000000000000 00000000 3a30000000000000")), dv.FaultBitmap},
		{"key twice", framed(unhex(t, "0200000000000000 00000000 3a30000000000000 00000000 3a30000000000000")), dv.FaultBitmap},
		{"key of 2^31-1", framed(unhex(t, "0100000000000000 ffffff7f 3a30000000000000")), dv.FaultReserved},
		{"sign bit", framed(unhex(t, "0100000000000000 00000080 3a30000000000000")), dv.FaultReserved},
		{"position above the largest", framed(unhex(t, "0100000000000000 feffff7f 3a300000 01000000 0080 0000 10000000 0100")),
			dv.FaultReserved},
		{"cookie", framed(unhex(t, one+"39300000 00000000")), dv.FaultBitmap},
		{"too many containers", framed(unhex(t, one+"3a300000 01000100")), dv.FaultBitmap},
		{"descriptors cut", framed(unhex(t, one+"3a300000 ffff0000 0000")), dv.FaultBitmap},
		{"offsets cut", framed(unhex(t, one+"3a300000 01000000 0000 0000 1000")), dv.FaultBitmap},
		{"offset", framed(unhex(t, one+"3a300000 01000000 0000 0000 11000000 0500")), dv.FaultBitmap},
		{"array cut", framed(unhex(t, one+"3a300000 01000000 0000 0100 10000000 0500")), dv.FaultBitmap},
		{"array descends", framed(unhex(t, one+"3a300000 01000000 0000 0100 10000000 0500 0500")), dv.FaultBitmap},
		{"bitset cut", framed(unhex(t, one+"3a300000 01000000 0000 ffff 10000000 00")), dv.FaultBitmap},
		{"bitset cardinality", framed(append(unhex(t, one+"3a300000 01000000 0000 ffff 10000000"), make([]byte, 8192)...)),
			dv.FaultBitmap},
		{"container key twice", framed(unhex(t, one+"3a300000 02000000 0000 0000 0000 0000 18000000 1a000000 0500 0600")),
			dv.FaultBitmap},
		{"run flags cut", framed(unhex(t, one+"3b30ffff 00")), dv.FaultBitmap},
		{"runs cut", framed(unhex(t, one+"3b300000 01 0000 0300 0100 0000")), dv.FaultBitmap},
		{"no runs", framed(unhex(t, one+"3b300000 01 0000 0000 0000")), dv.FaultBitmap},
		{"run cardinality", framed(unhex(t, one+"3b300000 01 0000 0400 0100 0000 0300")), dv.FaultBitmap},
		{"runs touch", framed(unhex(t, one+"3b300000 01 0000 0300 0200 0000 0100 0200 0100")), dv.FaultBitmap},
		{"run beyond the container", framed(unhex(t, one+"3b300000 01 0000 0100 0100 ffff 0100")), dv.FaultBitmap},
		{"bytes after the bitmap", framed(append(bytes.Clone(good[8:len(good)-4]), 0)), dv.FaultTrailing},
	} {
		v, err := dv.ParseBlob(c.blob)
		if err == nil || !v.IsEmpty() {
			t.Errorf("%s: accepted as %v", c.name, v)
		} else if got := faultOf(t, err); got != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// TestParseRefusesEveryCut cuts a bitmap with all kinds of containers at every byte.
func TestParseRefusesEveryCut(t *testing.T) {
	v, err := dv.ParseText("1,5,9,65536-70000,131072,131074,196608-196610,262144-262999,4294967296,4294967300")
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(4100) {
		v = v.Union(mustOf(t, 5<<16+2*i))
	}
	bitmap := encode(t, v)
	bitmap = bitmap[8 : len(bitmap)-4]
	if again, err := dv.ParseBlob(framed(bitmap)); err != nil || !again.Equal(v) {
		t.Fatalf("the whole bitmap: %v", err)
	}
	for n := range bitmap {
		if _, err := dv.ParseBlob(framed(bitmap[:n])); err == nil || faultOf(t, err) != dv.FaultBitmap {
			t.Fatalf("cut after %d bytes: %v", n, err)
		}
	}
}

// TestParseMemory gives headers that announce far more than there is.
func TestParseMemory(t *testing.T) {
	bitmap := unhex(t, "0100000000000000 00000000 3b30ffff")
	bitmap = append(bitmap, bytes.Repeat([]byte{0xff}, 8192)...)
	blob := framed(bitmap)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := dv.ParseBlob(blob)
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; err == nil || allocated > uint64(len(blob)) {
		t.Errorf("%d bytes were allocated to refuse %d, %v", allocated, len(blob), err)
	}
}
