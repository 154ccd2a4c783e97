package fault_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/store/mem"
)

// A swap that lands although the program is told otherwise.
func Example() {
	ctx := context.Background()
	id := store.TableID{Namespace: "demo", Name: "events"}
	f, err := fault.Parse("swap demo.* #2 land-unknown")
	if err != nil {
		fmt.Println(err)
		return
	}
	injector := new(fault.Injector)
	if err := injector.Arm(f); err != nil {
		fmt.Println(err)
		return
	}
	catalog := injector.Catalog(new(mem.Catalog))

	fmt.Println(catalog.Swap(ctx, id, "", "0.json"))
	err = catalog.Swap(ctx, id, "0.json", "1.json")
	fmt.Println(errors.Is(err, store.ErrUnknown), err)
	fmt.Println(catalog.Load(ctx, id))
	for _, call := range injector.Calls() {
		fmt.Printf("%s %s %q\n", call.Op, call.Name, call.Outcome)
	}
	// Output:
	// <nil>
	// true swap demo.events: outcome unknown
	// 1.json <nil>
	// swap demo.events ""
	// swap demo.events "land-unknown"
	// load demo.events ""
}
