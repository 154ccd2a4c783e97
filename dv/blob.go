package dv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
)

// The frame of a blob: length of magic and bitmap, magic, bitmap, checksum of magic and bitmap. Length and checksum are
// big-endian, all of the bitmap is little-endian (rules 2.3.1).
const (
	lengthBytes   = 4
	magicBytes    = 4
	checksumBytes = 4
	frameBytes    = lengthBytes + magicBytes + checksumBytes
)

var blobMagic = [magicBytes]byte{0xd1, 0xd3, 0x39, 0x64}

// AppendBlob appends the vector as a deletion-vector-v1 blob. Equal sets have equal bytes: each container of the bitmap
// has the smallest of its three forms, as Apache's Java chooses it, and a 32-bit bitmap without positions is left
// out (DV3). It fails if the blob would be longer than 2 GiB, for readers hold its length in a signed integer.
func AppendBlob(dst []byte, v Vector) ([]byte, error) {
	start := len(dst)
	dst = append(dst, make([]byte, lengthBytes)...)
	dst = append(dst, blobMagic[:]...)
	dst = appendBitmap(dst, v)
	content := dst[start+lengthBytes:]
	if len(content) > math.MaxInt32-lengthBytes-checksumBytes {
		return nil, fmt.Errorf("deletion vector: a blob of %d bytes is longer than any reader takes", len(content))
	}
	binary.BigEndian.PutUint32(dst[start:], uint32(len(content)))
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(content)), nil
}

// ParseBlob reads a deletion-vector-v1 blob, which is all of data; nothing of data is kept. Every error is a
// [*FaultError], of the faults from [FaultSize] to [FaultReserved]. The bitmap may have any form that means one set,
// not only that of [AppendBlob] (DV4). An empty vector is no error here.
func ParseBlob(data []byte) (Vector, error) {
	if len(data) < frameBytes {
		return Vector{}, faulty(FaultSize, "%d bytes, the least is %d", len(data), frameBytes)
	}
	content, checksum := data[lengthBytes:len(data)-checksumBytes], data[len(data)-checksumBytes:]
	if length := binary.BigEndian.Uint32(data); uint64(length) != uint64(len(content)) {
		return Vector{}, faulty(FaultSize, "the blob says that magic and bitmap have %d bytes, there are %d", length,
			len(content))
	}
	if !bytes.HasPrefix(content, blobMagic[:]) {
		return Vector{}, faulty(FaultMagic, "%x, want %x", content[:magicBytes], blobMagic)
	}
	if stored, sum := binary.BigEndian.Uint32(checksum), crc32.ChecksumIEEE(content); stored != sum {
		return Vector{}, faulty(FaultChecksum, "%08x is stored, the bytes have %08x", stored, sum)
	}
	return parseBitmap(content[magicBytes:])
}

// parseBitmap checks every header against the bytes that are there before the library sees them: it would take them
// at their word.
func parseBitmap(data []byte) (Vector, error) {
	if err := checkBitmap(data); err != nil {
		return Vector{}, err
	}
	set := roaring64.New()
	if _, err := set.ReadPortableFrom(bytes.NewReader(data)); err != nil {
		return Vector{}, faulty(FaultBitmap, "%v", err)
	}
	return newVector(set), nil
}
