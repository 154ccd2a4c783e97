package count_test

import (
	"fmt"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/policy/simple"
)

// What policies write for two thousand files, ten a commit, beyond the fixed price of the roots.
func Example() {
	for _, p := range []policy.Policy{simple.Never{}, simple.Cap{Rows: 100}, adaptive.Policy{}} {
		table := count.Table{Prices: policy.EstimatePrices(20)}
		var bytes int64
		for range 200 {
			cost, err := table.Commit(p, 10)
			if err != nil {
				fmt.Println(err)
				return
			}
			bytes += cost.Bytes()
		}
		fmt.Printf("%s: %d KB a commit, %d leaves\n", p.Name(), bytes/200/1000, len(table.Leaves))
	}
	// Output:
	// never: 297 KB a commit, 0 leaves
	// cap: 20 KB a commit, 21 leaves
	// adaptive: 16 KB a commit, 16 leaves
}
