package invariants

import (
	"fmt"
	"math/bits"
)

// The limits of a Mumbling bitmap (rules 18.1).
const (
	maxContainers  = 8192
	maxCardinality = 2097152
	containerSize  = 256
)

// bitmap is a decoded manifest deletion vector or delta bitmap.
type bitmap struct {
	// present is false for a null.
	present bool
	set     positions
	// oddity says why the bytes, although valid, are not canonical; empty if they are (rules 18.6).
	oddity string
	// err says why the bytes are no bitmap.
	err error
}

// usable reports whether the set is known; a null is the empty set.
func (b bitmap) usable() bool { return b.err == nil }

// decodeBitmap decodes Mumbling bytes (rules 18). It allocates no more than a constant times the input.
func decodeBitmap(data []byte) bitmap {
	if data == nil {
		return bitmap{}
	}
	d := bitmapDecoder{data: data}
	d.decode()
	if d.err != nil {
		return bitmap{present: true, err: d.err}
	}
	return bitmap{present: true, set: d.set, oddity: d.oddity}
}

// bitmapDecoder reads a bitmap from front to back. The first error stops it.
type bitmapDecoder struct {
	data   []byte
	at     int
	set    positions
	oddity string
	err    error
}

func (d *bitmapDecoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("byte %d: "+format, append([]any{d.at}, args...)...)
	}
}

func (d *bitmapDecoder) odd(what string) {
	if d.oddity == "" {
		d.oddity = what
	}
}

// take returns the next n bytes, or nil at the end of the data.
func (d *bitmapDecoder) take(n int) []byte {
	if d.err != nil {
		return nil
	}
	if len(d.data)-d.at < n {
		d.fail("%d bytes needed, %d left", n, len(d.data)-d.at)
		return nil
	}
	b := d.data[d.at : d.at+n]
	d.at += n
	return b
}

// decode reads the header, the descriptors and the containers (rules 18.1).
func (d *bitmapDecoder) decode() {
	h := d.take(6)
	if d.err != nil {
		return
	}
	cardinality := int(h[1]) | int(h[2])<<8 | int(h[3])<<16
	containers := int(h[4]) | int(h[5])<<8
	switch {
	case h[0] != 1:
		d.fail("version %d instead of 1", h[0])
	case containers > maxContainers:
		d.fail("%d containers, at most %d are allowed", containers, maxContainers)
	case cardinality > maxCardinality:
		d.fail("cardinality %d, at most %d is allowed", cardinality, maxCardinality)
	}
	descriptors := d.packedBytes(containers)
	for k := 0; k < containers && d.err == nil; k++ {
		d.container(uint32(k)*containerSize, descriptors[k])
	}
	if d.err != nil {
		return
	}
	if d.at != len(d.data) {
		d.fail("%d bytes after the last container", len(d.data)-d.at)
	}
	if len(d.set) != cardinality {
		d.fail("%d bits set, the header says %d", len(d.set), cardinality)
	}
	if containers == 0 {
		d.odd("an empty bitmap instead of null")
	} else if last := uint32(containers-1) * containerSize; len(d.set) == 0 || d.set[len(d.set)-1] < last {
		d.odd("empty containers at the end")
	}
}

// container reads the container of the positions from first on (rules 18.2).
func (d *bitmapDecoder) container(first uint32, descriptor byte) {
	switch {
	case descriptor < 32:
		d.sparse(first, int(descriptor))
	case descriptor < 64:
		if descriptor != 32 {
			d.odd("low bits set in the descriptor of a dense container")
		}
		d.dense(first)
	default:
		d.fail("reserved descriptor 0x%02x", descriptor)
	}
}

func (d *bitmapDecoder) sparse(first uint32, n int) {
	previous := -1
	for _, b := range d.take(n) {
		if int(b) <= previous {
			d.fail("sparse container not ascending: %d after %d", b, previous)
			return
		}
		previous = int(b)
		d.set = append(d.set, first+uint32(b))
	}
}

func (d *bitmapDecoder) dense(first uint32) {
	count := 0
	for i, b := range d.take(containerSize / 8) {
		count += bits.OnesCount8(b)
		for bit := range 8 {
			if b&(0x80>>bit) != 0 {
				d.set = append(d.set, first+uint32(8*i+bit))
			}
		}
	}
	if count < 32 {
		d.odd("a dense container of fewer than 32 bits")
	}
}
