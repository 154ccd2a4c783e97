package sim

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/tree"
)

// commitStep is a commit with what its checks look at.
type commitStep struct {
	in     intent
	on     named
	s      metadata.Snapshot
	before tree.Tree
	after  tree.Tree
	got    []change
}

// limitsOf returns the limits that a commit is held to: those of the policy adaptive, if that is what planned it.
func (c commitStep) limitsOf() (adaptive.Policy, bool) {
	if c.in.program.Maintenance && !c.in.program.Own {
		return adaptive.Policy{}, false
	}
	p, err := choose.ForTable(c.on.Properties)
	a, is := p.(adaptive.Policy)
	if err != nil || !is {
		return adaptive.Policy{}, false
	}
	a.RootBytes = orDefault(a.RootBytes, adaptive.DefaultRootBytes)
	a.ForegroundBytes = orDefault(a.ForegroundBytes, adaptive.DefaultForegroundBytes)
	return a, true
}

// prices are those that a policy counts with where the table is this one, and how many times as much rows of roots may take.
func (c commitStep) prices(t tree.Tree) (prices policy.Prices, overrun float64) {
	kept := c.partitioned()
	var pointers []policy.Pointer
	for i := range t.Rows {
		if e := &t.Rows[i]; e.Content.IsManifest() && alive(e.Tracking.Status) {
			pointers = append(pointers, pointerOf(e, kept))
		}
	}
	return policy.Input{Prices: c.estimated(), Pointers: pointers, RootBytes: t.RootSizeBytes, RootRows: int64(len(t.Rows))}.Learned()
}

// pointerOf is what a policy knows of a pointer, as far as prices depend on it.
func pointerOf(e *tree.Entry, kept columnSet) policy.Pointer {
	return policy.Pointer{
		Entries: e.RecordCount, FileSizeBytes: e.FileSizeBytes, DVBytes: int64(len(e.Manifest.Val.DV)),
		Legacy: e.Manifest.Val.FormatVersion == 0, Thin: thin(e, kept),
	}
}

// thin reports whether a pointer has statistics of no other columns than those that every pointer keeps.
func thin(e *tree.Entry, kept columnSet) bool {
	return !slices.ContainsFunc(e.Stats, func(f tree.FieldStats) bool { return f.FieldID >= mostColumns || kept&(1<<f.FieldID) == 0 })
}

// estimated are the prices of a policy before it has learned any.
func (c commitStep) estimated() policy.Prices {
	columns := statsColumns(c.on.Schema())
	return policy.EstimatePrices(bits.OnesCount64(uint64(columns))).Thinned(bits.OnesCount64(uint64(columns & c.partitioned())))
}

// partitioned are the columns whose statistics every pointer keeps.
func (c commitStep) partitioned() columnSet {
	var set columnSet
	for _, id := range c.on.PartitionColumns() {
		if id < mostColumns {
			set |= 1 << id
		}
	}
	return set
}

// Largest are the largest things that a run wrote, in bytes.
type Largest struct {
	// RootBytes is the length of the largest root.
	RootBytes int64 `json:"root-bytes"`
	// RewrittenBytes is the most that a writer under the policy adaptive wrote of old leaves again, in the prices of the policy and
	// those commits apart that had to for the root's limit, which ForcedBytes and Forced are of: the most, and how many they were.
	RewrittenBytes int64 `json:"rewritten-bytes"`
	ForcedBytes    int64 `json:"forced-bytes"`
	Forced         int64 `json:"forced"`
	// Thinned counts the pointers that lost statistics so that a root kept its limit.
	Thinned int64 `json:"thinned"`
}

// compareLimits holds a commit that the policy adaptive planned to the policy's limits.
func (w *World) compareLimits(ctx context.Context, c commitStep) error {
	size, err := w.length(ctx, tree.Resolve(tableLocation, c.after.Root))
	if err != nil {
		return err
	}
	w.largest.RootBytes = max(w.largest.RootBytes, size)
	w.compareThinned(c)
	limits, limited := c.limitsOf()
	if !limited {
		return nil
	}
	w.compareRoot(c, size, limits)
	if c.in.program.Maintenance {
		return nil
	}
	return w.compareRewritten(ctx, c, limits)
}

// compareThinned holds carried pointers to the statistics that they must keep: those of the columns by which the table is partitioned, as
// long as it has these columns.
func (w *World) compareThinned(c commitStep) {
	kept := c.partitioned() & statsColumns(c.on.Schema())
	before := make(map[string]tree.Stats)
	for i := range c.before.Rows {
		if e := &c.before.Rows[i]; e.Content.IsManifest() {
			before[e.Location] = e.Stats
		}
	}
	for i := range c.after.Rows {
		e := &c.after.Rows[i]
		for _, f := range before[e.Location] {
			if _, still := e.Stats.Field(f.FieldID); !still && f.FieldID < mostColumns && kept&(1<<f.FieldID) != 0 {
				w.violate(Violation{Check: checkThinned, Snapshot: c.s.ID, Message: fmt.Sprintf(
					"the pointer to %s has lost the statistics of column %d, by which the table is partitioned", e.Location, f.FieldID)})
			}
		}
	}
}

// The prices of a policy may be wrong by a twentieth, and for small roots, where the columns that only pointers have weigh most, by as
// many bytes more (docs/policy.md).
const (
	mispriced      = 20
	mispricedBytes = 2048
)

// fewLeaves is how many leaves a plan that was to make the root small may leave: what it pushed, merged and buried.
const fewLeaves = 3

// compareRoot holds the length of a root to its limit, which the policy keeps by its prices. What cannot be made smaller is not too
// large: a root of few leaves alone; and of files that the commit took out of leaves it must tell there (rules 9.9), so that these do
// not count. A limit that a root without rows comes near is none. As long as leaves
// and the root have too few rows to learn prices from, the estimate alone is held to the limit.
func (w *World) compareRoot(c commitStep, size int64, limits adaptive.Policy) {
	limit := limits.RootBytes
	if limit/4*3 < c.estimated().RootFixedBytes {
		return
	}
	limit = max(limit, limit-limit/mispriced+(limit-limit/mispriced)/mispriced+mispricedBytes)
	if size <= limit {
		return
	}
	if prices, overrun := c.prices(c.before); prices.LooseBytes == c.estimated().LooseBytes && overrun == 1 {
		size = c.estimate(c.after, prices, false)
	}
	files, told, leaves := c.placed()
	rows := int64(len(c.after.Rows))
	if files == 0 && leaves <= fewLeaves || size*(rows-told)/rows <= limit {
		return
	}
	w.violate(Violation{Check: checkRoot, Snapshot: c.s.ID, Message: fmt.Sprintf(
		"the root takes %d bytes, at most %d are right, and it has %d leaves and %d files that could be in leaves", size, limit, leaves, files)})
}

// placed counts the rows of a new root: files and tombstones that could stand in leaves, tombstones of files that were in leaves, and
// leaves, without those that the commit masks: to write one of these again would only make more tombstones.
func (c commitStep) placed() (files, told, leaves int64) {
	loose := make(map[string]bool)
	for i := range c.before.Rows {
		loose[c.before.Rows[i].Location] = true
	}
	for i := range c.after.Rows {
		switch e := &c.after.Rows[i]; {
		case e.Content.IsManifest():
			if t := e.Tracking; len(t.DeletedPositions)+len(t.ReplacedPositions) == 0 {
				leaves++
			}
		case alive(e.Tracking.Status) || loose[e.Location]:
			files++
		default:
			told++
		}
	}
	return files, told, leaves
}

// length returns the length of a manifest as the engine was told, 0 if it is not known.
func (w *World) length(ctx context.Context, name string) (int64, error) {
	switch c := w.codec.(type) {
	case interface{ length(name string) int64 }:
		return c.length(name), nil
	case treeio.Parquet:
		info, err := w.objects.Stat(ctx, name)
		return info.SizeBytes, err
	}
	return 0, nil
}

// length returns the length of a manifest as the engine was told.
func (c *Codec) length(name string) int64 {
	if m, known := c.manifests[name]; known {
		return m.bytes
	}
	return 0
}

// compareRewritten holds the commit of a writer to what it may write of old leaves again, in the prices of the policy. Beyond it may
// only go who would else have had too large a root.
func (w *World) compareRewritten(ctx context.Context, c commitStep, limits adaptive.Policy) error {
	prices, overrun := c.prices(c.before)
	again, saved, err := w.rewritten(ctx, c, prices)
	bytes, root := again.bytes(prices), overrunning(c.estimate(c.after, prices, true)+saved, prices, overrun)+c.dearer(prices, overrun)
	switch {
	case err != nil:
		return err
	case bytes <= limits.ForegroundBytes:
		w.largest.RewrittenBytes = max(w.largest.RewrittenBytes, bytes)
	case root > limits.PlannedRootBytes() || w.mayHaveWritten(c, limits, again):
		if said, known := w.saidRoot[c.s.ID]; known && !said {
			w.violate(Violation{Check: checkForeground, Snapshot: c.s.ID, Message: fmt.Sprintf(
				"%d rows of old leaves were written again for the root, and the plan does not say so", again.rows())})
		}
		w.largest.ForcedBytes = max(w.largest.ForcedBytes, bytes)
		w.largest.Forced++
	default:
		w.violate(Violation{Check: checkForeground, Snapshot: c.s.ID, Message: fmt.Sprintf(
			"%d rows of old leaves were written again, %d bytes; a commit of a writer may write %d bytes, and without that the root has %d of %d bytes",
			again.rows(), bytes, limits.ForegroundBytes, root, limits.PlannedRootBytes())})
	}
	return nil
}

// saysRoot reports whether a plan names the root as the reason of a step that rewrites leaves.
func saysRoot(p policy.Plan) bool {
	return slices.ContainsFunc(p.Steps, func(s policy.Step) bool {
		return (s.Kind == policy.Merge || s.Kind == policy.Fold) && strings.Contains(s.Reason, "the root")
	})
}

// mayHaveWritten reports whether an earlier attempt of a commit may have written what the last one kept: on a state with lower prices,
// with other limits, or with a root near its limit. Of states that the table does not retain it may.
func (w *World) mayHaveWritten(c commitStep, limits adaptive.Policy, again rewrittenRows) bool {
	if c.in.began == c.on.name {
		return false
	}
	if c.in.limits != w.limits {
		return true
	}
	for id := c.before.Origin.SnapshotID; ; id = w.lineage.parents[id] {
		t, known := w.trees[id]
		if !known {
			return true
		}
		prices, overrun := c.prices(t)
		if again.bytes(prices) <= limits.ForegroundBytes || overrunning(c.estimate(t, prices, false), prices, overrun) > limits.RootBytes/4*3 {
			return true
		}
		if id == c.in.base {
			return false
		}
	}
}

// dearer is by how much more than by these prices the rows of the files that the commit brings may take: no less than is estimated.
func (c commitStep) dearer(prices policy.Prices, overrun float64) (bytes int64) {
	more := c.estimated().LooseBytes - int64(float64(prices.LooseBytes)*overrun)
	for _, one := range c.got {
		if one.after != nil {
			bytes += max(0, more)
		}
	}
	return bytes
}

// overrunning is an estimate of a root whose rows take more.
func overrunning(root int64, prices policy.Prices, overrun float64) int64 {
	return prices.RootFixedBytes + int64(float64(root-prices.RootFixedBytes)*overrun)
}

// estimate is what a root takes in the prices of the policy, or would if all live pointers were thin, but for new ones.
func (c commitStep) estimate(t tree.Tree, prices policy.Prices, allThin bool) int64 {
	size, kept := prices.RootFixedBytes, c.partitioned()
	for i := range t.Rows {
		e := &t.Rows[i]
		size += int64(len(e.Manifest.Val.DV) + len(e.Tracking.DeletedPositions) + len(e.Tracking.ReplacedPositions))
		if !e.Content.IsManifest() || !alive(e.Tracking.Status) {
			size += prices.LooseBytes
			continue
		}
		size += prices.Pointer(allThin && e.Tracking.Status != tree.Added || thin(e, kept))
	}
	return size
}

// rewrittenRows are rows that were written again, by the leaves that they were in.
type rewrittenRows []rewrittenLeaf

type rewrittenLeaf struct {
	leaf policy.Pointer
	rows int64
}

// bytes is what they take, as the policy says.
func (r rewrittenRows) bytes(prices policy.Prices) (bytes int64) {
	for _, one := range r {
		bytes += prices.RewrittenBytes(one.leaf, one.rows)
	}
	return bytes
}

func (r rewrittenRows) rows() (rows int64) {
	for _, one := range r {
		rows += one.rows
	}
	return rows
}

// rewritten finds the rows that were written again, of leaves that are in the root no more, without those that the commit changed, and
// what the pointers to these leaves took there.
func (w *World) rewritten(ctx context.Context, c commitStep, prices policy.Prices) (again rewrittenRows, saved int64, err error) {
	stays := make(map[string]bool)
	for i := range c.after.Rows {
		stays[c.after.Rows[i].Location] = true
	}
	changed := make(map[int64]bool)
	for _, one := range c.got {
		changed[one.number] = true
	}
	for i := range c.before.Rows {
		e := &c.before.Rows[i]
		if !e.Content.IsManifest() || !alive(e.Tracking.Status) || stays[e.Location] {
			continue
		}
		view, err := w.view(ctx, c.before, e)
		if err != nil {
			return nil, 0, err
		}
		masked, err := masks(e)
		if err != nil {
			return nil, 0, err
		}
		rows := int64(0)
		for at, r := range view.rows {
			if r.live && !masked.Contains(uint32(at)) && !changed[r.number] {
				rows++
			}
		}
		if rows > 0 {
			again = append(again, rewrittenLeaf{pointerOf(e, c.partitioned()), rows})
			saved += prices.Pointer(true) + int64(len(e.Manifest.Val.DV))
		}
	}
	return again, saved, nil
}
