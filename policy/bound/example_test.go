package bound_test

import (
	"fmt"

	"github.com/firn-io/firn/policy/bound"
)

// A table of 20 statistics columns takes a thousand commits of ten files.
func Example() {
	const commits = 1_000
	m := bound.Default(10)
	p, err := bound.NewProgram(m)
	if err == nil {
		err = p.Extend(commits)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	floor, err := m.Floor(commits)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("the best plan writes", p.Bytes(commits)/commits, "bytes a commit beyond the root's fixed price")
	fmt.Println("with leaves for nothing none writes less than", floor/commits)
	fmt.Println("the best plan for 12 commits pushes", p.Pushes(12))

	// Output:
	// the best plan writes 18173 bytes a commit beyond the root's fixed price
	// with leaves for nothing none writes less than 11290
	// the best plan for 12 commits pushes [0 0 0 4 0 0 0 4 0 0 0 0]
}
