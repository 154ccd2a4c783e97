package datafile

import (
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

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
	// crs and edges belong to geometries and geographies.
	crs   string
	edges format.EdgeInterpolationAlgorithm
}

type noteKind int

// The logical types; noteOther stands for all that are unknown here and for INTERVAL, which has a converted type only.
const (
	noteNone noteKind = iota
	noteString
	noteMap
	noteList
	noteEnum
	noteDecimal
	noteDate
	noteTime
	noteTimestamp
	noteInteger
	noteNull
	noteJSON
	noteBSON
	noteUUID
	noteFloat16
	noteVariant
	noteGeometry
	noteGeography
	noteOther
)

var noteNames = map[noteKind]string{noteString: "STRING", noteMap: "MAP", noteList: "LIST", noteEnum: "ENUM",
	noteDecimal: "DECIMAL", noteDate: "DATE", noteTime: "TIME", noteTimestamp: "TIMESTAMP", noteInteger: "INTEGER",
	noteNull: "UNKNOWN", noteJSON: "JSON", noteBSON: "BSON", noteUUID: "UUID", noteFloat16: "FLOAT16",
	noteVariant: "VARIANT", noteGeometry: "GEOMETRY", noteGeography: "GEOGRAPHY",
	noteOther: "an unknown annotation"}

// timeUnit is the unit of a time or timestamp; the zero unit is one that is unknown here.
type timeUnit string

const (
	unitMillis timeUnit = "MILLIS"
	unitMicros timeUnit = "MICROS"
	unitNanos  timeUnit = "NANOS"
)

func unitOf(u format.TimeUnit) timeUnit {
	switch {
	case u.Millis != nil:
		return unitMillis
	case u.Micros != nil:
		return unitMicros
	case u.Nanos != nil:
		return unitNanos
	}
	return ""
}

// noteOf returns an element's annotation: its logical type, or else what its converted type stands for.
func noteOf(e *format.SchemaElement) annotation {
	if !e.LogicalType.Valid {
		return convertedNote(e)
	}
	l := e.LogicalType.V
	switch {
	case l.Decimal != nil:
		return annotation{kind: noteDecimal, precision: int(l.Decimal.Precision), scale: int(l.Decimal.Scale)}
	case l.Time != nil:
		return annotation{kind: noteTime, utc: l.Time.IsAdjustedToUTC, unit: unitOf(l.Time.Unit)}
	case l.Timestamp != nil:
		return annotation{kind: noteTimestamp, utc: l.Timestamp.IsAdjustedToUTC, unit: unitOf(l.Timestamp.Unit)}
	case l.Integer != nil:
		return annotation{kind: noteInteger, bits: int(l.Integer.BitWidth), signed: l.Integer.IsSigned}
	case l.Geometry != nil:
		return annotation{kind: noteGeometry, crs: l.Geometry.CRS}
	case l.Geography != nil:
		return annotation{kind: noteGeography, crs: l.Geography.CRS, edges: l.Geography.Algorithm}
	}
	for _, plain := range []struct {
		given bool
		kind  noteKind
	}{
		{l.UTF8 != nil, noteString}, {l.Map != nil, noteMap}, {l.List != nil, noteList}, {l.Enum != nil, noteEnum},
		{l.Date != nil, noteDate}, {l.Unknown != nil, noteNull}, {l.Json != nil, noteJSON}, {l.Bson != nil, noteBSON},
		{l.UUID != nil, noteUUID}, {l.Float16 != nil, noteFloat16}, {l.Variant != nil, noteVariant},
	} {
		if plain.given {
			return annotation{kind: plain.kind}
		}
	}
	return annotation{kind: noteOther}
}

func (n annotation) isTemporal() bool { return n.kind == noteTime || n.kind == noteTimestamp }

// convertedNotes are the logical types of the converted types. A converted timestamp or time is one in UTC.
var convertedNotes = map[deprecated.ConvertedType]annotation{
	deprecated.UTF8: {kind: noteString}, deprecated.Map: {kind: noteMap}, deprecated.MapKeyValue: {kind: noteMap},
	deprecated.List: {kind: noteList}, deprecated.Enum: {kind: noteEnum}, deprecated.Decimal: {kind: noteDecimal},
	deprecated.Date:            {kind: noteDate},
	deprecated.TimeMillis:      {kind: noteTime, utc: true, unit: unitMillis},
	deprecated.TimeMicros:      {kind: noteTime, utc: true, unit: unitMicros},
	deprecated.TimestampMillis: {kind: noteTimestamp, utc: true, unit: unitMillis},
	deprecated.TimestampMicros: {kind: noteTimestamp, utc: true, unit: unitMicros},
	deprecated.Uint8:           {kind: noteInteger, bits: 8}, deprecated.Uint16: {kind: noteInteger, bits: 16},
	deprecated.Uint32: {kind: noteInteger, bits: 32}, deprecated.Uint64: {kind: noteInteger, bits: 64},
	deprecated.Int8:  {kind: noteInteger, bits: 8, signed: true},
	deprecated.Int16: {kind: noteInteger, bits: 16, signed: true},
	deprecated.Int32: {kind: noteInteger, bits: 32, signed: true},
	deprecated.Int64: {kind: noteInteger, bits: 64, signed: true},
	deprecated.Json:  {kind: noteJSON}, deprecated.Bson: {kind: noteBSON},
}

// convertedNote returns the logical type that an element's converted type stands for.
func convertedNote(e *format.SchemaElement) annotation {
	if !e.ConvertedType.Valid {
		return annotation{}
	}
	note, known := convertedNotes[e.ConvertedType.V]
	if !known {
		return annotation{kind: noteOther}
	}
	if note.kind == noteDecimal {
		note.precision, note.scale = int(e.Precision.V), int(e.Scale.V)
	}
	return note
}
