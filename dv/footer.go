package dv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/firn-io/firn/store"
)

// Limits bound what is read of one Puffin file.
type Limits struct {
	// BlobBytes is the longest blob that is read; 256 MiB if 0.
	BlobBytes int64
	// FooterBytes is the longest footer payload that is read; 16 MiB if 0.
	FooterBytes int64
}

func (l Limits) blobBytes() int64 {
	if l.BlobBytes == 0 {
		return 256 << 20
	}
	return l.BlobBytes
}

func (l Limits) footerBytes() int64 {
	if l.FooterBytes == 0 {
		return 16 << 20
	}
	return l.FooterBytes
}

// Footer is what a Puffin file says about its blobs.
type Footer struct {
	// Location is that of the file, for error messages.
	Location string
	// Blobs are in the order of the footer.
	Blobs []Blob
	// Properties of the file; nil if there are none.
	Properties map[string]string
	// StartBytes is where the footer begins and the last blob has ended.
	StartBytes int64
}

// Blob is what a footer says about one blob. It is as written: only what is no blob's description at all is refused when
// it is read.
type Blob struct {
	Type                       string
	Fields                     []int32
	SnapshotID, SequenceNumber int64
	OffsetBytes, LengthBytes   int64
	// CompressionCodec is empty for a blob that is not compressed.
	CompressionCodec string
	// Properties is nil if there are none.
	Properties map[string]string
}

// The frame of a file and of its footer.
const (
	trailerBytes  = 4 + 4 + len(puffinMagic) // length of the payload, flags, magic
	leastFile     = len(puffinMagic) + len(puffinMagic) + trailerBytes
	flagCompress  = 1
	firstReadSize = 16 << 10 // bytes from the end that hold most footers whole
)

// ParseFooter reads the footer of a Puffin file of sizeBytes, with one read where the file is short. What
// is wrong with the file is a [*FaultError]; a footer beyond the limit is [store.ErrTooLarge]. The location is for
// error messages. Objects of JSON with a member twice are refused, for readers differ on what they mean.
func ParseFooter(r io.ReaderAt, sizeBytes int64, location string, limits Limits) (Footer, error) {
	payload, start, err := readPayload(r, sizeBytes, limits)
	if err != nil {
		return Footer{}, place(err, location, 0)
	}
	footer, err := parsePayload(payload)
	if err != nil {
		return Footer{}, place(faulty(FaultFooter, "%v", err), location, 0)
	}
	footer.Location, footer.StartBytes = location, start
	return footer, nil
}

// readPayload returns the footer's payload and where the footer begins.
func readPayload(r io.ReaderAt, sizeBytes int64, limits Limits) (payload []byte, start int64, err error) {
	if sizeBytes < int64(leastFile) {
		return nil, 0, faulty(FaultNotPuffin, "%d bytes, the least is %d", sizeBytes, leastFile)
	}
	tail, err := readAt(r, max(0, sizeBytes-firstReadSize), min(sizeBytes, firstReadSize))
	if err != nil {
		return nil, 0, err
	}
	head := tail[:len(puffinMagic)]
	if int64(len(tail)) < sizeBytes {
		if head, err = readAt(r, 0, int64(len(puffinMagic))); err != nil {
			return nil, 0, err
		}
	}
	trailer := tail[len(tail)-trailerBytes:]
	switch {
	case string(head) != puffinMagic:
		return nil, 0, faulty(FaultNotPuffin, "it begins with %x, want %x", head, puffinMagic)
	case string(trailer[8:]) != puffinMagic:
		return nil, 0, faulty(FaultNotPuffin, "it ends with %x, want %x", trailer[8:], puffinMagic)
	}
	length, err := checkTrailer(trailer, sizeBytes, limits)
	if err != nil {
		return nil, 0, err
	}
	footer := int64(len(puffinMagic)) + length + int64(trailerBytes)
	start = sizeBytes - footer
	if footer > int64(len(tail)) {
		if tail, err = readAt(r, start, footer); err != nil {
			return nil, 0, err
		}
	}
	tail = tail[int64(len(tail))-footer:]
	if magic := tail[:len(puffinMagic)]; string(magic) != puffinMagic {
		return nil, 0, faulty(FaultFooter, "the footer begins with %x, want %x", magic, puffinMagic)
	}
	return tail[len(puffinMagic) : len(tail)-trailerBytes], start, nil
}

// checkTrailer returns the length of the payload.
func checkTrailer(trailer []byte, sizeBytes int64, limits Limits) (int64, error) {
	length := int64(int32(binary.LittleEndian.Uint32(trailer)))
	flags := binary.LittleEndian.Uint32(trailer[4:])
	switch {
	case flags&^flagCompress != 0:
		return 0, faulty(FaultFooter, "flags %08x have reserved bits", flags)
	case flags != 0:
		return 0, faulty(FaultFooterCompressed, "the footer is compressed, this version cannot read it")
	case length < 0 || length > sizeBytes-int64(leastFile):
		return 0, faulty(FaultFooter, "a payload of %d bytes in a file of %d", length, sizeBytes)
	case length > limits.footerBytes():
		return 0, fmt.Errorf("footer of %d bytes, the limit is %d: %w", length, limits.footerBytes(), store.ErrTooLarge)
	}
	return length, nil
}

// readAt returns n bytes; a file that ends before is a [FaultRange].
func readAt(r io.ReaderAt, offset, n int64) ([]byte, error) {
	p := make([]byte, n)
	got, err := r.ReadAt(p, offset)
	switch {
	case got == len(p):
		return p, nil
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, faulty(FaultRange, "%d bytes at %d, the file ends %d bytes before their end", n, offset, int(n)-got)
	case err == nil:
		return nil, io.ErrNoProgress
	}
	return nil, err
}
