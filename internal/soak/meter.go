package soak

import (
	"context"
	"sync"

	"github.com/firn-io/firn/store"
)

// meter is a store that knows how many bytes it holds, and held at most. It counts what goes through it.
type meter struct {
	store.Objects
	mu        sync.Mutex
	sizes     map[string]int64
	now, peak int64
	puts      int
}

func newMeter(objects store.Objects) *meter {
	return &meter{Objects: objects, sizes: make(map[string]int64)}
}

// Put implements [store.Objects].
func (m *meter) Put(ctx context.Context, name string, data []byte) error {
	err := m.Objects.Put(ctx, name, data)
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.sizes[name] = int64(len(data))
		m.now += int64(len(data))
		m.peak = max(m.peak, m.now)
		m.puts++
	}
	return err
}

// Delete implements [store.Objects].
func (m *meter) Delete(ctx context.Context, name string) error {
	err := m.Objects.Delete(ctx, name)
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.now -= m.sizes[name]
		delete(m.sizes, name)
	}
	return err
}
