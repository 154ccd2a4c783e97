package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

var listChecks = []objectsCheck{
	{"list/byte-order", listOrder},
	{"list/prefix-is-literal", listPrefix},
	{"list/nothing", listNothing},
	{"list/stops-when-asked", listStops},
	{"list/bears-deletes", listDeletes},
	{"list/shows-no-deleted-object", listAfterDelete},
}

// forest is sorted by bytes, and chosen so that this is not the order folder by folder: a slash sorts after a
// dash and a dot, and before a digit.
var forest = []string{"B", "a-b", "a.b", "a.c", "a/b", "a/b-", "a0", "ab/c", "ab/d/e", "ab/d0", "é"}

// plant writes forest, last name first.
func (b bench) plant() error {
	rests := slices.Clone(forest)
	slices.Reverse(rests)
	return b.putAll(rests...)
}

func listOrder(b bench) error {
	if err := b.plant(); err != nil {
		return err
	}
	return b.lists("", forest...)
}

func listPrefix(b bench) error {
	if err := b.plant(); err != nil {
		return err
	}
	for _, prefix := range []string{"a", "a.", "a/", "a/b", "ab", "ab/", "ab/d", "ab/d/", "ab/d/e", "B", "é"} {
		var want []string
		for _, rest := range forest {
			if strings.HasPrefix(rest, prefix) {
				want = append(want, rest)
			}
		}
		if err := b.lists(prefix, want...); err != nil {
			return err
		}
	}
	return nil
}

func listNothing(b bench) error {
	if err := b.lists(""); err != nil {
		return err
	}
	if err := b.plant(); err != nil {
		return err
	}
	for _, prefix := range []string{"none", "a/b/", "B/", "ab/d/e/f", "no/such/folder/"} {
		if err := b.lists(prefix); err != nil {
			return err
		}
	}
	return nil
}

func listStops(b bench) error {
	if err := b.plant(); err != nil {
		return err
	}
	for info, err := range b.objects.List(b.ctx, b.name("a")) {
		if err != nil {
			return err
		}
		if info.Name != b.name("a-b") {
			return fmt.Errorf("List yields %q first, want %q", info.Name, b.name("a-b"))
		}
		break
	}
	return nil
}

// listDeletes deletes what it lists, as a clean-up does: the store holds no lock while it yields.
func listDeletes(b bench) error {
	if err := b.plant(); err != nil {
		return err
	}
	var errs []error
	for info, err := range b.objects.List(b.ctx, b.prefix) {
		if err == nil {
			err = b.objects.Delete(b.ctx, info.Name)
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("deleting in the course of a listing: %w", err)
	}
	return b.lists("")
}

func listAfterDelete(b bench) error {
	if err := b.putAll("k/1", "k/2", "k/3"); err != nil {
		return err
	}
	if err := b.objects.Delete(b.ctx, b.name("k/2")); err != nil {
		return err
	}
	return b.lists("k/", "k/1", "k/3")
}

var deleteChecks = []objectsCheck{
	{"delete/removes-one-object", deleteOne},
	{"delete/missing-is-no-error", deleteMissing},
}

func deleteOne(b bench) error {
	if err := b.putAll("d/1", "d/10", "d/2"); err != nil {
		return err
	}
	if err := b.objects.Delete(b.ctx, b.name("d/1")); err != nil {
		return fmt.Errorf("Delete: %w", err)
	}
	if err := b.lacks("d/1"); err != nil {
		return err
	}
	return b.lists("d/", "d/10", "d/2")
}

func deleteMissing(b bench) error {
	if err := b.putAll("d/1"); err != nil {
		return err
	}
	for _, rest := range []string{"never", "no/such/folder", "d/1/below", "d"} {
		if err := b.objects.Delete(b.ctx, b.name(rest)); err != nil {
			return fmt.Errorf("Delete(%q) of a missing object: %w", b.name(rest), err)
		}
	}
	if err := b.holds("d/1", []byte("d/1")); err != nil {
		return fmt.Errorf("after missing objects were deleted: %w", err)
	}
	for range 2 {
		if err := b.objects.Delete(b.ctx, b.name("d/1")); err != nil {
			return fmt.Errorf("Delete(%q), then again: %w", b.name("d/1"), err)
		}
	}
	return b.lacks("d")
}
