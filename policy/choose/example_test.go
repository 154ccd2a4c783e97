package choose_test

import (
	"fmt"

	"github.com/firn-io/firn/policy/choose"
)

func ExampleForTable() {
	p, err := choose.ForTable(map[string]string{"firn.policy": "tiered", "firn.policy.batch": "100"})
	fmt.Printf("%s %+v %v\n", p.Name(), p, err)
	_, err = choose.ForTable(map[string]string{"firn.policy": "best"})
	fmt.Println(err)
	// Output:
	// tiered {Batch:100 Ratio:0 LeafRows:0} <nil>
	// policy: table property firn.policy names "best", known are adaptive, cap, leveled, never, sqrt, tiered, when-full
}
