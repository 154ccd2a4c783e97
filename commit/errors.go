package commit

import (
	"errors"
	"fmt"
	"strings"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/store"
)

// Rule names a rule of the rebase table: what happens to a change when another writer was faster.
type Rule string

// The rules that end a transaction. They stand in errors, so that callers and tests can tell them apart.
const (
	// RuleAddExists: a file to add was added by another writer.
	RuleAddExists Rule = "add-exists"
	// RuleAddSchema: the schema or the partition spec of a file to add is no longer the table's.
	RuleAddSchema Rule = "add-schema"
	// RuleRemoveGone: a file to remove was removed by another writer.
	RuleRemoveGone Rule = "remove-gone"
	// RuleRemoveDVRaced: the deletes of a file that was rewritten have changed since it was read; the new
	// files would bring deleted rows back.
	RuleRemoveDVRaced Rule = "remove-dv-raced"
	// RuleUndecided: another writer changed something that this version does not rebase on (F13).
	RuleUndecided Rule = "undecided"
)

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
	return fmt.Sprintf("commit: given up after %d attempts, more are allowed by the table property %s: %v (nothing was committed)",
		e.Attempts, propertyRetries, e.Err)
}

// Is makes the error match [ErrExhausted].
func (e *ExhaustedError) Is(target error) bool { return target == ErrExhausted }

// Unwrap returns the last cause.
func (e *ExhaustedError) Unwrap() error { return e.Err }

// UnknownError says that a swap was sent and that its outcome could not be learned. Nothing was deleted.
type UnknownError struct {
	// Token asks [Table.Outcome] later.
	Token Token
	// Objects are the objects that the transaction wrote.
	Objects []string
	// Err is the last cause.
	Err error
}

// Error implements error.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("commit: outcome of snapshot %d unknown: %v", e.Token.SnapshotID, e.Err)
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

func undecided(format string, args ...any) error {
	return &ConflictError{Rule: RuleUndecided, Reason: fmt.Sprintf(format, args...)}
}
