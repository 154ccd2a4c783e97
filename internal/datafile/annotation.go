package datafile

// physicalType is a Parquet physical type, by its number in the format.
type physicalType int64

// The physical types of Parquet.
const (
	physBoolean   physicalType = 0
	physInt32     physicalType = 1
	physInt64     physicalType = 2
	physInt96     physicalType = 3
	physFloat     physicalType = 4
	physDouble    physicalType = 5
	physByteArray physicalType = 6
	physFixed     physicalType = 7
)

var physicalNames = [...]string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY",
	"FIXED_LEN_BYTE_ARRAY"}

func (p physicalType) String() string {
	if p < 0 || int(p) >= len(physicalNames) {
		return "an unknown physical type"
	}
	return physicalNames[p]
}

// annotation is a logical type. The zero annotation is none.
type annotation struct {
	kind noteKind
	// utc and unit belong to times and timestamps.
	utc  bool
	unit timeUnit
	// bits and signed belong to integers.
	bits   int
	signed bool
	// precision and scale belong to decimals.
	precision, scale int
	// crs and algorithm belong to geometries and geographies.
	crs       string
	algorithm int64
}

type noteKind int

// The logical types, by the numbers of their union in the format; noteOther stands for all that are unknown here
// and for INTERVAL, which has a converted type only.
const (
	noteNone      noteKind = 0
	noteString    noteKind = 1
	noteMap       noteKind = 2
	noteList      noteKind = 3
	noteEnum      noteKind = 4
	noteDecimal   noteKind = 5
	noteDate      noteKind = 6
	noteTime      noteKind = 7
	noteTimestamp noteKind = 8
	noteInteger   noteKind = 10
	noteNull      noteKind = 11
	noteJSON      noteKind = 12
	noteBSON      noteKind = 13
	noteUUID      noteKind = 14
	noteFloat16   noteKind = 15
	noteVariant   noteKind = 16
	noteGeometry  noteKind = 17
	noteGeography noteKind = 18
	noteOther     noteKind = 99
)

var noteNames = map[noteKind]string{noteString: "STRING", noteMap: "MAP", noteList: "LIST", noteEnum: "ENUM",
	noteDecimal: "DECIMAL", noteDate: "DATE", noteTime: "TIME", noteTimestamp: "TIMESTAMP", noteInteger: "INTEGER",
	noteNull: "UNKNOWN", noteJSON: "JSON", noteBSON: "BSON", noteUUID: "UUID", noteFloat16: "FLOAT16",
	noteVariant: "VARIANT", noteGeometry: "GEOMETRY", noteGeography: "GEOGRAPHY",
	noteOther: "an unknown annotation"}

type timeUnit int

// The units of times and timestamps, by their numbers in the format.
const (
	unitMillis timeUnit = 1
	unitMicros timeUnit = 2
	unitNanos  timeUnit = 3
)

var unitNames = map[timeUnit]string{unitMillis: "MILLIS", unitMicros: "MICROS", unitNanos: "NANOS"}

// logicalType reads the union LogicalType.
func (d *footerDecoder) logicalType() annotation {
	var note annotation
	d.message(func(id int, typ byte) bool {
		note = annotation{kind: noteKind(id)}
		if _, known := noteNames[note.kind]; !known {
			note.kind = noteOther
		}
		if typ != thriftStruct {
			return false
		}
		d.message(func(id int, typ byte) bool { return d.logicalMember(&note, id, typ) })
		return true
	})
	return note
}

func (d *footerDecoder) logicalMember(note *annotation, id int, typ byte) bool {
	isInt, isBool := typ == thriftI32, typ == thriftTrue || typ == thriftFalse
	switch {
	case note.kind == noteDecimal && id == 1 && isInt:
		note.scale = int(d.int())
	case note.kind == noteDecimal && id == 2 && isInt:
		note.precision = int(d.int())
	case note.isTemporal() && id == 1 && isBool:
		note.utc = typ == thriftTrue
	case note.isTemporal() && id == 2 && typ == thriftStruct:
		d.message(func(id int, _ byte) bool {
			note.unit = timeUnit(id)
			return false
		})
	case note.kind == noteInteger && id == 1 && typ == thriftByte:
		note.bits = int(d.byte())
	case note.kind == noteInteger && id == 2 && isBool:
		note.signed = typ == thriftTrue
	case note.isGeo() && id == 1 && typ == thriftBinary:
		note.crs = d.text()
	case note.kind == noteGeography && id == 2 && isInt:
		note.algorithm = d.int()
	default:
		return false
	}
	return true
}

func (n annotation) isTemporal() bool { return n.kind == noteTime || n.kind == noteTimestamp }

func (n annotation) isGeo() bool { return n.kind == noteGeometry || n.kind == noteGeography }

// convertedNotes are the logical types of the converted types, by their numbers in the format. A converted
// timestamp or time is one in UTC.
var convertedNotes = [...]annotation{
	{kind: noteString}, {kind: noteMap}, {kind: noteMap}, {kind: noteList}, {kind: noteEnum}, {kind: noteDecimal},
	{kind: noteDate},
	{kind: noteTime, utc: true, unit: unitMillis}, {kind: noteTime, utc: true, unit: unitMicros},
	{kind: noteTimestamp, utc: true, unit: unitMillis}, {kind: noteTimestamp, utc: true, unit: unitMicros},
	{kind: noteInteger, bits: 8}, {kind: noteInteger, bits: 16}, {kind: noteInteger, bits: 32},
	{kind: noteInteger, bits: 64},
	{kind: noteInteger, bits: 8, signed: true}, {kind: noteInteger, bits: 16, signed: true},
	{kind: noteInteger, bits: 32, signed: true}, {kind: noteInteger, bits: 64, signed: true},
	{kind: noteJSON}, {kind: noteBSON},
}

// convertedNote returns the logical type that an element's converted type stands for.
func convertedNote(e schemaElement) annotation {
	switch {
	case e.converted == noConverted:
		return annotation{}
	case e.converted < 0 || e.converted >= int64(len(convertedNotes)):
		return annotation{kind: noteOther}
	}
	note := convertedNotes[e.converted]
	if note.kind == noteDecimal {
		note.precision, note.scale = e.precision, e.scale
	}
	return note
}
