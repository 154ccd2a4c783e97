package storetest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/firn-io/firn/store"
)

var nameChecks = []objectsCheck{
	{"names/are-literal", namesLiteral},
	{"names/odd-paths-are-kept-or-refused", namesOddPaths},
	{"names/folder-of-another-is-kept-or-refused", namesFolder},
}

// literals are names that every store has to keep as they are. Each has a neighbor that it turns into when
// somebody decodes, encodes, folds or trims it.
var literals = []string{
	"plain", "Plain", "with space", "with%20space", "with+space", "with%2Fslash", "with/slash", "%", "%zz",
	"a%2520b", "a%20b", "a b", "query?x=1", "query", "hash#1", "hash", "semi;colon", "back\\slash", "quote\"'`",
	"star*", "brackets[1]{2}", "ts=2026-01-01T10:00/f", "day=1/region=a&b/f", "scheme:like", "s3:-like/s3:", "@~!$(),|<>",
	".hidden", "..two-dots", "dots.", "dots..", "...", "-dash", " leading", "trailing ", "å", "a\u030a", "日本語", "🧊",
}

func namesLiteral(b bench) error {
	if err := b.putAll(literals...); err != nil {
		return err
	}
	for _, rest := range literals {
		if err := b.holds(rest, []byte(rest)); err != nil {
			return err
		}
		if err := b.lists(rest, namesFrom(rest)...); err != nil {
			return err
		}
	}
	if err := b.lists("", namesFrom("")...); err != nil {
		return err
	}
	for i, rest := range literals {
		if err := b.objects.Delete(b.ctx, b.name(rest)); err != nil {
			return fmt.Errorf("Delete(%q): %w", b.name(rest), err)
		}
		if err := b.lacks(rest); err != nil {
			return err
		}
		for _, other := range literals[i+1:] {
			if err := b.holds(other, []byte(other)); err != nil {
				return fmt.Errorf("after %q was deleted: %w", b.name(rest), err)
			}
		}
	}
	return nil
}

// namesFrom returns those of literals that begin with the prefix, sorted.
func namesFrom(prefix string) []string {
	names := slices.Sorted(slices.Values(literals))
	return slices.DeleteFunc(names, func(rest string) bool {
		return len(rest) < len(prefix) || rest[:len(prefix)] != prefix
	})
}

// namesOddPaths tries names that a file system would reach another object by. A store either keeps such a name
// apart or refuses it in every call; in no case is the neighbor touched.
func namesOddPaths(b bench) error {
	for _, odd := range []string{
		"p//q", "p/./q", "./p/q", "p/../p/q", "x/../p/q", "p/q/", "p/q/.", "/p/q", "p/q\x00", "p/q//", "../p/q", "",
	} {
		rest := fmt.Sprintf("odd-%x/", odd)
		if err := b.putAll(rest + "p/q"); err != nil {
			return err
		}
		if err := b.apart(rest+odd, rest+"p/q"); err != nil {
			return err
		}
	}
	return nil
}

// namesFolder tries names of which one is the folder of the other, in both orders.
func namesFolder(b bench) error {
	if err := b.putAll("f/over", "g/over/under"); err != nil {
		return err
	}
	if err := b.apart("f/over/under", "f/over"); err != nil {
		return err
	}
	return b.apart("g/over", "g/over/under")
}

// apart writes, reads and deletes an object whose name may be refused. Whatever happens, the neighbor, which
// holds its own name, stays as it is.
func (b bench) apart(odd, neighbor string) error {
	name, content := b.name(odd), []byte("odd")
	put := b.objects.Put(b.ctx, name, content)
	if errors.Is(put, store.ErrExists) {
		return fmt.Errorf("Put(%q): %w, but only %q is there", name, put, b.name(neighbor))
	}
	var reads error
	if put == nil {
		reads = b.holds(odd, content)
	} else {
		reads = b.unreadable(odd)
	}
	if err := errors.Join(reads, b.holds(neighbor, []byte(neighbor))); err != nil {
		return fmt.Errorf("after Put(%q) with outcome %v: %w", name, put, err)
	}
	if err := b.objects.Delete(b.ctx, name); err != nil && put == nil {
		return fmt.Errorf("Delete(%q): %w", name, err)
	}
	if err := b.holds(neighbor, []byte(neighbor)); err != nil {
		return fmt.Errorf("after Delete(%q): %w", name, err)
	}
	return b.unreadable(odd)
}

// unreadable checks that nothing can be read under a name.
func (b bench) unreadable(rest string) error {
	name := b.name(rest)
	if got, err := b.objects.Get(b.ctx, name, 0); err == nil {
		return fmt.Errorf("Get(%q) = %s, want an error", name, brief(got))
	}
	if n, err := b.objects.GetRange(b.ctx, name, 0, make([]byte, 1)); err == nil || n > 0 {
		return fmt.Errorf("GetRange(%q): %d bytes and %v, want an error", name, n, err)
	}
	if info, err := b.objects.Stat(b.ctx, name); err == nil {
		return fmt.Errorf("Stat(%q) = %+v, want an error", name, info)
	}
	for info, err := range b.objects.List(b.ctx, name) {
		if err == nil && info.Name == name {
			return fmt.Errorf("List(%q) yields it", name)
		}
	}
	return nil
}
