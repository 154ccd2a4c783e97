package treetext

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/tree"
)

var statsAccess = value(func(e *tree.Entry) *tree.Stats { return &e.Stats }, printStats, parseStats)

// printStats prints statistics by column: {1:{lower=int(1),upper=int(5),tight=true,values=10,nulls=0}}.
func printStats(s tree.Stats) (string, bool) {
	var parts []string
	for _, f := range s {
		parts = append(parts, fmt.Sprintf("%d:{%s}", f.FieldID, printFieldStats(f)))
	}
	return "{" + strings.Join(parts, ",") + "}", len(s) > 0
}

func printFieldStats(f tree.FieldStats) string {
	var parts []string
	member := func(name, text string, known bool) {
		if known {
			parts = append(parts, name+"="+text)
		}
	}
	count := func(name string, n long) { member(name, strconv.FormatInt(n.Val, 10), n.Valid) }
	member("lower", formatValue(f.Lower), !f.Lower.IsNull())
	member("upper", formatValue(f.Upper), !f.Upper.IsNull())
	member("tight", strconv.FormatBool(f.Tight.Val), f.Tight.Valid)
	count("values", f.ValueCount)
	count("nulls", f.NullCount)
	count("nans", f.NaNCount)
	member("avg", strconv.Itoa(int(f.AvgSizeBytes.Val)), f.AvgSizeBytes.Valid)
	return strings.Join(parts, ",")
}

func parseStats(text string) (tree.Stats, error) {
	var s tree.Stats
	err := eachColumn(text, func(id int, text string) error {
		f := tree.FieldStats{FieldID: id}
		err := eachMember(text, "=", func(name, text string) error { return setStat(&f, name, text) })
		s = append(s, f)
		return err
	})
	return s, err
}

func setStat(f *tree.FieldStats, name, text string) (err error) {
	count := func(at *long) error {
		n, err := parseInt(text, 64)
		*at = long{Val: n, Valid: true}
		return err
	}
	switch name {
	case "lower":
		f.Lower, err = parseValue(text)
	case "upper":
		f.Upper, err = parseValue(text)
	case "tight":
		f.Tight.Valid = true
		f.Tight.Val, err = strconv.ParseBool(text)
	case "values":
		err = count(&f.ValueCount)
	case "nulls":
		err = count(&f.NullCount)
	case "nans":
		err = count(&f.NaNCount)
	case "avg":
		var n int64
		n, err = parseInt(text, 32)
		f.AvgSizeBytes = iceberg.Optional[int32]{Val: int32(n), Valid: true}
	default:
		err = errors.New("there is no such statistic")
	}
	return err
}
