package commit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
)

// rebase moves the proposal from the base that it lost on to the state that another writer published. What
// the winner did to the files of a transaction shows when they are located there; here stands what must
// hold for the table as a whole (F13).
func (x *proposal) rebase(ctx context.Context, change proposed, from *Head, s seen) (*Head, error) {
	if err := x.sameTable(from, s); err != nil {
		return nil, err
	}
	return change.next(ctx, from, s)
}

// sameTable refuses to go on with a table that is not the one of the base. A look that read nothing says nothing.
func (x *proposal) sameTable(from *Head, s seen) error {
	m := s.metadata
	location, err := treeio.TableLocation(m, x.table.options.Location)
	switch {
	case m.FormatVersion == 0:
		return nil
	case m.UUID != from.Metadata.UUID:
		return conflictf(RuleTableReplaced, "", "the table was replaced by another one, %s", m.UUID)
	case m.FormatVersion != from.Metadata.FormatVersion:
		return conflictf(RuleTableUpgraded, "", "the table has format version %d now", m.FormatVersion)
	case err != nil || location != from.Location:
		return conflictf(RuleTableMoved, "", "the table was moved to %q", location)
	}
	return nil
}

// descends refuses a branch whose snapshot is not a descendant of the base's, nor the same. Where the base has expired
// since, with all that came between it and what is retained of the line, nothing speaks against it (F31), unless it is one
// of the bases before, which the transaction has moved on from.
func descends(earlier []int64, from, to *Head) error {
	old := from.Tree.Origin.SnapshotID
	if old == 0 {
		return nil
	}
	line := make(map[int64]bool)
	var oldest metadata.Snapshot
	for s := range to.Metadata.Ancestors(to.Tree.Origin.SnapshotID) {
		if s.ID == old || s.ParentID == some(old) {
			return nil
		}
		line[s.ID], oldest = true, s
	}
	expired := oldest.ParentID.Valid && oldest.SequenceNumber > from.Tree.SequenceNumber
	for _, id := range append([]int64{old}, earlier...) {
		if _, retained := to.Metadata.Snapshot(id); !expired || retained && !line[id] {
			return conflictf(RuleBranchMoved, "", "the branch %q was rolled back or moved, its history does not contain snapshot %d",
				from.Branch, id)
		}
	}
	return nil
}

// checkFit refuses to add files that do not fit the schema and the specs that the table has now (F23).
func (x *Txn) checkFit(from, to *Head) error {
	if len(x.adds) == 0 {
		return nil
	}
	fields, err := to.Metadata.UnionPartitionFields()
	if err != nil {
		return err
	}
	for _, a := range x.adds {
		err := cmp.Or(lacksColumns(from.Metadata.Schema(), to.Metadata.Schema(), a.file.Location),
			validateSpec(to.Metadata, a.file), validateValues(to.Metadata.Schema(), fields, a.file))
		if err != nil {
			return conflictf(RuleAddSchema, a.location, "%s", strings.TrimPrefix(err.Error(), a.file.Location+": "))
		}
	}
	return nil
}

// lacksColumns reports a required column of a new schema that files of the old one do not have, or have as an optional
// one, and that no default fills.
func lacksColumns(old, now *iceberg.Schema, name string) error {
	for _, column := range now.Fields() {
		before, known := old.FindFieldByID(column.ID)
		switch {
		case !column.Required || column.InitialDefault != nil:
		case !known:
			return fmt.Errorf("%s: the schema has a new required column %q", name, column.Name)
		case !before.Required:
			return fmt.Errorf("%s: the column %q has become required", name, column.Name)
		}
	}
	return nil
}

// The table properties that govern retries, those of other implementations.
const (
	propertyRetries = "commit.retry.num-retries"
	propertyMinWait = "commit.retry.min-wait-ms"
	propertyMaxWait = "commit.retry.max-wait-ms"
	propertyTimeout = "commit.retry.total-timeout-ms"
)

// pause waits before the next attempt, longer each time, spread at random between half and all of it. It ends
// the transaction when the catalog refused, the attempts are used up, or the caller's context has ended.
func (x *proposal) pause(ctx context.Context, attempts int, cause error) error {
	if errors.Is(cause, store.ErrRefused) {
		if ctx.Err() != nil {
			return &ExhaustedError{Attempts: attempts, Err: cause}
		}
		return &RefusedError{Reasons: []string{cause.Error()}, Err: cause}
	}
	properties := x.base.Metadata.Properties
	spent := x.table.options.Env.NowMillis() - x.work.beganMillis
	if attempts >= x.maxAttempts || spent >= number(properties, propertyTimeout, 1_800_000) {
		return &ExhaustedError{Attempts: attempts, Err: cause}
	}
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
