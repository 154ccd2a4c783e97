package sim

import "context"

// liveHash sums up the live files of all branches, with their deleted rows.
func (w *World) liveHash() string {
	h := newHash()
	for ref := range w.metadata.AllRefs() {
		h.add(ref.Name)
		m := w.models[ref.SnapshotID]
		if m.files == nil {
			continue
		}
		m.files.Scan(func(number int64, f file) bool {
			h.add(number)
			h.add(f.records)
			h.add(f.deleted)
			return true
		})
	}
	return h.String()
}

// Twin does the actions of a run again in another world: with another policy, other budgets, another codec or another
// catalog. Where no fault hits calls that depend on these (see [Config.HeadFaults]), and no program on what the
// policy made of the tree, the twins have the same FeedHash and LiveHash.
func Twin(ctx context.Context, t Trace, other func(*Config)) (Report, error) {
	other(&t.Config)
	return Replay(ctx, t, false, nil)
}
