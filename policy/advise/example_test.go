package advise_test

import (
	"fmt"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/advise"
)

// What adaptive would do with a root of 300 loose files to which a commit adds ten, and why.
func Example() {
	in := policy.Input{Mode: policy.Foreground, Prices: policy.EstimatePrices(20)}
	for i := range 310 {
		item := policy.Item{Key: fmt.Sprint("file ", i), Count: 1}
		if i < 300 {
			in.Loose = append(in.Loose, item)
		} else {
			in.New = append(in.New, item)
		}
	}
	e, err := advise.Explain(adaptive.Policy{}, in)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range e.Lines {
		commits, _ := l.PaysAfter()
		fmt.Printf("%s %d files for their %s: %d bytes now, %d less a root, paid after %d\n",
			l.Kind, l.Rows, l.Term, l.PaidBytes, l.SavedBytes, commits)
	}
	// Output:
	// push 310 files for their rent: 109803 bytes now, 91464 less a root, paid after 2
}
