package parquetguard

import "github.com/parquet-go/parquet-go/format"

// PageHeader is Parquet's PageHeader struct with the header of the page's own type folded in.
type PageHeader struct {
	Type format.PageType
	// PlainBytes and StoredBytes are the size of the page after the header, before and after compression.
	PlainBytes, StoredBytes int64
	CRC                     uint32
	HasCRC                  bool
	// Described says whether the header of the page's own type was there.
	Described bool
	// Values is the number of values, nulls included.
	Values             int64
	Encoding           format.Encoding
	DefinitionEncoding format.Encoding
	RepetitionEncoding format.Encoding
	// DefinitionBytes and RepetitionBytes are the sizes of the levels of a version 2 page, which are never
	// compressed; PlainValues says that its values are not either.
	DefinitionBytes, RepetitionBytes int64
	PlainValues                      bool
}

// ReadPageHeader decodes the header at the start of data and returns its length.
func ReadPageHeader(data []byte) (h PageHeader, n int, err error) {
	t := &Reader{data: data}
	h.Type = -1
	t.Object(func(id int, typ byte) {
		switch id {
		case 1:
			h.Type = format.PageType(t.Number(typ))
		case 2:
			h.PlainBytes = t.Number(typ)
		case 3:
			h.StoredBytes = t.Number(typ)
		case 4:
			h.CRC, h.HasCRC = uint32(t.Number(typ)), true
		case 5, 7:
			h.Described = true
			t.Nested(typ, func(id int, typ byte) { h.dataPage(t, id, typ) })
		case 8:
			h.Described = true
			t.Nested(typ, func(id int, typ byte) { h.dataPageV2(t, id, typ) })
		default:
			t.Skip(typ)
		}
	})
	return h, t.pos, t.err
}

// dataPage decodes a field of DataPageHeader or of DictionaryPageHeader, which begin alike.
func (h *PageHeader) dataPage(t *Reader, id int, typ byte) {
	switch {
	case id == 1:
		h.Values = t.Number(typ)
	case id == 2:
		h.Encoding = format.Encoding(t.Number(typ))
	case id == 3 && typ == WireInt32: // a dictionary page has a boolean here
		h.DefinitionEncoding = format.Encoding(t.Number(typ))
	case id == 4:
		h.RepetitionEncoding = format.Encoding(t.Number(typ))
	default:
		t.Skip(typ)
	}
}

// dataPageV2 decodes a field of DataPageHeaderV2. Its count of nulls is not used: some writers leave it at zero.
func (h *PageHeader) dataPageV2(t *Reader, id int, typ byte) {
	switch id {
	case 1:
		h.Values = t.Number(typ)
	case 4:
		h.Encoding = format.Encoding(t.Number(typ))
	case 5:
		h.DefinitionBytes = t.Number(typ)
	case 6:
		h.RepetitionBytes = t.Number(typ)
	case 7:
		h.PlainValues = !t.Flag(typ)
	default:
		t.Skip(typ)
	}
}
