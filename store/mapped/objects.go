package mapped

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/firn-io/firn/store"
)

// New returns a store in which the rules hold: a name that begins with the From of a rule reaches the object
// that the given store keeps at To; of several rules the one with the longest From applies, and the first of
// those that are equal. Other names are unchanged, also those of objects at To. Listings show what can be reached,
// by the names that reach it. Errors name the place that was used.
func New(objects store.Objects, rules ...Rule) store.Objects {
	sorted := slices.Clone(rules)
	slices.SortStableFunc(sorted, func(a, b Rule) int { return strings.Compare(a.From, b.From) })
	sorted = slices.CompactFunc(sorted, func(a, b Rule) bool { return a.From == b.From })
	return &translated{objects: objects, rules: sorted}
}

// translated is a store with rules, which are sorted by From and have different ones.
type translated struct {
	objects store.Objects
	rules   []Rule
}

// rule returns the rule for a name. The zero rule leaves names as they are. Of the rules whose From begins the
// name, the longest comes last in their order.
func (t *translated) rule(name string) Rule {
	var longest Rule
	for _, rule := range t.rules {
		if strings.HasPrefix(name, rule.From) {
			longest = rule
		}
	}
	return longest
}

// place returns the name by which the underlying store knows the object.
func (t *translated) place(name string) string {
	rule := t.rule(name)
	return rule.To + name[len(rule.From):]
}

// Put implements [store.Objects].
func (t *translated) Put(ctx context.Context, name string, data []byte) error {
	return t.objects.Put(ctx, t.place(name), data)
}

// Get implements [store.Objects].
func (t *translated) Get(ctx context.Context, name string, limitBytes int64) ([]byte, error) {
	return t.objects.Get(ctx, t.place(name), limitBytes)
}

// GetRange implements [store.Objects].
func (t *translated) GetRange(ctx context.Context, name string, offset int64, p []byte) (int, error) {
	return t.objects.GetRange(ctx, t.place(name), offset, p)
}

// Stat implements [store.Objects].
func (t *translated) Stat(ctx context.Context, name string) (store.Info, error) {
	info, err := t.objects.Stat(ctx, t.place(name))
	if err == nil {
		info.Name = name
	}
	return info, err
}

// Delete implements [store.Objects].
func (t *translated) Delete(ctx context.Context, name string) error {
	return t.objects.Delete(ctx, t.place(name))
}

// List implements [store.Objects].
func (t *translated) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) { t.list(ctx, prefix, yield) }
}

// list yields the objects under a prefix and reports whether to go on. All names that begin with the From of an
// inner rule stand together in the order of names, and are listed in their turn.
func (t *translated) list(ctx context.Context, prefix string, yield func(store.Info, error) bool) bool {
	rule, inner := t.rule(prefix), t.inner(prefix)
	for info, err := range t.objects.List(ctx, rule.To+prefix[len(rule.From):]) {
		if err != nil {
			yield(store.Info{}, err)
			return false
		}
		info.Name = rule.From + info.Name[len(rule.To):]
		if t.rule(info.Name) != rule {
			continue // this name reaches another object
		}
		for len(inner) > 0 && inner[0] < info.Name {
			if !t.list(ctx, inner[0], yield) {
				return false
			}
			inner = inner[1:]
		}
		if !yield(info, nil) {
			return false
		}
	}
	for _, from := range inner {
		if !t.list(ctx, from, yield) {
			return false
		}
	}
	return true
}

// inner returns, sorted, where rules begin to apply within a prefix; rules within such rules are left out.
func (t *translated) inner(prefix string) []string {
	var inner []string
	for _, rule := range t.rules {
		within := strings.HasPrefix(rule.From, prefix) && rule.From != prefix
		if within && (len(inner) == 0 || !strings.HasPrefix(rule.From, inner[len(inner)-1])) {
			inner = append(inner, rule.From)
		}
	}
	return inner
}
