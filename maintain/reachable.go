package maintain

import (
	"context"
	"iter"

	"github.com/firn-io/firn/commit"
)

// Reachable yields the objects that a state of a table reaches, as the package comment has it: those that [Expire] and
// [Orphans] keep. What the metadata names comes first, then what roots name, then what leaves name. Each leaf is read
// once; an object that several leaves name comes several times. An error ends the sequence.
func Reachable(ctx context.Context, table *commit.Table, head *commit.Head) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		objects, err := listed(head)
		r := newReach(table)
		if err == nil {
			err = r.addAll(ctx, head)
		}
		if err != nil {
			yield(Object{}, err)
			return
		}
		for _, o := range append(objects, r.takeFresh()...) {
			if !yield(o, nil) {
				return
			}
		}
		leaves := table.Leaves()
		for _, use := range r.leaves {
			var named []Object
			if err := r.readLeaf(ctx, leaves, use, func(o Object) { named = append(named, o) }); err != nil {
				yield(Object{}, err)
				return
			}
			for _, o := range named {
				if !yield(o, nil) {
					return
				}
			}
		}
	}
}
