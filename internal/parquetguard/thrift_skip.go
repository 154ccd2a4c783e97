package parquetguard

// Skip passes over a field's value.
func (t *Reader) Skip(typ byte) {
	switch typ {
	case WireTrue, WireFalse:
	case WireInt8:
		t.octet()
	case WireInt16, WireInt32, WireInt64:
		t.varint()
	case WireDouble:
		t.take(8)
	case WireBinary:
		t.take(t.uvarint())
	case WireList, WireSet:
		elem, n := t.listHeader()
		for ; n > 0 && t.err == nil; n-- {
			t.skipElement(elem)
		}
	case WireMap:
		t.skipMap()
	case WireStruct:
		t.Object(func(_ int, typ byte) { t.Skip(typ) })
	case WireUUID:
		t.take(16)
	default:
		t.Fail("unknown field type %d", typ)
	}
}

// skipElement is Skip within a list or map, where a boolean takes a byte.
func (t *Reader) skipElement(typ byte) {
	if typ == WireTrue || typ == WireFalse {
		t.octet()
		return
	}
	if t.depth++; t.depth > maxThriftDepth {
		t.Fail("values nested deeper than %d", maxThriftDepth)
	}
	t.Skip(typ)
	t.depth--
}

// skipMap passes over a map.
func (t *Reader) skipMap() {
	n := t.uvarint()
	if n == 0 {
		return
	}
	types := t.octet()
	for ; n > 0 && t.err == nil; n-- {
		t.skipElement(types >> 4)
		t.skipElement(types & 0x0f)
	}
}
