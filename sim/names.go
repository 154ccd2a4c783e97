package sim

import (
	"strconv"
	"strings"

	"github.com/firn-io/firn/store"
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
