package cli

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/apache/iceberg-go"
	"github.com/spf13/cobra"

	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/tree"
)

// statsFlags are the flags of firn stats.
type statsFlags struct {
	looseShare, maskedShare, rootBytes threshold
}

// statsCommand tells how a tree is (CL3).
func (a *app) statsCommand() *cobra.Command {
	f := statsFlags{looseShare: threshold{most: 1}, maskedShare: threshold{most: 1}, rootBytes: threshold{most: math.MaxInt64}}
	c := a.command(cobra.Command{
		Use:     "stats TABLE [SNAPSHOT] [--fail-loose-share S] [--fail-masked-share S] [--fail-root-bytes N]",
		Short:   "Tell how healthy the tree of a snapshot is",
		GroupID: groupRead,
		Long: `Tell how healthy the tree of a snapshot is: what the root and the leaves hold, how much of it is loose in the root or masked
in leaves, which deletes there are, how the root has grown over the last snapshots, and, of the current snapshot, what
firn maintain would do.

loose_share is the part of the live files that stand in the root, masked_share the part of the rows of leaves that live no
more, dead_bytes an estimate of what these take up in manifests. Every leaf is read, but no statistics of files.

A value above a threshold that a --fail flag gives makes the exit code 1.`,
		Example: "  firn stats demo.events\n  firn stats demo.events --fail-masked-share 0.3 --fail-root-bytes 8000000",
		Args:    words(1, 2),
	}, func(ctx context.Context, args []string) error { return a.stats(ctx, args, f) })
	flags := c.Flags()
	flags.Var(&f.looseShare, "fail-loose-share", "fail above this share of loose files, from 0 to 1")
	flags.Var(&f.maskedShare, "fail-masked-share", "fail above this share of masked rows, from 0 to 1")
	flags.Var(&f.rootBytes, "fail-root-bytes", "fail above this size of the root in bytes")
	return c
}

// threshold is a flag that takes a number from 0, or from 0 to most.
type threshold struct {
	most  float64
	given bool
	limit float64
}

// String implements the Value interface of the flag library.
func (t *threshold) String() string {
	if !t.given {
		return ""
	}
	return shortFloat(t.limit)
}

// Set implements the Value interface of the flag library.
func (t *threshold) Set(text string) error {
	limit, err := strconv.ParseFloat(text, 64)
	if err != nil || !(limit >= 0 && limit <= t.most) {
		return fmt.Errorf("a number from 0 to %s is needed", shortFloat(t.most))
	}
	t.given, t.limit = true, limit
	return nil
}

// Type implements the Value interface of the flag library.
func (t *threshold) Type() string { return "number" }

func (a *app) stats(ctx context.Context, args []string, f statsFlags) error {
	s, err := a.state(ctx, args)
	if err != nil {
		return err
	}
	h, err := healthOf(ctx, s)
	if err != nil {
		return hinted(ctx, s.table, err)
	}
	if err := a.printHealth(h); err != nil {
		return err
	}
	if h.unasked != nil {
		a.notice("what maintenance would do is not known: %v", h.unasked)
	}
	return a.judge(h, f)
}

// judge tells which thresholds are exceeded.
func (a *app) judge(h health, f statsFlags) error {
	failed := false
	for _, t := range []struct {
		threshold
		name  string
		value float64
	}{
		{f.looseShare, "loose_share", h.looseShare()},
		{f.maskedShare, "masked_share", h.maskedShare()},
		{f.rootBytes, "root_bytes", float64(h.rootBytes)},
	} {
		if t.given && t.value > t.limit {
			failed = true
			a.notice("%s is %s, more than %s", t.name, shortFloat(t.value), shortFloat(t.limit))
		}
	}
	if failed {
		return errFindings
	}
	return nil
}

// shortFloat writes a number with at most four digits after the point.
func shortFloat(f float64) string { return strconv.FormatFloat(math.Round(f*1e4)/1e4, 'f', -1, 64) }

// health is what firn stats tells of one snapshot.
type health struct {
	snapshot metadata.Snapshot
	// rootBytes and leafBytes are the sizes of manifests, deadBytes is estimated.
	rootBytes, leafBytes, deadBytes int64
	// rootRows are all rows of the root, tombstones those of removed and replaced files.
	rootRows, tombstones int
	// leaves are v4 manifests, legacy those of versions 1 to 3. leafRows are the rows of leaves, liveInLeaves those
	// that live.
	leaves, legacy         int
	leafRows, liveInLeaves int64
	loose                  int64
	records, dataBytes     int64
	// vectors are deletion vectors, deletedRows the rows that they delete, puffins the files that they stand in.
	vectors, deletedRows int64
	puffins              int
	// growth is told newest first.
	growth []grown
	// due is what maintenance would do; dueKnown says that it was asked, and unasked why it could not be.
	due      []string
	dueKnown bool
	unasked  error
}

func (h health) liveFiles() int64     { return h.loose + h.liveInLeaves }
func (h health) looseShare() float64  { return share(h.loose, h.liveFiles()) }
func (h health) maskedShare() float64 { return share(h.leafRows-h.liveInLeaves, h.leafRows) }

func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// healthOf reads the leaves of a tree and looks at the history behind it.
func healthOf(ctx context.Context, s state) (health, error) {
	h := health{snapshot: s.snapshot, rootRows: len(s.tree.Rows)}
	if err := h.walk(ctx, s); err != nil {
		return h, err
	}
	if err := h.look(ctx, s); err != nil {
		return h, err
	}
	if s.metadata.FormatVersion != metadata.FormatVersion || s.snapshot.ID != s.metadata.CurrentSnapshotID.Val {
		return h, nil
	}
	if _, h.unasked = choose.ForTable(s.metadata.Properties); h.unasked != nil {
		return h, nil // what another engine has set stops no reader (F36)
	}
	result, err := maintain.Maintain(ctx, openTable(s.table), maintain.MaintainOptions{DryRun: true})
	if err != nil {
		return h, err
	}
	h.dueKnown, h.due = true, result.Plan.Deferred
	for _, step := range result.Plan.Steps {
		h.due = append(h.due, fmt.Sprintf("%s of %s: %s", step.Kind, count(len(step.Members), "member", "members"), step.Reason))
	}
	return h, nil
}

// walk counts what is in the root and in the leaves.
func (h *health) walk(ctx context.Context, s state) error {
	live := make(map[string]int64)
	puffins := make(map[string]bool)
	for f, err := range tree.Live(ctx, s.tree, tree.Projection{File: true}, s.leaves) {
		if err != nil {
			return err
		}
		live[f.Manifest]++
		h.records += f.Entry.RecordCount
		h.dataBytes += f.Entry.FileSizeBytes
		if v := f.Entry.DeletionVector; v.Valid {
			h.vectors++
			h.deletedRows += v.Val.Cardinality
			puffins[tree.Resolve(s.tree.Origin.TableLocation, v.Val.Location)] = true
		}
	}
	h.puffins, h.loose = len(puffins), live[""]
	dead := 0.0
	for _, row := range s.tree.Rows {
		switch {
		case !row.Content.IsManifest() && !row.Tracking.Status.Live():
			h.tombstones++
		case !row.Content.IsManifest() || !row.Tracking.Status.Live():
		case !row.Manifest.Valid || row.Manifest.Val.FormatVersion == 0:
			h.legacy++
		default:
			living := live[tree.Resolve(s.tree.Origin.TableLocation, row.Location)]
			h.leaves++
			h.leafRows += row.RecordCount
			h.liveInLeaves += living
			h.leafBytes += row.FileSizeBytes
			dead += float64(row.FileSizeBytes) * share(row.RecordCount-living, row.RecordCount)
		}
	}
	h.deadBytes = int64(dead)
	return nil
}

// grown is what one snapshot of the history says of the size of the table.
type grown struct {
	snapshot  metadata.Snapshot
	rootBytes iceberg.Optional[int64]
}

// growthSnapshots is over how many snapshots the growth is told.
const growthSnapshots = 10

// look asks for the sizes of the roots of the last snapshots.
func (h *health) look(ctx context.Context, s state) error {
	if s.snapshot.ID == 0 {
		return nil
	}
	for snapshot := range s.metadata.Ancestors(s.snapshot.ID) {
		if len(h.growth) == growthSnapshots {
			break
		}
		g := grown{snapshot: snapshot}
		if snapshot.RootManifest.Valid {
			info, err := s.table.Objects.Stat(ctx, tree.Resolve(s.tree.Origin.TableLocation, snapshot.RootManifest.Val))
			if err != nil {
				return err
			}
			g.rootBytes = iceberg.Optional[int64]{Val: info.SizeBytes, Valid: true}
		}
		h.growth = append(h.growth, g)
	}
	if len(h.growth) > 0 {
		h.rootBytes = h.growth[0].rootBytes.Val
		h.deadBytes += int64(float64(h.rootBytes) * share(int64(h.tombstones), int64(h.rootRows)))
	}
	return nil
}
