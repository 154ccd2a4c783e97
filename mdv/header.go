package mdv

// HeaderCardinality returns the number of positions that the header of a serialized bitmap states, without
// reading the rest: enough to see whether a bitmap that was checked before masks everything. It fails as [Parse]
// does for a header that is cut or out of range.
func HeaderCardinality(data []byte) (int, error) {
	h, err := readHeader(data)
	return h.cardinality, err
}
