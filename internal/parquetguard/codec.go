package parquetguard

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// Decompress fills dst with what src decodes to. parquet-go's codecs, which would do otherwise, grow their
// output for as long as the input asks for it; here the size in the page header, checked against the
// limits, is the most that any codec can write, and anything but that size is an error.
func Decompress(codec format.CompressionCodec, dst, src []byte) error {
	switch codec {
	case format.Gzip:
		return gunzip(dst, src)
	case format.Zstd:
		out, err := zstdDecoder().DecodeAll(src, dst[:0])
		return exactSize(len(out), len(dst), err)
	case format.Snappy:
		n, err := snappy.DecodedLen(src)
		if err := exactSize(n, len(dst), err); err != nil {
			return err
		}
		_, err = snappy.Decode(dst, src)
		return err
	case format.Brotli:
		return arrowDecompress(compress.Codecs.Brotli, dst, src)
	case format.Lz4Raw:
		return arrowDecompress(compress.Codecs.Lz4Raw, dst, src)
	}
	return kindf(ErrUnsupported, "codec %s", codec)
}

// exactSize refuses a size that differs from the one in the page header.
func exactSize(got, want int, err error) error {
	if err == nil && got != want {
		err = fmt.Errorf("%d bytes instead of %d", got, want)
	}
	return err
}

// zstdDecoder returns the decoder that all readers share: DecodeAll may be called concurrently. It writes no
// more than the destination has room for.
var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(err) // only a wrong option makes it fail
	}
	return d
})

// ZstdSlack is room behind a destination that lets zstd copy whole words; without it a slower way is taken.
const ZstdSlack = 64

var gzipReaders sync.Pool

// gunzip is Decompress for gzip.
func gunzip(dst, src []byte) error {
	in := bytes.NewReader(src)
	z, ok := gzipReaders.Get().(*gzip.Reader)
	if !ok {
		z = new(gzip.Reader)
	}
	defer gzipReaders.Put(z)
	if err := z.Reset(in); err != nil {
		return err
	}
	if _, err := io.ReadFull(z, dst); err != nil {
		return err
	}
	var more [1]byte
	if n, err := z.Read(more[:]); n != 0 || err != io.EOF {
		return exactSize(len(dst)+1, len(dst), nil)
	}
	return nil
}

// arrowDecompress is Decompress for the codecs that arrow-go keeps within the destination.
func arrowDecompress(codec compress.Compression, dst, src []byte) error {
	c, err := compress.GetCodec(codec)
	if err != nil {
		return err
	}
	out, err := compress.Decode(c, dst, src)
	return exactSize(len(out), len(dst), err)
}
