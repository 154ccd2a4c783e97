package commit

import (
	"context"
	"errors"
	"log/slog"
)

// Metrics takes the numbers of each transaction and each update of the metadata, when it has ended.
type Metrics interface {
	// Ended is called once for each. It must not keep the caller waiting.
	Ended(ctx context.Context, m Measurement)
}

// Measurement is what one transaction, or one update of the metadata, took.
type Measurement struct {
	// Table is namespace.name.
	Table string
	// End is how it ended: committed, no-op, conflict, refused, self-check, exhausted, unknown or failed.
	End string
	// Rule is the rule that ended it, for a conflict; else empty.
	Rule Rule
	// Attempts counts the roots, or metadata files, that were made.
	Attempts int
	// ObjectsWritten, LeavesWritten and BytesWritten count what was written, for lost attempts too.
	ObjectsWritten, LeavesWritten int
	BytesWritten                  int64
	// LeavesOpened counts the leaves whose rows were read.
	LeavesOpened int
	// Events count, by their rules, how the change was fitted to what others did.
	Events map[Rule]int
}

// report tells logger and metrics how a transaction ended.
func (t *Table) report(ctx context.Context, w work, r Result, err error) {
	m := Measurement{
		Table: t.id.String(), End: endOf(r, err), Attempts: len(w.attempts), ObjectsWritten: len(w.objects),
		LeavesWritten: len(w.leaves), BytesWritten: w.bytesWritten, LeavesOpened: w.leavesOpened, Events: make(map[Rule]int),
	}
	var conflict *ConflictError
	if errors.As(err, &conflict) {
		m.Rule = conflict.Rule
	}
	for _, e := range w.events {
		m.Events[e.Rule]++
	}
	if t.options.Metrics != nil {
		t.options.Metrics.Ended(ctx, m)
	}
	level := slog.LevelInfo
	attributes := []any{
		"table", m.Table, "end", m.End, "snapshot", w.snapshotID, "attempts", m.Attempts,
		"leaves_written", m.LeavesWritten, "leaves_opened", m.LeavesOpened, "bytes_written", m.BytesWritten,
	}
	if err != nil {
		level = slog.LevelWarn
		attributes = append(attributes, "error", err)
	}
	t.options.Logger.Log(ctx, level, "commit ended", attributes...)
	for _, text := range w.warnings {
		t.options.Logger.WarnContext(ctx, text, "table", m.Table)
	}
	if len(r.Leftover) > 0 {
		t.options.Logger.WarnContext(ctx, "objects could not be removed", "table", m.Table, "objects", r.Leftover)
	}
}

// logAttempt tells the logger that a swap is about to be sent.
func (t *Table) logAttempt(ctx context.Context, n int, base *Head, c candidate) {
	t.options.Logger.DebugContext(ctx, "swap", "table", t.id.String(), "attempt", n,
		"from", base.MetadataLocation, "to", c.attempt.metadata)
}

// endOf names how a transaction ended.
func endOf(r Result, err error) string {
	switch {
	case err == nil && r.NoOp:
		return "no-op"
	case err == nil:
		return "committed"
	}
	for _, end := range []struct {
		err  error
		name string
	}{
		{ErrUnknown, "unknown"}, {ErrConflict, "conflict"}, {ErrRefused, "refused"},
		{ErrSelfCheck, "self-check"}, {ErrExhausted, "exhausted"},
	} {
		if errors.Is(err, end.err) {
			return end.name
		}
	}
	return "failed"
}
