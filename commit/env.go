package commit

import (
	"context"
	"log/slog"

	"github.com/google/uuid"

	"github.com/firn-io/firn/internal/sysenv"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
)

// Env is what a commit may not ask the machine for by itself: a simulator replaces all of it. A nil function
// means the real thing.
type Env struct {
	// NowMillis returns the time in milliseconds since the epoch.
	NowMillis func() int64
	// NewUUID returns a new UUID, for names of objects.
	NewUUID func() uuid.UUID
	// NewSnapshotID returns a new positive snapshot id.
	NewSnapshotID func() int64
	// Float64 returns a number in [0, 1) that spreads the waiting times of writers.
	Float64 func() float64
	// Sleep waits for milliseconds between two attempts, or until ctx ends.
	Sleep func(ctx context.Context, millis int64) error
	// Detach returns a context that outlives ctx by at most so many milliseconds: a swap that was sent is looked
	// up even if the caller has gone.
	Detach func(ctx context.Context, millis int64) (context.Context, context.CancelFunc)
}

func (e Env) withDefaults() Env {
	setDefault(&e.NowMillis, sysenv.NowMillis)
	setDefault(&e.NewUUID, sysenv.NewUUID)
	setDefault(&e.NewSnapshotID, sysenv.NewSnapshotID)
	setDefault(&e.Float64, sysenv.Float64)
	setDefault(&e.Sleep, sysenv.Sleep)
	setDefault(&e.Detach, sysenv.Detach)
	return e
}

func setDefault[F ~func() int64 | ~func() uuid.UUID | ~func() float64 |
	~func(context.Context, int64) error |
	~func(context.Context, int64) (context.Context, context.CancelFunc)](f *F, real F) {
	if *f == nil {
		*f = real
	}
}

// Options are the settings of a [Table]. The zero Options are good.
type Options struct {
	Env Env
	// Codec reads and writes manifests; default [treeio.Parquet].
	Codec treeio.Codec
	// Location is the table's location where its metadata has none (rules 12.7).
	Location string
	// Metadata bounds the reading of metadata files.
	Metadata metadata.Limits
	// OutcomeMillis bounds the reading of an outcome after a swap; default 30 seconds.
	OutcomeMillis int64
	// Logger is told of attempts at level debug, of commits at level info, and of what went wrong at level warn. By
	// default nobody is.
	Logger *slog.Logger
	// Metrics, if set, is given the numbers of each transaction.
	Metrics Metrics
}

func (o Options) withDefaults() Options {
	o.Env = o.Env.withDefaults()
	if o.Codec == nil {
		o.Codec = treeio.Parquet{}
	}
	if o.Metadata.MaxBytes <= 0 {
		o.Metadata.MaxBytes = metadata.DefaultMaxBytes
	}
	if o.OutcomeMillis <= 0 {
		o.OutcomeMillis = 30_000
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}
