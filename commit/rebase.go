package commit

import (
	"context"
	"errors"
	"strconv"

	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// rebase moves the transaction from the base that it lost on to the state that another writer published. What
// the winner did to the files of the transaction shows when they are located there; here stands what must
// hold for the table as a whole.
func (x *Txn) rebase(ctx context.Context, from *Head, s seen) (*Head, error) {
	m := s.metadata
	if m.UUID != from.Metadata.UUID {
		return nil, undecided("the table was replaced by another one, %s", m.UUID)
	}
	if m.FormatVersion != from.Metadata.FormatVersion {
		return nil, undecided("the table was upgraded to format version %d", m.FormatVersion)
	}
	if location, err := treeio.TableLocation(m, x.table.options.Location); err != nil || location != from.Location {
		return nil, undecided("the table was moved to %q", location)
	}
	if !descends(m, from) {
		return nil, undecided("the table was rolled back or restored, its history does not contain snapshot %d",
			from.Tree.Origin.SnapshotID)
	}
	to, err := x.table.read(ctx, s.location, m)
	if err != nil {
		return nil, err
	}
	x.table.last = to
	return to, x.checkFit(from, to)
}

// descends reports whether the current snapshot of a base is an ancestor of the table's current one, or the same.
func descends(m metadata.Table, from *Head) bool {
	old := from.Metadata.CurrentSnapshotID
	if !old.Valid {
		return true
	}
	if !m.CurrentSnapshotID.Valid {
		return false
	}
	for s := range m.Ancestors(m.CurrentSnapshotID.Val) {
		if s.ID == old.Val || s.ParentID == old { // the base itself may have expired since
			return true
		}
	}
	return false
}

// checkFit refuses to add files under a schema or spec that they were not made for.
func (x *Txn) checkFit(from, to *Head) error {
	if len(x.adds) == 0 {
		return nil
	}
	if from.Metadata.CurrentSchemaID != to.Metadata.CurrentSchemaID {
		return &ConflictError{Rule: RuleAddSchema, Reason: "the schema of the table has changed since the files to add were described"}
	}
	for _, a := range x.adds {
		if err := validateSpec(to.Metadata, a.file); err != nil {
			return &ConflictError{Rule: RuleAddSchema, Location: a.location, Reason: err.Error()}
		}
	}
	return nil
}

// missing says what it means that a target is not live in a base.
func (x *Txn) missing(base *Head, t *target) error {
	if base == x.base {
		return refusef(t.location, "no live file of the table")
	}
	return &ConflictError{Rule: RuleRemoveGone, Location: t.location, Reason: "another writer removed it"}
}

// duplicate says what it means that a file to add is live in the base.
func (r *resolver) duplicate(located tree.Located) error {
	if r.base == r.Txn.base {
		return refusef(located.Location, "live in the table already, added by snapshot %d", located.Entry.Tracking.SnapshotID.Val)
	}
	return &ConflictError{Rule: RuleAddExists, Location: located.Location, Reason: "another writer added it"}
}

// The table properties that govern retries, those of other implementations.
const (
	propertyRetries = "commit.retry.num-retries"
	propertyMinWait = "commit.retry.min-wait-ms"
	propertyMaxWait = "commit.retry.max-wait-ms"
)

// pause waits before the next attempt, longer each time, spread at random between half and all of it. It ends
// the transaction when the catalog refused, the attempts are used up, or the caller's context has ended.
func (x *Txn) pause(ctx context.Context, attempts int, cause error) error {
	if errors.Is(cause, store.ErrRefused) {
		if ctx.Err() != nil {
			return &ExhaustedError{Attempts: attempts, Err: cause}
		}
		return &RefusedError{Reasons: []string{cause.Error()}, Err: cause}
	}
	if attempts >= x.options.MaxAttempts {
		return &ExhaustedError{Attempts: attempts, Err: cause}
	}
	properties := x.base.Metadata.Properties
	shortest := number(properties, propertyMinWait, 100)
	longest := max(shortest, number(properties, propertyMaxWait, 60_000))
	wait := longest
	if shift := attempts - 1; shift < 32 && shortest < longest>>shift {
		wait = shortest << shift
	}
	wait = wait/2 + int64(x.table.options.Env.Float64()*float64(wait-wait/2))
	if err := x.table.options.Env.Sleep(ctx, wait); err != nil {
		return &ExhaustedError{Attempts: attempts, Err: errors.Join(cause, err)}
	}
	return nil
}

func attemptsOf(properties map[string]string) int {
	return int(min(number(properties, propertyRetries, 4), 1000)) + 1
}

// maxNumber bounds numeric properties: more than thirty years of milliseconds.
const maxNumber = 1 << 40

// number reads a numeric property; one that is no number counts as absent.
func number(properties map[string]string, key string, otherwise int64) int64 {
	n, err := strconv.ParseInt(properties[key], 10, 64)
	if err != nil || n < 0 {
		return otherwise
	}
	return min(n, maxNumber)
}
