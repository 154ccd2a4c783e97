package manifestio

// The field ids of the tracked_file record (rules 2). Column statistics have ids of their own, see
// [StatsBaseID].
const (
	idStatus             = 0
	idSnapshotID         = 1
	idSequenceNumber     = 3
	idFileSequenceNumber = 4
	idModifiedSnapshotID = 5
	idDeletedPositions   = 6
	idReplacedPositions  = 7
	idSnapshotTimestamp  = 8 // draft, rules 16

	idLocation        = 100
	idFileFormat      = 101
	idPartition       = 102
	idRecordCount     = 103
	idFileSizeInBytes = 104
	idKeyMetadata     = 131
	idSplitOffsets    = 132
	idSplitOffset     = 133
	idContentType     = 134
	idEqualityIDs     = 135 // read and ignored when null, never written (Q1)
	idSortOrderID     = 140
	idSpecID          = 141
	idFirstRowID      = 142

	idDVOffset      = 144
	idDVSize        = 145
	idContentStats  = 146
	idTracking      = 147
	idDV            = 148
	idDVKeyMetadata = 149
	idManifestInfo  = 150
	idDVLocation    = 155
	idDVCardinality = 156
	idOldVersion    = 157 // format_version until October 2026, read if 521 is missing (Q2)
	idColumnFiles   = 158 // carried opaquely (rules 15.3)

	idAddedFiles        = 504
	idExistingFiles     = 505
	idDeletedFiles      = 506
	idAddedRows         = 512
	idExistingRows      = 513
	idDeletedRows       = 514
	idMinSequenceNumber = 516
	idFormatVersion     = 521
	idMDV               = 522
	idReplacedFiles     = 523 // a long here means the numbering of August: refused (Q3)
	idReplacedRows      = 524
	idModifiedFiles     = 525
	idModifiedRows      = 526
)

// Offsets of the members of a column's statistics struct from its base id (rules 3.1).
const (
	offLower    = 1
	offUpper    = 2
	offTight    = 3
	offValues   = 4
	offNulls    = 5
	offNaNs     = 6
	offAvgSize  = 7
	offGeoLower = 10 // x, y, z, m
	offGeoUpper = 14
)

// The keys of a v4 manifest's Parquet metadata (rules 4.5).
const (
	keySchemaID      = "schema-id"
	keyFormatVersion = "format-version"
)
