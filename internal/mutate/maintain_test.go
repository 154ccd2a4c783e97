//go:build mutate

package mutate_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/firn-io/firn/internal/world"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/oracle"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// do runs one command, of the world or of these tests.
func do(w *world.World, command string) string {
	verb, argument, _ := strings.Cut(command, " ")
	if verb[0] != '!' {
		return w.Do(command)
	}
	ctx := context.Background()
	_, text, _ := strings.Cut(argument, "=")
	n, _ := strconv.ParseInt(text, 10, 64) // 0 where there is none
	table := w.Table()
	err := putData(ctx, w)
	if verb == "!expire" {
		p := metadata.ExpiryPolicy{KeepLast: int(n)}
		p.OlderThanMillis.Val, p.OlderThanMillis.Valid = math.MaxInt64, true
		_, expireErr := maintain.Expire(ctx, table, maintain.ExpireOptions{Policy: p})
		err = errors.Join(err, expireErr)
	} else {
		o := maintain.OrphanOptions{Delete: true, Force: true}
		o.AgeMillis.Val, o.AgeMillis.Valid = n, true
		_, orphansErr := maintain.Orphans(ctx, table, o)
		err = errors.Join(err, orphansErr)
	}
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	if strings.HasPrefix(argument, "under-way") {
		return "" // nothing references the objects of a commit under way yet
	}
	return checkStorage(ctx, w) + checkTold(ctx, w)
}

// putData makes an object of each data file that a retained snapshot has.
func putData(ctx context.Context, w *world.World) error {
	table := w.Table()
	head, err := table.Head(ctx)
	if err != nil {
		return err
	}
	for _, s := range head.Metadata.Snapshots {
		t, err := table.Tree(ctx, head, s)
		if err != nil {
			return err
		}
		for l, err := range tree.Live(ctx, t, tree.Full, table.Leaves()) {
			if err != nil {
				return err
			}
			err := table.Objects().Put(ctx, l.Location, make([]byte, l.Entry.FileSizeBytes))
			if err != nil && !errors.Is(err, store.ErrExists) {
				return err
			}
		}
	}
	return nil
}

// checkStorage asks for all objects of the table, and for those that nothing reaches.
func checkStorage(ctx context.Context, w *world.World) string {
	table := w.Table()
	head, err := table.Head(ctx)
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	var out strings.Builder
	target := oracle.Target{Objects: table.Objects(), Metadata: head.MetadataLocation}
	for f, err := range oracle.Check(ctx, target, oracle.Options{History: true, Storage: true}) {
		if err != nil {
			return fmt.Sprintf("%serror: %v\n", &out, err)
		}
		if f.Fails(true) {
			fmt.Fprintf(&out, "%s: %s\n", f.Rule, f.Message)
		}
	}
	return out.String()
}

// checkTold asks for the data files that retained snapshots took out themselves, of which their change feeds tell.
func checkTold(ctx context.Context, w *world.World) string {
	table := w.Table()
	head, err := table.Head(ctx)
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	var out strings.Builder
	for _, s := range head.Metadata.Snapshots {
		t, err := table.Tree(ctx, head, s)
		if err != nil {
			return fmt.Sprintf("error: %v\n", err)
		}
		for _, name := range toldBy(ctx, w, t) {
			if _, err := table.Objects().Stat(ctx, name); err != nil {
				fmt.Fprintf(&out, "WRONG: change feed of snapshot %d: %v\n", s.ID, err)
			}
		}
	}
	return out.String()
}

// toldBy returns the data files that a snapshot took out, by its tombstones and delta bitmaps.
func toldBy(ctx context.Context, w *world.World, t tree.Tree) []string {
	var names []string
	for _, e := range t.Rows {
		own := e.Tracking.ModifiedSnapshotID.Val == t.Origin.SnapshotID
		switch {
		case !e.Manifest.Valid && !e.Tracking.Status.Live():
			names = append(names, tree.Resolve(t.Origin.TableLocation, e.Location))
		case e.Manifest.Valid && own:
			deleted, _ := mdv.Parse(e.Tracking.DeletedPositions) // a broken one is for the invariants to find
			for row, err := range w.Table().Leaves().Leaf(ctx, t.Origin, e, tree.Projection{}) {
				if err == nil && deleted.Contains(uint32(row.Position)) {
					names = append(names, tree.Resolve(t.Origin.TableLocation, row.Entry.Location))
				}
			}
		}
	}
	return names
}
