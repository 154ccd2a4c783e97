//go:build mutate

package commit

import (
	"context"
	"slices"
	"strings"

	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/tree"
)

func init() { tamper.Register(slices.Concat(outcomeFaults, cleanUpFaults)...) }

// told is a fault of what a look after a swap makes of one outcome.
func told(name, says string, from, to Outcome) tamper.Fault {
	return tamper.At(seamSeen, name, says, func(x *proposal, s seen) seen {
		if s.outcome != from {
			return s
		}
		s.outcome, s.attempt = to, attempt{}
		if to == Committed {
			s.attempt = x.work.attempts[len(x.work.attempts)-1]
		}
		return s
	})
}

// later is a fault of the outcome that is told to who asks later.
func later(name, says string, from, to Outcome) tamper.Fault {
	return tamper.At(seamOutcome, name, says, func(_ *Table, o Outcome) Outcome {
		if o == from {
			return to
		}
		return o
	})
}

// outcomeFaults are faults of what writers are told.
var outcomeFaults = []tamper.Fault{
	told("unknown-told-as-committed", "A swap that was not answered counts as done.", Unknown, Committed),
	told("unknown-told-as-failed", "A swap that was not answered counts as failed.", Unknown, NotCommitted),
	told("committed-told-as-failed", "An error of a swap counts as failure although it landed.", Committed, NotCommitted),
	told("failed-told-as-committed", "A lost race is told as a success.", NotCommitted, Committed),
	later("later-unknown-as-failed", "Who asks later is told that a swap which may still land has failed.", Unknown, NotCommitted),
	later("later-unknown-as-committed", "Who asks later is told that a swap which may still land has landed.", Unknown, Committed),
	later("later-committed-as-failed", "Who asks later is told that a commit failed which landed.", Committed, NotCommitted),
	later("later-failed-as-committed", "Who asks later is told that a commit landed which lost its race.", NotCommitted, Committed),
}

// cleanedUp is a fault of what a commit removes after its end.
func cleanedUp(name, says string, change func(x *proposal, garbage []string) []string) tamper.Fault {
	return tamper.At(seamGarbage, name, says, func(x *proposal, garbage []string) []string { return change(x, slices.Clone(garbage)) })
}

// takes is a fault of a clean-up that removes objects of its own commit that are in use.
func takes(name, says, part string) tamper.Fault {
	return cleanedUp(name, says, func(x *proposal, garbage []string) []string {
		for _, object := range x.work.objects {
			if strings.Contains(object, part) && !slices.Contains(garbage, object) {
				garbage = append(garbage, object)
			}
		}
		return garbage
	})
}

// forgets is a fault of a clean-up that leaves objects of lost attempts behind.
func forgets(name, says, part string) tamper.Fault {
	return cleanedUp(name, says, func(_ *proposal, garbage []string) []string {
		return slices.DeleteFunc(garbage, func(object string) bool { return strings.Contains(object, part) })
	})
}

// cleanUpFaults are faults of what a commit removes.
var cleanUpFaults = []tamper.Fault{
	takes("clean-up-takes-leaves", "The clean-up after a commit removes its leaves.", "-m"),
	takes("clean-up-takes-root", "The clean-up after a commit removes its root.", "/snap-"),
	takes("clean-up-takes-metadata", "The clean-up after a commit removes its metadata file.", ".metadata.json"),
	forgets("clean-up-forgets-leaves", "The clean-up leaves the leaves of lost attempts behind.", "-m"),
	forgets("clean-up-forgets-roots", "The clean-up leaves the roots of lost attempts behind.", "/snap-"),
	forgets("clean-up-forgets-metadata", "The clean-up leaves the metadata files of lost attempts behind.", ".metadata.json"),
	forgets("clean-up-forgets-vectors", "The clean-up leaves the Puffin files of lost attempts behind.", ".puffin"),
	cleanedUp("clean-up-takes-parents-root", "The clean-up after a commit removes the root of the base.",
		func(x *proposal, garbage []string) []string {
			if x.base.Tree.Root != "" {
				garbage = append(garbage, x.base.Tree.Root)
			}
			return garbage
		}),
	cleanedUp("clean-up-takes-parents-leaves",
		"The clean-up after a commit removes the leaves of the base that it took out of the root.",
		func(x *proposal, garbage []string) []string {
			for _, e := range x.base.Tree.Rows {
				if e.Manifest.Valid {
					garbage = append(garbage, tree.Resolve(x.base.Location, e.Location))
				}
			}
			return garbage
		}),
	tamper.At(seamSeen, "clean-up-while-unknown", "What a commit wrote is removed while its swap may still land.",
		func(x *proposal, s seen) seen {
			if s.outcome == Unknown {
				x.delete(context.Background(), x.work.objects)
			}
			return s
		}),
	tamper.At(seamTrimmed, "trim-takes-too-much", "A table that removes old metadata files loses the one before too.",
		func(x *proposal, gone []string) []string {
			return append(slices.Clone(gone), x.base.MetadataLocation)
		}),
	tamper.At(seamTrimmed, "trim-forgets", "A table that removes old metadata files keeps those that fell out of its log.",
		func(*proposal, []string) []string { return nil }),
}
