package mdv_test

import (
	"fmt"

	"github.com/firn-io/firn/mdv"
)

func Example() {
	masked, err := mdv.Of(9, 0, 7)
	if err != nil {
		fmt.Println(err)
		return
	}
	removed, err := mdv.Range(10, 13)
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := masked.Union(removed).AppendBinary(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%x\n", data)

	read, err := mdv.Parse(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(read, "has", read.Cardinality(), "positions,", read.Rank(9), "of them before 9")

	_, err = mdv.Parse(data[:10])
	fmt.Println(err)

	// Output:
	// 0106000001000000060007090a0b0c
	// 0,7,9-12 has 6 positions, 2 of them before 9
	// bitmap is malformed at byte 10: the input ends within a container
}
