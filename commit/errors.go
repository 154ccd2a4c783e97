package commit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/store"
)

// Rule names a rule of the rebase table: what becomes of a change when another writer was faster. docs/commit.md has
// the table. Some rules end the transaction and stand in its error, the others let it go on and stand in
// [Result.Events].
type Rule string

// The rules for files to add.
const (
	// RuleAddReplan: the policy plans again for the new state; leaves that were written are kept.
	RuleAddReplan Rule = "add-replan"
	// RuleAddExists: a file to add was added by another writer.
	RuleAddExists Rule = "add-exists"
	// RuleAddSchema: a file to add does not fit the schema or the partition specs that the table has now.
	RuleAddSchema Rule = "add-schema"
)

// The rules for files to remove or to change.
const (
	// RuleTargetMoved: another writer moved the file's entry; it was found again.
	RuleTargetMoved Rule = "target-moved"
	// RuleRemoveGone: a file to remove was removed by another writer.
	RuleRemoveGone Rule = "remove-gone"
	// RuleRemoveDVKept: the deletes of a file to remove have changed, which does not matter.
	RuleRemoveDVKept Rule = "remove-dv-kept"
	// RuleRemoveDVRaced: the deletes of a file that was rewritten have changed since it was read; the new
	// files would bring deleted rows back.
	RuleRemoveDVRaced Rule = "remove-dv-raced"
	// RuleDVGone: a file whose rows were to be deleted was removed by another writer.
	RuleDVGone Rule = "dv-gone"
	// RuleDVRaced: another writer changed the deletion vector too. It ends the transaction unless
	// [DVOptions.MergeRaced] lets both go together.
	RuleDVRaced Rule = "dv-raced"
	// RuleDVFull: a deletion vector covers the whole file, which is removed under the rules of deletion vectors.
	RuleDVFull Rule = "dv-full"
	// RuleDVRefreshed: another writer refreshed the file's statistics; the deletion vector goes to the new entry.
	RuleDVRefreshed Rule = "dv-refreshed"
	// RuleRefreshDropped: another writer removed the file or changed its deletes, so its statistics are left alone.
	RuleRefreshDropped Rule = "refresh-dropped"
)

// The rules for leaves, snapshots and filters.
const (
	// RuleRewriteMasked: another writer masked rows of a leaf that was rewritten; they are masked in the new leaf.
	RuleRewriteMasked Rule = "rewrite-masked"
	// RuleRewriteLost: another writer rewrote or emptied the leaf; this rewrite is dropped.
	RuleRewriteLost Rule = "rewrite-lost"
	// RuleRestoreGone: another writer expired the snapshot to restore.
	RuleRestoreGone Rule = "restore-gone"
	// RuleFilterRaced: another writer added a file that the transaction's filter may match, or let expire what it matched.
	RuleFilterRaced Rule = "filter-raced"
)

// The rules for the table as a whole.
const (
	// RuleUpdateRaced: a change of the metadata cannot be made to the metadata that another writer published.
	RuleUpdateRaced Rule = "update-raced"
	// RuleBranchGone: another writer dropped the branch.
	RuleBranchGone Rule = "branch-gone"
	// RuleBranchMoved: the branch was moved to a snapshot that does not descend from the one that was read.
	RuleBranchMoved Rule = "branch-moved"
	// RuleTableDropped: the catalog has no such table any more.
	RuleTableDropped Rule = "table-dropped"
	// RuleTableReplaced: the catalog has another table under the name.
	RuleTableReplaced Rule = "table-replaced"
	// RuleTableUpgraded: the table has another format version now.
	RuleTableUpgraded Rule = "table-upgraded"
	// RuleTableMoved: the table has another location now.
	RuleTableMoved Rule = "table-moved"
)

// Rules returns all rules, in the order of the documentation.
func Rules() []Rule {
	return []Rule{
		RuleAddReplan, RuleAddExists, RuleAddSchema,
		RuleTargetMoved, RuleRemoveGone, RuleRemoveDVKept, RuleRemoveDVRaced,
		RuleDVGone, RuleDVRaced, RuleDVFull, RuleDVRefreshed, RuleRefreshDropped,
		RuleRewriteMasked, RuleRewriteLost, RuleRestoreGone, RuleFilterRaced,
		RuleUpdateRaced, RuleBranchGone, RuleBranchMoved,
		RuleTableDropped, RuleTableReplaced, RuleTableUpgraded, RuleTableMoved,
	}
}

// Sentinels for [errors.Is]. Each asks for another action of the caller.
var (
	// ErrConflict: begin again from the current state of the table, and decide anew what should change.
	ErrConflict = errors.New("conflict with another writer")
	// ErrRefused: the change itself is wrong, or the catalog refused it; the reason says which.
	ErrRefused = errors.New("change refused")
	// ErrSelfCheck: the engine was about to break a rule of the format. Report it; the table is unchanged.
	ErrSelfCheck = errors.New("self-check failed")
	// ErrExhausted: nothing speaks against the change; it may be tried again as it is.
	ErrExhausted = errors.New("retries exhausted")
	// ErrUnknown: the change may have happened or may still happen. Ask [Table.Outcome] before trying again.
	ErrUnknown = errors.New("outcome unknown")
)

// ConflictError says that another writer's commit rules this one out. Nothing was committed.
type ConflictError struct {
	Rule Rule
	// Location is the file concerned, or empty.
	Location string
	// Reason says what happened.
	Reason string
}

// Error implements error.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("commit: %s: %s%s (nothing was committed)", e.Rule, location(e.Location), e.Reason)
}

// Is makes the error match [ErrConflict].
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// RefusedError says that the change cannot be made to this table. Nothing was committed.
type RefusedError struct {
	// Location is the file concerned, or empty.
	Location string
	// Reasons lists everything that is wrong.
	Reasons []string
	// Err is the cause, if there is one.
	Err error
}

// Error implements error.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("commit: refused: %s%s (nothing was committed)", location(e.Location), strings.Join(e.Reasons, "; "))
}

// Is makes the error match [ErrRefused].
func (e *RefusedError) Is(target error) bool { return target == ErrRefused }

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

// SelfCheckError says that the new tree broke invariants. Nothing was committed (F17).
type SelfCheckError struct {
	Violations []invariants.Violation
}

// Error implements error.
func (e *SelfCheckError) Error() string {
	return fmt.Sprintf("commit: self-check failed, violations: %d, the first is %s (nothing was committed)",
		len(e.Violations), e.Violations[0].Message())
}

// Is makes the error match [ErrSelfCheck].
func (e *SelfCheckError) Is(target error) bool { return target == ErrSelfCheck }

// ExhaustedError says that every attempt lost its race, or that the caller's context ended between two attempts.
// Nothing was committed.
type ExhaustedError struct {
	Attempts int
	// Err is the last cause.
	Err error
}

// Error implements error.
func (e *ExhaustedError) Error() string {
	if errors.Is(e.Err, context.Canceled) || errors.Is(e.Err, context.DeadlineExceeded) {
		return fmt.Sprintf("commit: given up after %d attempts, for the time was over: %v (nothing was committed)", e.Attempts, e.Err)
	}
	return fmt.Sprintf("commit: given up after %d attempts, more are allowed by the table properties %s and %s: %v (nothing was committed)",
		e.Attempts, propertyRetries, propertyTimeout, e.Err)
}

// Is makes the error match [ErrExhausted].
func (e *ExhaustedError) Is(target error) bool { return target == ErrExhausted }

// Unwrap returns the last cause.
func (e *ExhaustedError) Unwrap() error { return e.Err }

// UnknownError says that a swap was sent and that its outcome could not be learned. Nothing was deleted.
type UnknownError struct {
	// Rule says what another writer did, where that is why nothing can be told; else empty.
	Rule Rule
	// Token asks [Table.Outcome] later.
	Token Token
	// Objects are the objects that the transaction wrote.
	Objects []string
	// Err is the last cause.
	Err error
}

// Error implements error.
func (e *UnknownError) Error() string {
	why := ""
	if e.Rule != "" {
		why = string(e.Rule) + ": "
	}
	what := "the metadata update"
	if e.Token.SnapshotID != 0 {
		what = fmt.Sprintf("snapshot %d", e.Token.SnapshotID)
	}
	return fmt.Sprintf("commit: outcome of %s unknown: %s%v", what, why, e.Err)
}

// Is makes the error match [ErrUnknown].
func (e *UnknownError) Is(target error) bool { return target == ErrUnknown }

// Unwrap returns the last cause.
func (e *UnknownError) Unwrap() error { return e.Err }

// notWritten keeps the doubt about one object, which nothing names yet, from being taken for doubt about the table.
func notWritten(err error) error {
	if errors.Is(err, store.ErrUnknown) {
		return errors.New(err.Error())
	}
	return err
}

func location(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}

func refusef(name, format string, args ...any) error {
	return &RefusedError{Location: name, Reasons: []string{fmt.Sprintf(format, args...)}}
}

// conflictf returns the conflict of a rule. A build with the tag mutate can switch a rule off; then there is none.
func conflictf(rule Rule, name, format string, args ...any) error {
	if !tamper.Enforced(rule) {
		return nil
	}
	return &ConflictError{Rule: rule, Location: name, Reason: fmt.Sprintf(format, args...)}
}
