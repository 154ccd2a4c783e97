package report_test

import (
	"encoding/json"
	"fmt"

	"github.com/firn-io/firn/sim/report"
)

// A comparison is kept as JSON.
func Example() {
	data, err := json.Marshal(report.BoundPoint{Commits: 1000, Files: 10_000, CommitBytes: 23_109})
	fmt.Println(string(data), err)
	// Output: {"commits":1000,"files":10000,"commit_bytes":23109} <nil>
}
