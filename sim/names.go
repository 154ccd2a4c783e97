package sim

import (
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// The table of every world.
const (
	tableLocation = "mem://sim/t"
	idColumn      = "id"
	idColumnID    = 1
	dataFolder    = tableLocation + "/data/"
	dataSuffix    = ".parquet"
)

var tableID = store.TableID{Namespace: "sim", Name: "t"}

// locationOf returns the location of the file of a number.
func locationOf(number int64) string {
	return dataFolder + strconv.FormatInt(number, 10) + dataSuffix
}

// numberOf returns the number of the file at a location, if it is one of the simulator's.
func numberOf(location string) (int64, bool) {
	name, ours := strings.CutPrefix(location, dataFolder)
	name, named := strings.CutSuffix(name, dataSuffix)
	n, err := strconv.ParseInt(name, 10, 64)
	return n, ours && named && err == nil
}

// sizeOf is the size of a file in bytes: any function of its number that tells files apart.
func sizeOf(number int64) int64 { return 1000 + number%997 }

// mostStats is how often statistics can be refreshed to better ones.
const mostStats = 2

// statsOf returns the statistics of a file, all rows of which have its number as their id: bounds, and the better they are the
// more counts.
func statsOf(number, records, better int64) tree.Stats {
	f := tree.FieldStats{
		FieldID: idColumnID, Lower: tree.Long(number), Upper: tree.Long(number), Tight: iceberg.Optional[bool]{Valid: true},
	}
	if better > 0 {
		f.ValueCount = iceberg.Optional[int64]{Val: records, Valid: true}
	}
	if better > 1 {
		f.NullCount.Valid = true
	}
	return tree.Stats{f}
}

// betterOf returns how good the statistics of an entry are, or -1 if they are not those of the file.
func betterOf(e *tree.Entry, number int64) int64 {
	for _, f := range e.Stats {
		if f.FieldID != idColumnID {
			continue
		}
		switch {
		case f.Lower != tree.Long(number) || f.Upper != tree.Long(number):
			return -1
		case f.NullCount.Valid:
			return 2
		case f.ValueCount.Valid:
			return 1
		}
		return 0
	}
	return -1
}
