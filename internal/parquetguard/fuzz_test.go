package parquetguard_test

import (
	"testing"

	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/internal/parquetguard"
)

// FuzzFooter checks that no footer makes the library panic or take more than a constant times the footer.
func FuzzFooter(f *testing.F) {
	f.Add(marshal(f, sample()))
	f.Add([]byte{0x18, 0x59, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		var footer *parquetguard.Footer
		var err error
		bytes := allocated(func() {
			footer, err = parquetguard.DecodeFooter(data, parquetguard.FooterLimits{Elements: 1000, RowGroups: 1000})
		})
		if most := uint64(512*len(data) + 1<<20); bytes > most {
			t.Errorf("%d bytes allocated for %d", bytes, len(data))
		}
		if err == nil && len(footer.HasFieldID) != len(footer.Schema) {
			t.Error("field ids of other elements")
		}
	})
}

// FuzzChunk reads arbitrary bytes as a column chunk and its parts as levels, indexes and deltas.
func FuzzChunk(f *testing.F) {
	f.Add(page(f, dataPage(3), []byte(withLength("\x06\x01")+"\x02\x06\x01")), byte(0))
	f.Add(page(f, dataPageV2(2, 2, false), []byte("\x0a\x00\x0a\x01\x80\x01\x01\x05\x02")), byte(format.Zstd))
	f.Add(page(f, dataPage(3), zstdOf(f, []byte(withLength("\x03\x05")+"abc"))), byte(format.Zstd))
	f.Fuzz(func(t *testing.T, chunk []byte, codec byte) {
		const maxBytes = 1 << 16
		pages := parquetguard.Pages{Chunk: chunk, Codec: format.CompressionCodec(codec), MaxDefinition: 1, MaxPageBytes: maxBytes}
		for {
			p, ok, err := pages.Next()
			if err != nil || !ok {
				return
			}
			n := int(p.Header.Values)
			if levels, _, err := parquetguard.Levels(nil, p.Definitions, 1, n, maxBytes); err == nil && levels != nil && len(levels) != n {
				t.Errorf("%d levels instead of %d", len(levels), n)
			}
			if indexes, _, err := parquetguard.Indexes(nil, p.Values, n, maxBytes); err == nil && indexes != nil && len(indexes) != n {
				t.Errorf("%d indexes instead of %d", len(indexes), n)
			}
			if bools, _, err := parquetguard.Booleans(p.Values, n, maxBytes); err == nil && bools != nil && len(bools) != n {
				t.Errorf("%d booleans instead of %d", len(bools), n)
			}
			_, _, _ = parquetguard.Delta(p.Values, 64, n)
		}
	})
}
