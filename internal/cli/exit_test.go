package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/datafile"
	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

func TestExitCodes(t *testing.T) {
	corrupt := fmt.Errorf("x: %w", manifestio.ErrTruncated)
	for _, test := range []struct {
		code int
		err  error
	}{
		{exitDone, nil},
		{exitFindings, errFindings},
		{exitUsage, &target.UsageError{Err: errors.New("x")}},
		{exitUsage, fmt.Errorf("x: %w", &metadata.AmbiguousError{})},
		{exitNotCommitted, &commit.ConflictError{}},
		{exitNotCommitted, &commit.RefusedError{}},
		{exitNotCommitted, &commit.SelfCheckError{Violations: nil}},
		{exitNotCommitted, &commit.ExhaustedError{Err: store.ErrUnknown}},
		{exitNotCommitted, fmt.Errorf("create: %w", store.ErrConflict)},
		{exitNotCommitted, &datafile.SchemaMismatchError{}},
		{exitNotCommitted, &datafile.PartitionError{}},
		{exitUnknown, &commit.UnknownError{Err: context.Canceled}},
		{exitUnknown, fmt.Errorf("x: %w: %w", errOutcome, store.ErrUnknown)},
		{exitCorrupt, corrupt},
		{exitCorrupt, &manifestio.LimitError{}},
		{exitCorrupt, &metadata.ParseError{}},
		{exitCorrupt, &tree.CorruptError{Err: fs.ErrInvalid}},
		{exitCorrupt, &mdv.ParseError{}},
		{exitCorrupt, &dv.FaultError{Fault: dv.FaultChecksum}},
		{exitCorrupt, fmt.Errorf("x: %w", dv.ErrEncrypted)},
		{exitNotCommitted, &commit.RefusedError{Err: dv.ErrOutOfRange}},
		{exitCorrupt, &datafile.FileError{Err: datafile.ErrCorrupt}},
		{exitCorrupt, fmt.Errorf("x: %w", treeio.ErrLegacy)},
		{exitEnvironment, fmt.Errorf("x: %w", store.ErrNotFound)},
		{exitEnvironment, fmt.Errorf("commit: write root manifest: %w", store.ErrUnknown)},
		{exitEnvironment, &commit.RefusedError{Err: fmt.Errorf("%w: %w", store.ErrRefused, fs.ErrPermission)}},
		{exitEnvironment, &datafile.FileError{Err: fs.ErrPermission}},
		{exitInterrupted, fmt.Errorf("x: %w", context.Canceled)},
		{exitInterrupted, &commit.ExhaustedError{Err: context.Canceled}},
		{exitNotCommitted, problems{&datafile.PartitionError{}, &datafile.SchemaMismatchError{}}},
		{exitCorrupt, problems{corrupt, &datafile.SchemaMismatchError{}}},
		{exitEnvironment, problems{corrupt, store.ErrNotFound}},
	} {
		if got := exitCode(t.Context(), test.err); got != test.code {
			t.Errorf("%T %v: code %d, want %d", test.err, test.err, got, test.code)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := exitCode(ctx, errors.New("interrupted (9)")); got != exitInterrupted {
		t.Errorf("an error of the environment after an interrupt: code %d", got)
	}
	if got := exitCode(ctx, &commit.ConflictError{}); got != exitNotCommitted {
		t.Errorf("a conflict before an interrupt: code %d", got)
	}
}
