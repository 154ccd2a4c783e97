package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/sysenv"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

const (
	// maxMoveBytes bounds a file that is copied, for it is held in memory.
	maxMoveBytes = 4 << 30
	// cleanUpMillis bounds the removal of copies that are of no use.
	cleanUpMillis = 30_000
)

// move copies files into the table, commits them there, and deletes them where they were. Copies of a commit that
// did not happen are removed; when the outcome is unknown, everything stays.
func (x *transaction) move(ctx context.Context, files []inspected) error {
	if err := x.checkMovable(ctx, files); err != nil {
		return err
	}
	var copies []string
	for i := range files {
		name, err := x.copy(ctx, files[i])
		if name != "" {
			copies = append(copies, name) // it may be there even if the put failed
		}
		if err != nil {
			x.drop(ctx, copies)
			return err
		}
		files[i].file.Location = name
	}
	x.append(files)
	result, err := x.publish(ctx)
	if err != nil {
		if !errors.Is(err, commit.ErrUnknown) {
			x.drop(ctx, copies)
		}
		return err
	}
	return errors.Join(x.deleteMoved(ctx, files), x.printResult(result))
}

// deleteMoved deletes the files that were moved, but for those that another writer has added to the table under their
// own names in the meantime.
func (x *transaction) deleteMoved(ctx context.Context, files []inspected) error {
	var left problems
	keep := func(err error) {
		left = append(left, fmt.Errorf("the commit is done, but the moved file is still there: %w", err))
	}
	head, err := x.table.Head(ctx)
	if err != nil {
		keep(err)
		return left
	}
	x.base = head
	used, err := x.referenced(ctx, files)
	if err != nil {
		keep(err)
		return left
	}
	for _, f := range files {
		if used[f.location] {
			x.notice("%s: stays where it is, another writer added it to the table", f.location)
		} else if err := x.objects.Delete(ctx, f.location); err != nil {
			keep(err)
		}
	}
	if len(left) > 0 {
		return left
	}
	return nil
}

// copy writes a file into the data folder of the table. The name has a digest of the content: the same file has the
// same name there, so that after an unknown outcome it cannot be added twice by mistake.
func (x *transaction) copy(ctx context.Context, f inspected) (string, error) {
	data, err := x.objects.Get(ctx, f.location, maxMoveBytes)
	if err != nil {
		return "", err
	}
	if int64(len(data)) != f.file.FileSizeBytes {
		return "", fmt.Errorf("%s: %w: it changes while it is read", f.location, errRefused)
	}
	digest := sha256.Sum256(data)
	stem := strings.TrimSuffix(path.Base(f.location), ".parquet")
	name := tree.Resolve(x.base.Location, "data/"+stem+"-"+hex.EncodeToString(digest[:8])+".parquet")
	err = x.objects.Put(ctx, name, data)
	if errors.Is(err, store.ErrExists) {
		return "", fmt.Errorf("%s: %w: a copy of it is in the table's folder already, %s", f.location, errRefused, name)
	}
	return name, err
}

// drop removes copies that no snapshot refers to.
func (x *transaction) drop(ctx context.Context, copies []string) {
	ctx, cancel := sysenv.Detach(ctx, cleanUpMillis)
	defer cancel()
	for _, name := range copies {
		if err := x.objects.Delete(ctx, name); err != nil {
			x.notice("%s: the copy could not be removed: %v", name, err)
		}
	}
}

// checkMovable refuses to move, and so to delete, a file that a retained snapshot refers to, or that lies in the
// table's own folder.
func (x *transaction) checkMovable(ctx context.Context, files []inspected) error {
	used, err := x.referenced(ctx, files)
	if err != nil {
		return err
	}
	var wrong problems
	for _, f := range files {
		switch {
		case used[f.location]:
			wrong = append(wrong, fmt.Errorf("%s: %w: a snapshot of the table refers to it, it cannot be moved", f.location, errRefused))
		case strings.HasPrefix(f.location, x.base.Location+"/"):
			wrong = append(wrong, fmt.Errorf("%s: %w: it is in the table's folder already, add it without --move", f.location, errRefused))
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	return nil
}
