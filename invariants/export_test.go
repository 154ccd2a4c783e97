package invariants

// DecodeBitmap shows the checker's own bitmap decoder to tests: the positions, why the bytes are not canonical, and
// why they are no bitmap.
func DecodeBitmap(data []byte) ([]uint32, string, error) {
	b := decodeBitmap(data)
	return b.set, b.oddity, b.err
}

// DecodePFOR decodes n bytes and returns how many bytes are left.
func DecodePFOR(data []byte, n int) (values []byte, left int, err error) {
	d := bitmapDecoder{data: data}
	values = d.packedBytes(n)
	return values, len(data) - d.at, d.err
}

// Resolve shows the checker's own resolution of locations.
var Resolve = resolve
