package manifestio

// The metadata columns that may have statistics, with the base ids that the format reserves for them
// (rules 3.1).
const (
	columnLastUpdatedSequenceNumber = 2147483539
	columnRowID                     = 2147483540

	baseLastUpdatedSequenceNumber = 9000
	baseRowID                     = 9200
)

// The ids of statistics: column f has the ids from statsFirst + statsStride*f up to the next column's.
const (
	statsFirst  = 10000
	statsEnd    = 200_000_000
	statsStride = 200
)

// StatsBaseID returns the field id of the statistics struct of a table column, and whether the column may
// have one: ids beyond the reserved range cannot (rules 3.1). Members of the struct are numbered from the base.
func StatsBaseID(columnID int) (baseID int, ok bool) {
	switch columnID {
	case columnLastUpdatedSequenceNumber:
		return baseLastUpdatedSequenceNumber, true
	case columnRowID:
		return baseRowID, true
	}
	if columnID < 0 || columnID > (statsEnd-statsFirst-1)/statsStride {
		return 0, false
	}
	return statsFirst + statsStride*columnID, true
}

// StatsColumnID is the reverse of [StatsBaseID]: the table column whose statistics struct has the field id
// baseID, and whether there can be one.
func StatsColumnID(baseID int) (columnID int, ok bool) {
	switch baseID {
	case baseLastUpdatedSequenceNumber:
		return columnLastUpdatedSequenceNumber, true
	case baseRowID:
		return columnRowID, true
	}
	if baseID < statsFirst || baseID >= statsEnd || baseID%statsStride != 0 {
		return 0, false
	}
	return (baseID - statsFirst) / statsStride, true
}
