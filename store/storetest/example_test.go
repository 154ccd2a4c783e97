package storetest_test

import (
	"fmt"
	"testing"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/store/storetest"
)

// A test function of an implementation hands a maker of empty stores to the suite.
func ExampleTestObjects() {
	test := func(t *testing.T) {
		storetest.TestObjects(t, func(t *testing.T) (store.Objects, string) {
			return new(mem.Objects), "mem://test/"
		})
	}
	ok := testing.RunTests(func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: "TestMyObjects", F: test}})
	fmt.Println(ok)
	// Output: true
}
