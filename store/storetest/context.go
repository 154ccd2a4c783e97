package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/firn-io/firn/store"
)

var contextChecks = []objectsCheck{
	{"context/done-means-no-effect", contextDone},
}

func contextDone(b bench) error {
	if err := b.putAll("ctx/old"); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(b.ctx)
	cancel()
	old, fresh := b.name("ctx/old"), b.name("ctx/fresh")
	_, get := b.objects.Get(ctx, old, 0)
	_, getRange := b.objects.GetRange(ctx, old, 0, make([]byte, 1))
	_, stat := b.objects.Stat(ctx, old)
	list, sequences := error(nil), 0
	for info, err := range b.objects.List(ctx, b.prefix) {
		list, sequences = err, sequences+1
		if err == nil {
			return fmt.Errorf("List yields %q under a cancelled context", info.Name)
		}
	}
	if sequences > 1 {
		return fmt.Errorf("List yields %d errors: an error ends the sequence", sequences)
	}
	for call, err := range map[string]error{
		"Get": get, "GetRange": getRange, "Stat": stat, "List": list,
		"Put": b.objects.Put(ctx, fresh, nil), "Delete": b.objects.Delete(ctx, old),
	} {
		if !errors.Is(err, context.Canceled) {
			return fmt.Errorf("%s under a cancelled context: %v, want one that wraps context.Canceled", call, err)
		}
	}
	return errors.Join(b.lacks("ctx/fresh"), b.holds("ctx/old", []byte("ctx/old")))
}

// contextDoneSwap checks that a cancelled swap is refused for good: a caller may count on that.
func contextDoneSwap(d desk) error {
	id := store.TableID{Namespace: "ns", Name: "t"}
	if err := d.swap(id, "", "one"); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(d.ctx)
	cancel()
	if _, err := d.catalog.Load(ctx, id); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("Load under a cancelled context: %v, want one that wraps context.Canceled", err)
	}
	err := d.catalog.Swap(ctx, id, "one", "two")
	if !errors.Is(err, context.Canceled) || !errors.Is(err, store.ErrRefused) {
		return fmt.Errorf("Swap under a cancelled context: %v, want context.Canceled and ErrRefused", err)
	}
	return d.holds(id, "one")
}
