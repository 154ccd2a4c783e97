package commit

import (
	"context"
	"fmt"

	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// cleanUp removes what this transaction wrote and nobody references, now that its outcome is known: the roots
// and metadata files of all attempts but the winner, and the leaves and deletion vectors to which the winner's root
// does not point. Without a winner that is everything. It returns what could not be removed. A panic of a store ends
// nothing that is committed (B40).
func (x *proposal) cleanUp(ctx context.Context, won winner) []string {
	keep := map[string]bool{won.attempt.root: true, won.attempt.metadata: true}
	for _, name := range won.objects {
		keep[name] = true
	}
	var garbage []string
	for _, name := range x.work.objects {
		if !keep[name] {
			garbage = append(garbage, name)
		}
	}
	return x.delete(ctx, tamper.Stage(seamGarbage, x, garbage))
}

// delete removes objects, within a time of its own, and returns those that could not be removed.
func (x *proposal) delete(ctx context.Context, names []string) (leftover []string) {
	if len(names) == 0 {
		return nil
	}
	ctx, cancel := x.table.options.Env.Detach(ctx, x.table.options.OutcomeMillis)
	defer cancel()
	for _, name := range names {
		if err := x.deleteOne(ctx, name); err != nil {
			leftover = append(leftover, name)
		}
	}
	return leftover
}

func (x *proposal) deleteOne(ctx context.Context, name string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("delete %s: the store panicked: %v", name, p)
		}
	}()
	return x.table.objects.Delete(ctx, name)
}

// trimMetadata removes the metadata files that this commit pushed out of the log, if the table wants that (F22). It
// returns those that could not be removed.
func (x *proposal) trimMetadata(ctx context.Context, won candidate) []string {
	if !won.head.Metadata.DeletesOldMetadata() {
		return nil
	}
	var gone []string
	for _, entry := range metadata.Trimmed(won.base.Metadata, won.head.Metadata) {
		gone = append(gone, tree.Resolve(won.base.Location, entry.File))
	}
	return x.delete(ctx, tamper.Stage(seamTrimmed, x, gone))
}
