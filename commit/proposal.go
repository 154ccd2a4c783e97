package commit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// proposal is what a transaction and an update of the metadata have in common: the state that they began on, and the
// loop of attempts to put another one in its place.
type proposal struct {
	table       *Table
	base        *Head
	maxAttempts int
	begun       bool
	work        work
}

// proposed is the change of a proposal.
type proposed interface {
	// prepare makes and writes the new state, up to the swap.
	prepare(ctx context.Context, base *Head) (candidate, error)
	// next returns, after a lost race, the winner's state, or says why the change cannot be made to it any more.
	next(ctx context.Context, from *Head, s seen) (*Head, error)
}

// winner is the attempt that was committed; the zero winner is none.
type winner struct {
	candidate
	sequenceNumber int64
}

// candidates are the attempts so far by their metadata files.
type candidates map[string]candidate

// winner returns the attempt that a look found committed, without its state: others may have committed since.
func (c candidates) winner(s seen) winner {
	won := winner{c[s.attempt.metadata], s.sequenceNumber}
	if won.head != nil {
		won.sequenceNumber = won.head.Tree.SequenceNumber
	}
	won.head = nil
	return won
}

// publish makes attempts until one is committed or the proposal has failed, and cleans up.
func (x *proposal) publish(ctx context.Context, change proposed) (Result, error) {
	won, err := x.run(ctx, change)
	if errors.Is(err, ErrUnknown) {
		return Result{}, err
	}
	var leftover []string
	if err != nil || won.noOp || won.attempt != (attempt{}) { // else it is not known what the table refers to
		leftover = x.cleanUp(ctx, won)
	}
	if err != nil {
		return Result{}, err
	}
	if won.head != nil {
		leftover = append(leftover, x.trimMetadata(ctx, won.candidate)...)
		if won.head.Branch != "" {
			x.table.remember(won.head)
		}
	}
	r := Result{
		SnapshotID: x.work.snapshotID, SequenceNumber: won.sequenceNumber,
		MetadataLocation: won.attempt.metadata, RootLocation: won.attempt.root,
		NoOp: won.noOp, Attempts: len(x.work.attempts),
		LeavesWritten: len(x.work.leaves), RootsWritten: x.work.roots(), VectorsWritten: len(x.work.vectors),
		LeavesOpened: x.work.leavesOpened, BytesWritten: x.work.bytesWritten,
		Plan: won.plan, Events: x.work.events, Warnings: x.work.warnings, Leftover: leftover,
	}
	if won.noOp {
		r.SnapshotID = 0
	}
	return r, nil
}

// run makes attempts until one is committed or the proposal has failed.
func (x *proposal) run(ctx context.Context, change proposed) (winner, error) {
	base := x.base
	pending := false // a swap was sent that may still land
	candidates := make(candidates)
	fail := func(err error) (winner, error) {
		if pending {
			return winner{}, x.unknown(err)
		}
		return winner{}, x.typed(err)
	}
	var c candidate
	var err error
	again := false // the same swap is to be sent once more (F30)
	for n := 1; ; n++ {
		if !again {
			c, err = change.prepare(ctx, base)
		}
		switch {
		case errors.Is(err, store.ErrNotFound):
			seen, err := x.expired(ctx, base, n, pending, err)
			switch {
			case err != nil:
				return fail(err)
			case seen.outcome == Committed:
				return candidates.winner(seen), nil
			}
			pending = false
			if base, err = x.advance(ctx, change, base, seen); err != nil {
				return fail(err)
			}
			continue
		case err != nil:
			return fail(err)
		case c.noOp && pending:
			return fail(errors.New("nothing is left to do, but an earlier attempt may have landed"))
		case c.noOp:
			return winner{candidate: c}, nil
		}
		candidates[c.attempt.metadata] = c
		x.table.logAttempt(ctx, n, base, c)
		swapErr := x.table.swap(ctx, base.MetadataLocation, c.attempt.metadata)
		if swapErr == nil {
			return winner{c, c.head.Tree.SequenceNumber}, nil
		}
		throttled := errors.Is(swapErr, store.ErrThrottled)
		pending = pending || !throttled && !errors.Is(swapErr, store.ErrRefused)
		// The look comes after the pause, so that the next attempt begins on the newest state, and it comes even if
		// the pause ends the transaction: an earlier copy of a swap that was refused may have landed too.
		end := x.pause(ctx, n, swapErr)
		seen, err := x.lookUp(ctx, base)
		switch {
		case err != nil:
			pending = true
			return fail(errors.Join(swapErr, err))
		case seen.outcome == Committed:
			return candidates.winner(seen), nil
		case seen.outcome == NotCommitted:
			pending = false
		}
		if err := cmp.Or(end, x.sameTable(base, seen)); err != nil {
			return fail(err)
		}
		again = throttled && !seen.lost(base, pending)
		if seen.lost(base, pending) {
			if base, err = x.advance(ctx, change, base, seen); err != nil {
				return fail(err)
			}
		}
	}
}

// expired looks up what is there after an attempt met an object that is gone: the base may have expired while the attempt
// was made. It returns an error if the table still stands where it stood, or if attempt n was the last. pending says that a
// swap was sent that may still land.
func (x *proposal) expired(ctx context.Context, base *Head, n int, pending bool, gone error) (seen, error) {
	found, err := x.lookUp(ctx, base)
	switch {
	case err != nil:
		return seen{}, errors.Join(gone, err)
	case found.outcome == Committed:
		return found, nil
	case !found.lost(base, pending):
		return seen{}, gone
	case n >= x.maxAttempts:
		return seen{}, &ExhaustedError{Attempts: n, Err: gone}
	}
	return found, nil
}

// lost reports whether a proposal can go on to the state of a look: the look proves that the proposal is not committed, or no
// swap of it can have landed and the table stands elsewhere. The latter needs no proof from the table, whose log may be
// trimmed, and whose snapshots may have expired, past the base (F32).
func (s seen) lost(base *Head, pending bool) bool {
	elsewhere := s.location != "" && s.location != base.MetadataLocation
	return s.outcome == NotCommitted || s.outcome == Unknown && elsewhere && !pending
}

// maxLooks bounds how often a state is read anew because it expired while it was read.
const maxLooks = 10

// advance moves the proposal on to the state that a look found, or to a newer one if that expires while it is read.
func (x *proposal) advance(ctx context.Context, change proposed, base *Head, seen seen) (*Head, error) {
	for range maxLooks {
		next, err := x.rebase(ctx, change, base, seen)
		if !errors.Is(err, store.ErrNotFound) {
			return next, err
		}
		again, lookErr := x.lookUp(ctx, base)
		if lookErr != nil || again.location == seen.location {
			return nil, errors.Join(err, lookErr)
		}
		seen = again
	}
	return nil, fmt.Errorf("commit: table %s changes faster than it can be read", x.table.id)
}

// unknown is the end of a proposal of which a swap may have landed, or may still.
func (x *proposal) unknown(err error) error {
	u := &UnknownError{Token: x.token(), Objects: slices.Clone(x.work.objects), Err: withoutPromise(err)}
	var conflict *ConflictError
	switch {
	case errors.As(err, &conflict):
		u.Rule = conflict.Rule
	case errors.Is(err, errDropped):
		u.Rule = RuleTableDropped
	}
	return u
}

// withoutPromise returns what an end that promises that nothing was committed says of its cause.
func withoutPromise(err error) error {
	var conflict *ConflictError
	var exhausted *ExhaustedError
	var refused *RefusedError
	var check *SelfCheckError
	switch {
	case errors.As(err, &conflict):
		return errors.New(location(conflict.Location) + conflict.Reason)
	case errors.As(err, &exhausted):
		return fmt.Errorf("given up after %d attempts: %w", exhausted.Attempts, exhausted.Err)
	case errors.As(err, &refused):
		return errors.New(location(refused.Location) + strings.Join(refused.Reasons, "; "))
	case errors.As(err, &check):
		return errors.New("a later attempt failed its self-check: " + check.Violations[0].Message())
	}
	return err
}

// typed gives the end of a context the type of a transaction that was given up: no error is a bare one of the context.
func (x *proposal) typed(err error) error {
	ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if !ended || errors.Is(err, ErrExhausted) {
		return err
	}
	return &ExhaustedError{Attempts: len(x.work.attempts), Err: err}
}

// metadataName returns the location of the metadata file of the next attempt.
func (x *proposal) metadataName(base *Head) string {
	version, _ := metadata.VersionOf(base.MetadataLocation) // 0 for a foreign name: the number is for people
	return tree.Resolve(base.Location, "metadata/"+metadata.FileName(version+1, x.table.options.Env.NewUUID()))
}

// writeMetadata writes the metadata file of a candidate.
func (x *proposal) writeMetadata(ctx context.Context, c *candidate) error {
	t := x.table
	size, err := treeio.PutMetadata(ctx, t.options.Codec, t.objects, c.attempt.metadata, c.head.Metadata, t.options.Metadata)
	if errors.Is(err, treeio.ErrMetadata) {
		return &RefusedError{Reasons: []string{err.Error()}, Err: err}
	}
	c.head.MetadataLocation = c.attempt.metadata
	x.work.wrote(c.attempt.metadata, size, err)
	if err != nil {
		return fmt.Errorf("commit: write metadata file: %w", notWritten(err))
	}
	return nil
}
