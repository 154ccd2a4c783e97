package world

import (
	"context"
	"encoding/binary"

	"github.com/google/uuid"

	"github.com/firn-io/firn/commit"
)

// environment is what a commit asks of the machine, scripted: nothing in it moves by itself.
type environment struct {
	nowMillis   int64
	snapshotIDs int64
	uuids       uint64
}

// tickMillis is how far the clock moves before each commit.
const tickMillis = 1000

func (e *environment) tick() { e.nowMillis += tickMillis }

// newUUID counts up.
func (e *environment) newUUID() uuid.UUID {
	e.uuids++
	id := uuid.UUID{6: 0x40, 8: 0x80}
	binary.BigEndian.PutUint32(id[:4], uint32(e.uuids))
	return id
}

func (e *environment) newSnapshotID() int64 {
	e.snapshotIDs++
	return e.snapshotIDs
}

// forCommits returns the environment as commits take it. A commit that waits moves the clock.
func (e *environment) forCommits() commit.Env {
	return commit.Env{
		NowMillis:     func() int64 { return e.nowMillis },
		NewUUID:       e.newUUID,
		NewSnapshotID: e.newSnapshotID,
		Float64:       func() float64 { return 0 },
		Sleep: func(ctx context.Context, millis int64) error {
			e.nowMillis += millis
			return ctx.Err()
		},
		Detach: func(ctx context.Context, _ int64) (context.Context, context.CancelFunc) {
			return context.WithCancel(context.WithoutCancel(ctx))
		},
	}
}
