package mergeappend_test

import (
	"fmt"

	"github.com/firn-io/firn/policy/mergeappend"
)

// What ten thousand commits of ten files write in version 3, for a table with statistics for twenty columns.
func Example() {
	for _, fast := range []bool{false, true} {
		table := mergeappend.Table{Sizes: mergeappend.Estimate(20), Fast: fast}
		var bytes int64
		for range 10_000 {
			bytes += table.Append(10).Bytes()
		}
		fmt.Printf("fast %t: %d KB a commit, %d manifests\n", fast, bytes/10_000/1000, table.Manifests())
	}
	// Output:
	// fast false: 87 KB a commit, 10 manifests
	// fast true: 297 KB a commit, 10000 manifests
}
