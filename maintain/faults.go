//go:build mutate

package maintain

import (
	"slices"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

func init() { tamper.Register(cleanUpFaults...) }

// unkept is a fault of a clean-up that takes a kind of objects for unreached.
func unkept(kind Kind, name, says string) tamper.Fault {
	return tamper.At(seamKept, name, says, func(_ *sweep, o Object) Object {
		if o.Kind == kind {
			o.Location = ""
		}
		return o
	})
}

// left is a fault of a clean-up that forgets a kind of objects.
func left(kind Kind, name, says string) tamper.Fault {
	return tamper.At(seamUnreached, name, says, func(_ *sweep, all []*candidate) []*candidate {
		return slices.DeleteFunc(slices.Clone(all), func(c *candidate) bool { return c.Kind == kind })
	})
}

// retained is a fault of a clean-up that keeps what only some of the snapshots reach.
func retained(name, says string, keeps func(head *commit.Head, s metadata.Snapshot) bool) tamper.Fault {
	return tamper.At(seamRetained, name, says, func(head *commit.Head, all []metadata.Snapshot) []metadata.Snapshot {
		return slices.DeleteFunc(slices.Clone(all), func(s metadata.Snapshot) bool { return !keeps(head, s) })
	})
}

// cleanUpFaults are faults of expiry and of the search for orphans.
var cleanUpFaults = []tamper.Fault{
	unkept(DataFile, "expiry-takes-data", "An expiry deletes data files that a retained snapshot still has."),
	unkept(PuffinFile, "expiry-takes-vectors", "An expiry deletes deletion vectors that a retained snapshot still has."),
	unkept(LeafManifest, "expiry-takes-leaves", "An expiry deletes leaves that a retained snapshot still has."),
	unkept(RootManifest, "orphans-take-roots", "A search for orphans deletes roots of retained snapshots."),
	unkept(MetadataFile, "orphans-take-metadata", "A search for orphans deletes metadata files of the log, and the current one."),
	left(DataFile, "expiry-forgets-data", "An expiry leaves data files of expired snapshots behind."),
	left(PuffinFile, "expiry-forgets-vectors", "An expiry leaves deletion vectors of expired snapshots behind."),
	left(LeafManifest, "expiry-forgets-leaves", "An expiry leaves leaves of expired snapshots behind."),
	left(RootManifest, "expiry-forgets-roots", "An expiry leaves roots of expired snapshots behind."),
	retained("expiry-keeps-current-alone", "An expiry keeps only what the current snapshot reaches.",
		func(head *commit.Head, s metadata.Snapshot) bool {
			return head.Metadata.CurrentSnapshotID == id(s.ID)
		}),
	retained("expiry-forgets-branches", "An expiry keeps only what the branch main reaches.",
		func(head *commit.Head, s metadata.Snapshot) bool {
			for ancestor := range head.Metadata.Ancestors(head.Metadata.CurrentSnapshotID.Val) {
				if ancestor.ID == s.ID {
					return true
				}
			}
			return false
		}),
	tamper.At(seamUse, "expiry-forgets-told",
		"An expiry deletes the files that a retained snapshot removed, of which its change feed tells.",
		func(_ tree.Entry, u leafUse) leafUse {
			u.told = mdv.Bitmap{}
			return u
		}),
	tamper.At(seamUse, "expiry-joins-masks", "What one retained snapshot masks counts as gone in all of them.",
		func(row tree.Entry, u leafUse) leafUse {
			if own, err := bitmap("manifest_info.dv", row.Manifest.Val.DV); err == nil {
				u.masked = u.masked.Union(own)
			}
			return u
		}),
	tamper.At(seamOlder, "orphans-take-young", "A search for orphans deletes what a commit under way has written.",
		func(*listing, bool) bool { return true }),
}
