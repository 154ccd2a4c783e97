package commit

import "context"

// cleanUp removes what this transaction wrote and nobody references, now that its outcome is known: the roots
// and metadata files of all attempts but the winner, and the leaves to which the winner's root does not point.
// Without a winner that is everything. It returns what could not be removed.
func (x *Txn) cleanUp(ctx context.Context, won winner) []string {
	keep := map[string]bool{won.attempt.root: true, won.attempt.metadata: true}
	for _, leaf := range won.leaves {
		keep[x.work.leaves[leaf].location] = true
	}
	ctx, cancel := x.table.options.Env.Detach(ctx, x.table.options.OutcomeMillis)
	defer cancel()
	var leftover []string
	for _, name := range x.work.objects {
		if keep[name] {
			continue
		}
		if err := x.table.objects.Delete(ctx, name); err != nil {
			leftover = append(leftover, name)
		}
	}
	return leftover
}
