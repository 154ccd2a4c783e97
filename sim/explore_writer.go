package sim

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
)

// solo is a writer of an exploration on its way, alone: the production code runs against a store that answers as it is told
// to. All that a writer can see of the others is which state of the table the catalog names when it looks, and whether its
// swap is a conflict; so what it does is a function of these answers, and ids, names and the clock are made to be one too.
type solo struct {
	*writer
	programs []Program
	// operation counts those that ended.
	operation int
	// seen is the state that the catalog named last, and wins says that the next swap succeeds.
	seen *state
	wins bool
	// own are the objects of the writer that are there, pending the rows of manifests that are about to be written, put
	// those that the operation wrote, and stray those of others that it deleted.
	own     map[string]item
	pending map[string]item
	put     []string
	stray   []string
	// root is the root that was written last, and old and new are the arguments of the swap before which the writer stands.
	root, old, new string
	// calls are those since the writer went on.
	calls    []fault.Call
	ids      int64
	draws    int
	intents  map[int64]intent
	probes   bool
	finished bool
}

// newSolo returns a writer that stands before its first call.
func newSolo(number int, programs []Program, start *state) *solo {
	s := &solo{
		writer: &writer{number: number}, programs: programs, seen: start, own: make(map[string]item), pending: make(map[string]item),
	}
	s.writer.world = start.world
	s.writer.calls.Before = func(_ context.Context, call fault.Call) error { s.meet(call); return nil }
	s.open()
	s.begin(nil)
	return s
}

// open opens the table without memory of it.
func (s *solo) open() {
	s.table = commit.Open(tableID, soloCatalog{s, s.writer.calls.Catalog(soloCell{s})}, s.writer.calls.Objects(soloObjects{s}), commit.Options{
		Env: s.env(), Codec: shelfCodec{
			find: s.find,
			put: func(name string, i item) {
				if s.pending[name] = i; i.manifest {
					s.root = name // the root is the last manifest that is written before the metadata file
				}
			},
		},
	})
}

func (s *solo) find(name string) (item, bool) {
	if i, there := s.own[name]; there {
		return i, true
	}
	return s.seen.shelf.find(name)
}

// env is what commits ask of the machine. The clock tells the time of the state that was seen last.
func (s *solo) env() commit.Env {
	return commit.Env{
		NowMillis: func() int64 { return s.seen.millis() },
		NewUUID: func() uuid.UUID {
			s.draws++
			id := uuid.UUID{6: 0x40, 8: 0x80, 10: byte(s.number), 11: byte(s.operation)}
			binary.BigEndian.PutUint32(id[12:], uint32(s.draws))
			return id
		},
		NewSnapshotID: func() int64 {
			s.ids++
			id := firstSnapshotID*int64(s.number) + firstSnapshotID/10*int64(s.operation) + s.ids
			s.intents[id] = s.run.intent
			s.run.snapshots = append(s.run.snapshots, id)
			return id
		},
		Float64: func() float64 { return 0.5 },
		Sleep:   func(ctx context.Context, _ int64) error { return ctx.Err() },
		Detach: func(ctx context.Context, _ int64) (context.Context, context.CancelFunc) {
			return context.WithCancel(context.WithoutCancel(ctx))
		},
	}
}

// firstSnapshotID is above the ids of the snapshots of the table to begin with.
const firstSnapshotID = 1000

// begin begins the next operation of a writer that remembers a state, or none, and runs it up to its first call. What the
// operation before wrote is of use to this one only as far as it became the table's.
func (s *solo) begin(remembers *state) {
	if remembers != nil {
		s.seen = remembers
	}
	clear(s.own)
	if s.operation == len(s.programs) {
		s.finished = true
		return
	}
	s.draws, s.ids, s.put, s.stray, s.root = 0, 0, nil, nil, ""
	s.intents = make(map[int64]intent)
	p := s.programs[s.operation]
	r := &run{number: s.operation + 1, program: p}
	r.next, r.stop = iter.Pull(func(yield func(fault.Call) bool) {
		s.park = yield
		r.result, r.err = s.execute(context.Background(), p)
	})
	s.writer.calls.Restart()
	s.run = r
	s.run.at, _ = r.next()
}

// meet notes a call that is about to be made, and stops before one of the catalog.
func (s *solo) meet(call fault.Call) {
	if s.probes {
		return
	}
	if call.Op == fault.Load || call.Op == fault.Swap {
		s.park(call)
	}
	s.calls = append(s.calls, call)
}

// goOn lets the writer go on, with the answer and the fault of the label, until it stops before the next call of the catalog. It
// returns the run if that ended; then the next operation is to begin.
func (s *solo) goOn(l label) (*run, error) {
	if l.observes != nil {
		s.seen, s.world = l.observes, l.observes.world
	}
	s.wins, s.calls = l.wins, nil
	if l.fault != (fault.Fault{}) {
		if err := s.writer.calls.Arm(l.fault); err != nil {
			return nil, err
		}
		s.run.disturbed = true
	}
	call, more := s.run.next()
	if more {
		s.run.at = call
		return nil, nil
	}
	ended := s.run
	if s.writer.calls.Crashed() {
		s.open()
	}
	s.operation++
	return ended, nil
}

// remembers returns the state whose memory the writer has of the table, nil for none. A look at the catalog shows it: what
// is remembered is not read again.
func (s *solo) remembers(among []*state) *state {
	s.writer.calls.Restart()
	s.probes = true
	defer func(seen *state) { s.probes, s.seen = false, seen }(s.seen)
	for _, state := range among {
		s.seen = state
		if _, err := s.table.Head(context.Background()); err == nil {
			return state
		}
	}
	return nil
}

// abandon ends the coroutine of a writer that is not needed any more.
func (s *solo) abandon() {
	if s.run != nil && !s.finished {
		s.writer.calls.Crash()
		s.run.stop()
	}
}

// left are the objects that the operation wrote and that are there.
func (s *solo) left() []string {
	return slices.DeleteFunc(slices.Clone(s.put), func(name string) bool {
		_, there := s.own[name]
		return !there
	})
}

// candidate is what the writer is about to swap in.
func (s *solo) candidate() *candidate {
	root := s.root
	if !s.run.program.transaction() {
		root = ""
	}
	written := make(map[string]item)
	for _, name := range s.left() {
		written[name] = s.own[name]
	}
	c := newCandidate(s.old, s.new, root, written)
	c.intents = maps.Clone(s.intents)
	return c
}

// soloCatalog notes the arguments of a swap before the writer stops in front of it.
type soloCatalog struct {
	*solo
	store.Catalog
}

// Swap implements [store.Catalog].
func (c soloCatalog) Swap(ctx context.Context, id store.TableID, old, new string) error {
	c.solo.old, c.solo.new = old, new
	return c.Catalog.Swap(ctx, id, old, new)
}

// soloCell answers for the catalog as it is told to.
type soloCell struct{ *solo }

// Load implements [store.Catalog].
func (c soloCell) Load(context.Context, store.TableID) (string, error) { return c.seen.location, nil }

// Swap implements [store.Catalog].
func (c soloCell) Swap(_ context.Context, id store.TableID, _, _ string) error {
	if c.wins {
		return nil
	}
	return store.NameError("swap", id.String(), store.ErrConflict)
}

// soloObjects are the objects of the state that the writer saw last, and its own.
type soloObjects struct{ *solo }

var errProbe = errors.New("a look that is to read nothing")

// Put implements [store.Objects].
func (o soloObjects) Put(_ context.Context, name string, data []byte) error {
	if _, taken := o.find(name); taken {
		return store.NameError("put", name, store.ErrExists)
	}
	i := o.pending[name]
	if i.table != nil && !bytes.Equal(i.data, data) {
		i.table = nil // torn
	}
	i.data = slices.Clone(data)
	o.own[name] = i
	o.solo.put = append(o.solo.put, name)
	return nil
}

// Get implements [store.Objects].
func (o soloObjects) Get(_ context.Context, name string, limitBytes int64) ([]byte, error) {
	if o.probes {
		return nil, errProbe
	}
	i, there := o.find(name)
	if !there {
		return nil, store.NameError("get", name, store.ErrNotFound)
	}
	if limitBytes > 0 && int64(len(i.data)) > limitBytes {
		return nil, store.NameError("get", name, store.ErrTooLarge)
	}
	return slices.Clone(i.data), nil
}

// GetRange implements [store.Objects].
func (o soloObjects) GetRange(ctx context.Context, name string, offset int64, p []byte) (int, error) {
	data, err := o.Get(ctx, name, 0)
	if err != nil {
		return 0, err
	}
	n := copy(p, data[min(max(offset, 0), int64(len(data))):])
	if n < len(p) {
		return n, store.NameError("get", name, io.EOF)
	}
	return n, nil
}

// Stat implements [store.Objects].
func (o soloObjects) Stat(_ context.Context, name string) (store.Info, error) {
	i, there := o.find(name)
	if !there {
		return store.Info{}, store.NameError("stat", name, store.ErrNotFound)
	}
	return store.Info{Name: name, SizeBytes: int64(len(i.data)), Modified: time.UnixMilli(o.seen.millis())}, nil
}

// List implements [store.Objects]. What a listing shows depends on more than what a writer was answered.
func (o soloObjects) List(_ context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		yield(store.Info{}, fmt.Errorf("list %s: an exploration has no listings", prefix))
	}
}

// Delete implements [store.Objects].
func (o soloObjects) Delete(_ context.Context, name string) error {
	if _, there := o.find(name); there && !slices.Contains(o.solo.put, name) {
		o.stray = append(o.stray, name)
	}
	delete(o.own, name)
	return nil
}
