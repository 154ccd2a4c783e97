package treetext

import (
	"errors"
	"strconv"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/tree"
)

// field is one name=text of a row. Print and parse are each other's inverse.
type field struct {
	name string
	// hide is the part of the text form that the field belongs to, 0 for one that is always shown.
	hide Hide
	// clear sets the field to what is not printed.
	clear func(*tree.Entry)
	// print returns the text, and false for a field that is left out.
	print func(tree.Entry) (string, bool)
	parse func(*tree.Entry, string) error
}

// defaultFormat is the file format that is not printed.
const defaultFormat = "parquet"

// fields are all fields of a row in the order in which they are printed. A row-level deletion vector and a manifest's
// share a name, see parseDV.
var fields = []field{
	{"rows", 0, nil, printRecords, number(recordCount).parse},
	{"dv", 0, nil, printMask, parseDV},
	{"dv", HideFile, clearVectorPlace, printVector, parseDV},
	bitmapField("del", func(e *tree.Entry) *[]byte { return &e.Tracking.DeletedPositions }),
	bitmapField("rep", func(e *tree.Entry) *[]byte { return &e.Tracking.ReplacedPositions }),
	fieldOf("snapshot", HideNumbers, optional64(func(e *tree.Entry) *long { return &e.Tracking.SnapshotID })),
	fieldOf("modified", HideNumbers, optional64(func(e *tree.Entry) *long { return &e.Tracking.ModifiedSnapshotID })),
	fieldOf("seq", HideNumbers, optional64(func(e *tree.Entry) *long { return &e.Tracking.SequenceNumber })),
	fieldOf("file_seq", HideNumbers, optional64(func(e *tree.Entry) *long { return &e.Tracking.FileSequenceNumber })),
	fieldOf("first_row_id", HideNumbers, optional64(func(e *tree.Entry) *long { return &e.Tracking.FirstRowID })),
	fieldOf("timestamp", HideNumbers, optional64(func(e *tree.Entry) *long { return &e.Tracking.SnapshotTimestampMicros })),
	{"counts", HideCounts, clearCounts, printCounts, parseCounts},
	fieldOf("min_seq", HideCounts, number(func(e *tree.Entry) *int64 { return &e.Manifest.Val.MinSequenceNumber })),
	{"format", HideFile, func(e *tree.Entry) { e.FileFormat = defaultFormat }, printFormat, parseFormat},
	fieldOf("size", HideFile, number(func(e *tree.Entry) *int64 { return &e.FileSizeBytes })),
	fieldOf("spec", HideFile, optional32(func(e *tree.Entry) *iceberg.Optional[int32] { return &e.SpecID })),
	fieldOf("partition", HideFile, tupleAccess),
	fieldOf("sort", HideFile, optional32(func(e *tree.Entry) *iceberg.Optional[int32] { return &e.SortOrderID })),
	fieldOf("splits", HideFile, splitsAccess),
	fieldOf("key", HideFile, bytesAccess(func(e *tree.Entry) *[]byte { return &e.KeyMetadata })),
	fieldOf("dv_key", HideFile, bytesAccess(func(e *tree.Entry) *[]byte { return &e.DeletionVector.Val.KeyMetadata })),
	fieldOf("stats", HideStats, statsAccess),
	fieldOf("foreign", HideForeign, foreignAccess),
}

// long is an optional id or number.
type long = iceberg.Optional[int64]

// access is how a kind of field gets at its value; the zero value is what is left out.
type access struct {
	clear func(*tree.Entry)
	print func(tree.Entry) (string, bool)
	parse func(*tree.Entry, string) error
}

func fieldOf(name string, hide Hide, a access) field {
	return field{name, hide, a.clear, a.print, a.parse}
}

// value makes an access to the value that at returns.
func value[T any](at func(*tree.Entry) *T, print func(T) (string, bool), parse func(string) (T, error)) access {
	return access{
		clear: func(e *tree.Entry) {
			var zero T
			*at(e) = zero
		},
		print: func(e tree.Entry) (string, bool) { return print(*at(&e)) },
		parse: func(e *tree.Entry, text string) (err error) {
			*at(e), err = parse(text)
			return err
		},
	}
}

func optional64(at func(*tree.Entry) *long) access {
	return value(at,
		func(n long) (string, bool) { return strconv.FormatInt(n.Val, 10), n.Valid },
		func(text string) (long, error) {
			n, err := parseInt(text, 64)
			return long{Val: n, Valid: true}, err
		})
}

func optional32(at func(*tree.Entry) *iceberg.Optional[int32]) access {
	return value(at,
		func(n iceberg.Optional[int32]) (string, bool) { return strconv.Itoa(int(n.Val)), n.Valid },
		func(text string) (iceberg.Optional[int32], error) {
			n, err := parseInt(text, 32)
			return iceberg.Optional[int32]{Val: int32(n), Valid: true}, err
		})
}

func number(at func(*tree.Entry) *int64) access {
	return value(at,
		func(n int64) (string, bool) { return strconv.FormatInt(n, 10), n != 0 },
		func(text string) (int64, error) { return parseInt(text, 64) })
}

func bytesAccess(at func(*tree.Entry) *[]byte) access {
	return value(at, func(data []byte) (string, bool) { return formatBytes(data), data != nil }, parseBytes)
}

func bitmapField(name string, at func(*tree.Entry) *[]byte) field {
	return fieldOf(name, 0, value(at, printPositions, parsePositions))
}

func recordCount(e *tree.Entry) *int64 { return &e.RecordCount }

// printRecords prints the record count of a file; that of a manifest stands in live=.
func printRecords(e tree.Entry) (string, bool) {
	return strconv.FormatInt(e.RecordCount, 10), e.RecordCount != 0 && !e.Content.IsManifest()
}

func printFormat(e tree.Entry) (string, bool) {
	return quote(e.FileFormat), e.FileFormat != defaultFormat
}

func parseFormat(e *tree.Entry, text string) (err error) {
	e.FileFormat, err = unquote(text)
	return err
}

func parseInt(text string, size int) (int64, error) {
	n, err := strconv.ParseInt(text, 10, size)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, errors.New("the number is too large")
	case err != nil:
		return 0, errors.New("want a number")
	}
	return n, nil
}
