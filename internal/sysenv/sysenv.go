// Package sysenv is the one place that asks the machine for time, randomness and identifiers. The engine takes
// them as injected functions, so that a simulator can replace every one; these are their defaults.
package sysenv

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
)

// NowMillis returns the wall clock in milliseconds since the epoch.
func NowMillis() int64 { return time.Now().UnixMilli() }

// NewUUID returns a random UUID.
func NewUUID() uuid.UUID { return uuid.New() }

// NewSnapshotID returns a random positive snapshot id.
func NewSnapshotID() int64 {
	for {
		u := uuid.New()
		id := int64((binary.BigEndian.Uint64(u[:8]) ^ binary.BigEndian.Uint64(u[8:])) >> 1)
		if id > 0 {
			return id
		}
	}
}

// Float64 returns a random number in [0, 1).
func Float64() float64 { return rand.Float64() }

// Sleep waits for a number of milliseconds, or until ctx ends and then returns its error.
func Sleep(ctx context.Context, millis int64) error {
	timer := time.NewTimer(time.Duration(millis) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Detach returns a context with the values of ctx that ends after a number of milliseconds, however ctx ends.
func Detach(ctx context.Context, millis int64) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), time.Duration(millis)*time.Millisecond)
}
