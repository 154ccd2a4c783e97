package interop_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// fileLine returns a live file in the columns of the expected-*.tsv files: sixteen, separated by tabs, a dash for
// null. union are the partition fields of all specs of the table. No text here holds a tab, a line end or a backslash,
// which the command line escapes and the reader in Java does not.
func fileLine(l tree.Located, union []iceberg.NestedField) string {
	e, tracking := l.Entry, l.Entry.Tracking
	columns := []string{
		l.Location, fmt.Sprint(e.RecordCount), fmt.Sprint(e.FileSizeBytes),
		orDash(tracking.SnapshotID), orDash(tracking.SequenceNumber), orDash(tracking.FileSequenceNumber),
		orDash(tracking.FirstRowID), orDash(e.SpecID), "-", "-", "-", "-", "-",
		tracking.Status.String(), "root", fmt.Sprint(l.Position),
	}
	if e.Partition != nil {
		columns[8] = partitionJSON(e.Partition, union)
	}
	if dv := e.DeletionVector; dv.Valid {
		columns[9] = tree.Resolve(l.Origin.TableLocation, dv.Val.Location)
		columns[10], columns[11], columns[12] = fmt.Sprint(dv.Val.OffsetBytes), fmt.Sprint(dv.Val.SizeBytes), fmt.Sprint(dv.Val.Cardinality)
	}
	if l.Manifest != "" {
		columns[14] = l.Manifest
	}
	return strings.Join(columns, "\t")
}

func orDash[T int32 | int64](o iceberg.Optional[T]) string {
	if !o.Valid {
		return "-"
	}
	return strconv.FormatInt(int64(o.Val), 10)
}

// partitionJSON returns a tuple as an object with all fields of the union type.
func partitionJSON(tuple tree.Tuple, union []iceberg.NestedField) string {
	values := make(map[int]tree.Value)
	for _, v := range tuple {
		values[v.FieldID] = v.Value
	}
	var members []string
	for _, f := range union {
		members = append(members, fmt.Sprintf(`"%d":%s`, f.ID, valueJSON(values[f.ID])))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// valueJSON returns a partition value: dates, times and timestamps as numbers, decimals and uuids as strings.
func valueJSON(v tree.Value) string {
	switch v.Kind() {
	case tree.KindNull:
		return "null"
	case tree.KindBool:
		return strconv.FormatBool(v.Number() != 0)
	case tree.KindBinary, tree.KindFixed, tree.KindDecimal, tree.KindUUID:
		return `"` + v.String() + `"`
	case tree.KindString:
		return quoted(v.Bytes())
	}
	return strconv.FormatInt(v.Number(), 10)
}

// quoted returns a string as JSON that escapes no more than JSON demands.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string always has a JSON form
	}
	return strings.TrimSpace(b.String())
}
