package compare

import (
	"context"
	"fmt"
	"slices"

	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/policy/mergeappend"
)

// Peer is a table that another format keeps.
type Peer interface {
	// Append adds files in a commit.
	Append(files int64) PeerCost
}

// PeerCost is what an append wrote, and what the table is like after it.
type PeerCost struct {
	// ListBytes are those of the list of manifests, which stands for the root, and ManifestBytes those of the new manifests.
	ListBytes, ManifestBytes int64
	// Objects are all objects that were written but the metadata file; Merged are the manifests that became part of others.
	Objects, Merged int
	// Manifests are those of the table, and LiveBytes their bytes.
	Manifests, LiveBytes int64
}

// peers are those that can be chosen by name.
var peers = map[string]func(columns int) Peer{
	mergeappend.Name: func(columns int) Peer { return &version3{mergeappend.Table{Sizes: mergeappend.Estimate(columns)}} },
	mergeappend.FastName: func(columns int) Peer {
		return &version3{mergeappend.Table{Sizes: mergeappend.Estimate(columns), Fast: true}}
	},
}

// PeerNames lists the peers.
func PeerNames() []string {
	var names []string
	for name := range peers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// version3 is a table of format version 3.
type version3 struct{ table mergeappend.Table }

// Append implements [Peer].
func (v *version3) Append(files int64) PeerCost {
	c := v.table.Append(files)
	return PeerCost{
		ListBytes: c.ListBytes, ManifestBytes: c.ManifestBytes, Objects: c.Objects, Merged: c.Merged,
		Manifests: int64(v.table.Manifests()), LiveBytes: v.table.LiveBytes(),
	}
}

// peerTable is a table that a peer keeps. What its manifests say of their files is not known: each scan opens all of them.
type peerTable struct {
	peer  Peer
	last  PeerCost
	files int64
}

func (p *peerTable) apply(_ context.Context, c count.Change, see func(written)) error {
	if c.Removed+c.Modified > 0 {
		return fmt.Errorf("only appends are known, not %d files that are removed and %d that are modified", c.Removed, c.Modified)
	}
	p.last = p.peer.Append(c.Added)
	p.files += c.Added
	w := written{root: p.last.ListBytes, fresh: p.last.ManifestBytes, leaves: max(0, p.last.Objects-1), read: p.last.Merged}
	if w.pushed = w.leaves; p.last.Merged > 0 {
		w.merged, w.pushed = w.leaves, 0
	}
	see(w)
	return nil
}

func (p *peerTable) size() (files, leaves, leafBytes int64) {
	return p.files, p.last.Manifests, p.last.LiveBytes
}

func (p *peerTable) layout(context.Context) (layout, error) {
	l := layout{partitions: 1, commits: 1}
	for range p.last.Manifests {
		l.pointers = append(l.pointers, pointerOf(count.Leaf{Rows: 1, Bytes: p.last.LiveBytes / p.last.Manifests, First: 1, Last: 1}))
	}
	return l, nil
}
