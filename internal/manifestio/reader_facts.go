package manifestio

// HasSnapshotTimestamps reports whether the file has the column tracking.snapshot_timestamp, so that a null in it
// stands for the time of the file's snapshot (rules 16.1).
func (r *Reader) HasSnapshotTimestamps() bool {
	for _, f := range r.binding.fields {
		if f.id == idSnapshotTimestamp {
			return f.leaf != nil
		}
	}
	return false
}

// LocationBounds returns bounds of the locations of the file, as stored and in the order of their bytes, from the
// Parquet statistics of the column; ok is false if a row group has none. A location outside of them is in no row.
func (r *Reader) LocationBounds() (lower, upper string, ok bool) {
	column := -1
	for _, f := range r.binding.fields {
		if f.id == idLocation && f.leaf != nil {
			column = f.leaf.column
		}
	}
	if column < 0 {
		return "", "", false
	}
	for i, g := range r.footer.groups {
		b := g.chunks[column].bounds
		if !b.hasLower || !b.hasUpper {
			return "", "", false
		}
		if i == 0 || b.lower < lower {
			lower = b.lower
		}
		if i == 0 || b.upper > upper {
			upper = b.upper
		}
	}
	return lower, upper, len(r.footer.groups) > 0
}
