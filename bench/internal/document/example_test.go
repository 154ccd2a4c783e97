package document_test

import (
	"fmt"
	"strings"

	"github.com/firn-io/firn/bench/internal/document"
)

func Example() {
	var b strings.Builder
	document.Header(&b, "table", "bytes")
	document.Row(&b, "a root of 10,000 rows", document.Count(523_712))
	document.Verdict(&b, 1, []string{"a root of 10,000 rows: 523,712, not ≤ 500,000"})
	fmt.Print(b.String())
	// Output:
	// | table | bytes |
	// | --- | --- |
	// | a root of 10,000 rows | 523,712 |
	//
	// 1 figures have a limit, 1 missed it.
	//
	// - a root of 10,000 rows: 523,712, not ≤ 500,000
}
