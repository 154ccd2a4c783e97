// Package storetest checks implementations of the interfaces of package store: each promise that their
// comments make is one named check. An implementation's test calls [TestObjects] or [TestCatalog] with a
// function that makes an empty store.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/store"
)

// TestObjects checks an implementation of [store.Objects]. newStore returns a store and a prefix that ends in a
// slash and under which there are no objects yet; it is called once for each check.
func TestObjects(t *testing.T, newStore func(t *testing.T) (objects store.Objects, prefix string)) {
	for _, check := range objectsChecks() {
		t.Run(check.name, func(t *testing.T) {
			objects, prefix := newStore(t)
			if err := check.run(bench{ctx: t.Context(), objects: objects, prefix: prefix}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestCatalog checks an implementation of [store.Catalog]. newCatalog returns a catalog without tables; it is
// called once for each check.
func TestCatalog(t *testing.T, newCatalog func(t *testing.T) store.Catalog) {
	for _, check := range catalogChecks() {
		t.Run(check.name, func(t *testing.T) {
			if err := check.run(desk{ctx: t.Context(), catalog: newCatalog(t)}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// objectsCheck is one promise of [store.Objects]; run returns what breaks it.
type objectsCheck struct {
	name string
	run  func(b bench) error
}

// objectsChecks returns all checks, the basic ones first.
func objectsChecks() []objectsCheck {
	return slices.Concat(putChecks, readChecks, listChecks, nameChecks, deleteChecks, contextChecks)
}

// catalogCheck is one promise of [store.Catalog]; run returns what breaks it.
type catalogCheck struct {
	name string
	run  func(d desk) error
}

// catalogChecks returns all checks, the basic ones first.
func catalogChecks() []catalogCheck {
	return slices.Concat(entryChecks, catalogRaceChecks)
}

// bench is the store under test with the steps that checks are made of.
type bench struct {
	ctx     context.Context
	objects store.Objects
	prefix  string
}

// name returns the full name of an object of this check.
func (b bench) name(rest string) string { return b.prefix + rest }

// put writes an object that is expected to be new.
func (b bench) put(rest string, data []byte) error {
	if err := b.objects.Put(b.ctx, b.name(rest), data); err != nil {
		return fmt.Errorf("Put(%q) of a new object: %w", b.name(rest), err)
	}
	return nil
}

// putAll writes objects, each with its own name as content.
func (b bench) putAll(rests ...string) error {
	for _, rest := range rests {
		if err := b.put(rest, []byte(rest)); err != nil {
			return err
		}
	}
	return nil
}

// holds checks that the object is there with that content.
func (b bench) holds(rest string, want []byte) error {
	got, err := b.objects.Get(b.ctx, b.name(rest), 0)
	if err != nil {
		return fmt.Errorf("Get(%q): %w", b.name(rest), err)
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("Get(%q) = %s, want %s", b.name(rest), brief(got), brief(want))
	}
	return nil
}

// lacks checks that there is no object of that name.
func (b bench) lacks(rest string) error {
	name := b.name(rest)
	if _, err := b.objects.Get(b.ctx, name, 0); !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("Get(%q) of a missing object: %v, want ErrNotFound", name, err)
	}
	if _, err := b.objects.GetRange(b.ctx, name, 0, make([]byte, 1)); !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("GetRange(%q) of a missing object: %v, want ErrNotFound", name, err)
	}
	if _, err := b.objects.Stat(b.ctx, name); !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("Stat(%q) of a missing object: %v, want ErrNotFound", name, err)
	}
	return nil
}

// lists checks that listing the prefix gives these objects in this order, each with the size of its own name.
func (b bench) lists(rest string, want ...string) error {
	var got []string
	for info, err := range b.objects.List(b.ctx, b.name(rest)) {
		if err != nil {
			return fmt.Errorf("List(%q) after %d objects: %w", b.name(rest), len(got), err)
		}
		listed, ok := strings.CutPrefix(info.Name, b.prefix)
		if !ok || info.SizeBytes != int64(len(listed)) {
			return fmt.Errorf("List(%q): %q has size %d", b.name(rest), info.Name, info.SizeBytes)
		}
		if info.Modified.IsZero() {
			return fmt.Errorf("List(%q): %q has no modification time", b.name(rest), info.Name)
		}
		got = append(got, listed)
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("List(%q) = %q, want %q", b.name(rest), got, want)
	}
	return nil
}

// brief shows content in a message of limited length.
func brief(data []byte) string {
	const shown = 40
	if len(data) <= shown {
		return fmt.Sprintf("%q", data)
	}
	return fmt.Sprintf("%q… (%d bytes)", data[:shown], len(data))
}
