package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/firn-io/firn/store"
)

var entryChecks = []catalogCheck{
	{"missing", entryMissing},
	{"create", entryCreate},
	{"swap", entrySwap},
	{"swap/empty-new-is-refused", entryEmpty},
	{"locations/are-literal", entryLocations},
	{"ids/are-independent", entryIDs},
	{"context/done-means-refused", contextDoneSwap},
}

// desk is the catalog under test with the steps that checks are made of.
type desk struct {
	ctx     context.Context
	catalog store.Catalog
}

// swap changes an entry and expects no trouble.
func (d desk) swap(id store.TableID, old, new string) error {
	if err := d.catalog.Swap(d.ctx, id, old, new); err != nil {
		return fmt.Errorf("Swap of %q from %q to %q: %w", id, old, new, err)
	}
	return nil
}

// loses tries a swap that must fail with the given kind of error and leave the entry alone.
func (d desk) loses(id store.TableID, old, new string, kind error) error {
	if err := d.catalog.Swap(d.ctx, id, old, new); !errors.Is(err, kind) {
		return fmt.Errorf("Swap of %q from %q to %q: %v, want %q", id, old, new, err, kind)
	}
	return nil
}

// holds checks the entry.
func (d desk) holds(id store.TableID, want string) error {
	if got, err := d.catalog.Load(d.ctx, id); err != nil || got != want {
		return fmt.Errorf("Load of %q = %q and %v, want %q", id, got, err, want)
	}
	return nil
}

// lacks checks that there is no such entry.
func (d desk) lacks(id store.TableID) error {
	if got, err := d.catalog.Load(d.ctx, id); !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("Load of %q = %q and %v, want ErrNotFound", id, got, err)
	}
	return nil
}

func entryMissing(d desk) error {
	id := store.TableID{Namespace: "ns", Name: "t"}
	return errors.Join(
		d.lacks(id),
		d.loses(id, "one", "two", store.ErrNotFound),
		d.lacks(id),
	)
}

func entryCreate(d desk) error {
	id := store.TableID{Namespace: "ns", Name: "t"}
	return errors.Join(
		d.swap(id, "", "one"),
		d.holds(id, "one"),
		d.loses(id, "", "two", store.ErrConflict),
		d.loses(id, "", "one", store.ErrConflict),
		d.holds(id, "one"),
	)
}

func entrySwap(d desk) error {
	id := store.TableID{Namespace: "ns", Name: "t"}
	return errors.Join(
		d.swap(id, "", "one"),
		d.swap(id, "one", "two"),
		d.holds(id, "two"),
		d.loses(id, "one", "three", store.ErrConflict),
		d.loses(id, "tw", "three", store.ErrConflict),
		d.loses(id, "TWO", "three", store.ErrConflict),
		d.holds(id, "two"),
		d.swap(id, "two", "three"),
		d.holds(id, "three"),
	)
}

func entryEmpty(d desk) error {
	id := store.TableID{Namespace: "ns", Name: "t"}
	return errors.Join(
		d.loses(id, "", "", store.ErrRefused),
		d.lacks(id),
		d.swap(id, "", "one"),
		d.loses(id, "one", "", store.ErrRefused),
		d.holds(id, "one"),
	)
}

func entryLocations(d desk) error {
	id, last := store.TableID{Namespace: "ns", Name: "t"}, ""
	for _, location := range []string{
		"s3://b/t/metadata/00000-a.metadata.json", "s3://b/t//x%20y z+.json", "file:///w/å/日本語.json",
		" leading and trailing ", "quote'\"", "percent%s_", "line\nfeed", "s3://b/" + strings.Repeat("long/", 190),
	} {
		if err := errors.Join(d.swap(id, last, location), d.holds(id, location)); err != nil {
			return err
		}
		last = location
	}
	return nil
}

// entryIDs holds many tables whose ids turn into one another when somebody joins, folds, matches by pattern,
// or makes paths of them.
func entryIDs(d desk) error {
	ids := []store.TableID{
		{Namespace: "a", Name: "b"}, {Namespace: "b", Name: "a"}, {Namespace: "A", Name: "b"}, {Namespace: "a", Name: "B"},
		{Namespace: "a.b", Name: "c"}, {Namespace: "a", Name: "b.c"}, {Namespace: "a/b", Name: "c"},
		{Namespace: "a", Name: "b/c"}, {Namespace: "a", Name: "b%2Fc"}, {Namespace: "a%2Eb", Name: "c"},
		{Namespace: "a", Name: "%"}, {Namespace: "a", Name: "_"}, {Namespace: "a", Name: "x' OR '1'='1"},
		{Namespace: "..", Name: ".."}, {Namespace: ".", Name: "."}, {Namespace: "a", Name: "../a/b"},
		{Namespace: "a", Name: ".b"}, {Namespace: "a b", Name: "c d"}, {Namespace: "a+b", Name: "c"},
		{Namespace: "å", Name: "日本"},
	}
	location := func(id store.TableID) string { return fmt.Sprintf("location of %q %q", id.Namespace, id.Name) }
	for i, id := range ids {
		if err := d.swap(id, "", location(id)); err != nil {
			return err
		}
		for _, later := range ids[i+1:] {
			if err := d.lacks(later); err != nil {
				return fmt.Errorf("after %q was created: %w", id, err)
			}
		}
	}
	for i, id := range ids {
		if err := d.swap(id, location(id), "moved"); err != nil {
			return err
		}
		for _, later := range ids[i+1:] {
			if err := d.holds(later, location(later)); err != nil {
				return fmt.Errorf("after %q was swapped: %w", id, err)
			}
		}
	}
	return nil
}
