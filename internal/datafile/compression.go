package datafile

import (
	"fmt"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// The codecs of Parquet, by their numbers in the format.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecBrotli = 4
	codecZstd   = 6
	codecLZ4Raw = 7
)

func errPageLimit(bytes, limit int64) error {
	return fmt.Errorf("page of %d bytes: %w (%d)", bytes, ErrLimit, limit)
}

// decompress returns the body of a page, which must have exactly the stated size. It allocates no more than that,
// or than the limit where a zstd frame does not say its size.
func decompress(codec int64, stored []byte, plainBytes, limit int64) (plain []byte, err error) {
	if plainBytes == 0 && codec != codecNone {
		return nil, nil // a page of nulls; some writers store nothing for it, some an empty frame
	}
	switch codec {
	case codecNone:
		plain = stored
	case codecSnappy:
		plain, err = decodeSnappy(stored, plainBytes)
	case codecZstd:
		plain, err = decodeZstd(stored, plainBytes, limit)
	case codecGzip:
		plain, err = decodeInto(compress.Codecs.Gzip, stored, plainBytes)
	case codecBrotli:
		plain, err = decodeInto(compress.Codecs.Brotli, stored, plainBytes)
	case codecLZ4Raw:
		plain, err = decodeInto(compress.Codecs.Lz4Raw, stored, plainBytes)
	default:
		return nil, fmt.Errorf("compression codec %d: %w", codec, ErrUnsupported)
	}
	if err != nil {
		return nil, malformed("decompress: %v", err)
	}
	if int64(len(plain)) != plainBytes {
		return nil, malformed("page of %d bytes where its header says %d", len(plain), plainBytes)
	}
	return plain, nil
}

// decodeSnappy looks at the stated length first: the library allocates it at once.
func decodeSnappy(stored []byte, plainBytes int64) ([]byte, error) {
	n, err := snappy.DecodedLen(stored)
	if err != nil {
		return nil, err
	}
	if int64(n) != plainBytes {
		return nil, fmt.Errorf("%d bytes where the page header says %d", n, plainBytes)
	}
	return snappy.Decode(nil, stored)
}

func decodeZstd(stored []byte, plainBytes, limit int64) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(limit)))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(stored, make([]byte, 0, plainBytes))
}

// decodeInto uses a codec that never writes more than the buffer it is given.
func decodeInto(codec compress.Compression, stored []byte, plainBytes int64) ([]byte, error) {
	c, err := compress.GetCodec(codec)
	if err != nil {
		return nil, err
	}
	return compress.Decode(c, make([]byte, plainBytes), stored)
}
