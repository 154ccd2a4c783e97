//go:build !mutate

package commit

import (
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// overruled reports whether a commit goes on against its self-check: never.
func overruled([]invariants.Violation, error) bool { return false }

// withSnapshot returns the metadata of a table after a commit to the branch of base.
func withSnapshot(base *Head, s metadata.Snapshot) (metadata.Table, error) {
	return base.Metadata.WithSnapshot(s, base.Branch, tree.Relativize(base.Location, base.MetadataLocation))
}
