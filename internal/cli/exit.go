package cli

import (
	"context"
	"errors"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/datafile"
	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/oracle"
	"github.com/firn-io/firn/sim"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// The exit codes. Scripts depend on them.
const (
	exitDone         = 0
	exitFindings     = 1
	exitUsage        = 2
	exitNotCommitted = 3
	exitUnknown      = 4
	exitCorrupt      = 5
	exitEnvironment  = 6
	exitInterrupted  = 130
)

// errFindings ends a check that found something: the findings are printed already.
var errFindings = errors.New("findings")

// Kinds of errors of this package.
var (
	// errRefused says that a change was refused before anything was written.
	errRefused = errors.New("refused")
	// errOutcome says that a table may or may not have been created.
	errOutcome = errors.New("it is not known whether the table was created")
	// errMalformed says that an argument or a file is not what it should be.
	errMalformed = errors.New("malformed")
)

// problems are several errors at once, of which none was worth stopping for.
type problems []error

// Error implements error.
func (p problems) Error() string { return errors.Join(p...).Error() }

// Unwrap returns all of them.
func (p problems) Unwrap() []error { return p }

// exitCode returns the code that an error stands for. Of several problems the one decides that says least about
// the others: what could not be looked at may be corrupt, and what is corrupt cannot be judged.
func exitCode(ctx context.Context, err error) int {
	var several problems
	if errors.As(err, &several) {
		highest := exitDone
		for _, one := range several {
			highest = max(highest, exitCode(ctx, one))
		}
		return highest
	}
	code := codeOf(err)
	interrupted := errors.Is(err, context.Canceled) || ctx.Err() != nil && code == exitEnvironment
	if interrupted && code != exitUnknown {
		return exitInterrupted
	}
	return code
}

// codeOf classifies one error. What nobody claims is the environment's: a disk, a network, a permission.
func codeOf(err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errFindings):
		return exitFindings
	case isAny[*target.UsageError](err), isAny[*metadata.AmbiguousError](err):
		return exitUsage
	case errors.Is(err, commit.ErrUnknown), errors.Is(err, errOutcome):
		return exitUnknown
	case isCorrupt(err):
		return exitCorrupt
	case errors.Is(err, store.ErrRefused):
		return exitEnvironment
	case isNotCommitted(err):
		return exitNotCommitted
	}
	return exitEnvironment
}

// isNotCommitted reports whether a change was understood and did not happen.
func isNotCommitted(err error) bool {
	for _, kind := range []error{
		commit.ErrConflict, commit.ErrRefused, commit.ErrSelfCheck, commit.ErrExhausted, store.ErrConflict,
		errRefused,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return isAny[*datafile.SchemaMismatchError](err) || isAny[*datafile.PartitionError](err)
}

// isCorrupt reports whether the input cannot be read for what it holds.
func isCorrupt(err error) bool {
	for _, kind := range []error{
		manifestio.ErrCorrupt, manifestio.ErrLimit, datafile.ErrCorrupt, datafile.ErrUnsupported, datafile.ErrLimit,
		treeio.ErrLegacy, dv.ErrEncrypted, store.ErrTooLarge, oracle.ErrFile, errMalformed,
		sim.ErrDiverged,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return isAny[*metadata.ParseError](err) || isAny[*tree.CorruptError](err) || isAny[*tree.DuplicateError](err) ||
		isAny[*mdv.ParseError](err) || isAny[*dv.FaultError](err)
}

// isAny reports whether an error of the type stands in the chain.
func isAny[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}
