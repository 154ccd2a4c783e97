package datafile

// The page types of Parquet that hold values.
const (
	pageData       = 0
	pageDictionary = 2
	pageDataV2     = 3
)

// pageHeader is what a page says of itself. Of the three styles only the one of its kind counts.
type pageHeader struct {
	kind int64
	// plainBytes and storedBytes are the size of the body, before and after compression.
	plainBytes, storedBytes int64
	hasCRC                  bool
	crc                     uint32
	data, dictionary, v2    pageStyle
}

// pageStyle is the part of a header that belongs to one kind of page.
type pageStyle struct {
	given       bool
	values      int64
	encoding    encoding
	defEncoding encoding // of a data page
	// The levels of a data page of version 2 are not compressed, its values only unless stored is set.
	defBytes, repBytes int64
	stored             bool
}

// The ids of the members that the styles have, 0 for none.
type styleIDs struct{ encoding, defEncoding, defBytes, repBytes, isCompressed int }

// readPageHeader decodes a page header and returns its length.
func readPageHeader(data []byte) (pageHeader, int, error) {
	r := &thriftReader{data: data}
	var h pageHeader
	r.message(func(id int, typ byte) bool {
		switch {
		case id == 1 && typ == thriftI32:
			h.kind = r.int()
		case id == 2 && typ == thriftI32:
			h.plainBytes = r.int()
		case id == 3 && typ == thriftI32:
			h.storedBytes = r.int()
		case id == 4 && typ == thriftI32:
			h.hasCRC, h.crc = true, uint32(r.int())
		case id == 5 && typ == thriftStruct:
			h.data = readStyle(r, styleIDs{encoding: 2, defEncoding: 3})
		case id == 7 && typ == thriftStruct:
			h.dictionary = readStyle(r, styleIDs{encoding: 2})
		case id == 8 && typ == thriftStruct:
			h.v2 = readStyle(r, styleIDs{encoding: 4, defBytes: 5, repBytes: 6, isCompressed: 7})
		default:
			return false
		}
		return true
	})
	return h, r.pos, r.err
}

func readStyle(r *thriftReader, ids styleIDs) pageStyle {
	s := pageStyle{given: true}
	r.message(func(id int, typ byte) bool {
		switch {
		case id == ids.isCompressed:
			s.stored = typ == thriftFalse
			return false
		case typ != thriftI32:
			return false
		case id == 1:
			s.values = r.int()
		case id == ids.encoding:
			s.encoding = encoding(r.int())
		case id == ids.defEncoding:
			s.defEncoding = encoding(r.int())
		case id == ids.defBytes:
			s.defBytes = r.int()
		case id == ids.repBytes:
			s.repBytes = r.int()
		default:
			return false
		}
		return true
	})
	return s
}

// check refuses sizes and counts that no page can have.
func (h pageHeader) check(style pageStyle, pageLimit int64) error {
	switch {
	case !style.given:
		return malformed("page of type %d without its header", h.kind)
	case h.plainBytes < 0 || h.storedBytes < 0:
		return malformed("page of %d bytes, stored in %d", h.plainBytes, h.storedBytes)
	case style.values < 0:
		return malformed("page of %d values", style.values)
	case style.defBytes < 0 || style.repBytes < 0 || style.defBytes+style.repBytes > min(h.plainBytes, h.storedBytes):
		return malformed("page of %d bytes, stored in %d, with levels of %d and %d bytes", h.plainBytes,
			h.storedBytes, style.repBytes, style.defBytes)
	case h.plainBytes > pageLimit:
		return errPageLimit(h.plainBytes, pageLimit)
	}
	return nil
}
