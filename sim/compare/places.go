package compare

import (
	"context"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/tree"
)

// places are where leaves hold the files of a table, as a scan would tell a writer. Without them each commit that removes or changes
// files would read the leaves that have them. Nobody asks where only files are added.
type places struct {
	// of are the files, by location, and read are the leaves that were read, by the location that the root has.
	of   map[string]*tree.Located
	read map[string]bool
}

// forget lets go of the place of a file that a commit takes out of its leaf.
func (p *places) forget(f *liveFile) { delete(p.of, f.location()) }

// target names a file, with its place if that is in a leaf. Those in the root every commit reads anyway.
func (p *places) target(f *liveFile) commit.Target {
	if l := p.of[f.location()]; l != nil {
		return commit.At(*l)
	}
	return commit.Target{Location: f.location()}
}

// find takes in the leaves that came since the last time.
func (p *places) find(ctx context.Context, t tree.Tree, leaves tree.LeafReader) error {
	if p.of == nil {
		p.of = make(map[string]*tree.Located)
	}
	read := make(map[string]bool)
	for _, e := range t.Rows {
		if !e.Content.IsManifest() || !e.Tracking.Status.Live() {
			continue
		}
		read[e.Location] = true
		if p.read[e.Location] {
			continue
		}
		for l, err := range tree.LiveIn(t.Origin, t.Pin(e), tree.Full, leaves.Leaf(ctx, t.Origin, e, tree.Full)) {
			if err != nil {
				return err
			}
			p.of[l.Location] = &l
		}
	}
	p.read = read
	return nil
}
