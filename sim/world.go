package sim

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

// World is a store with one table, the writers that work on it, and the model of what they did. Make one with
// [NewWorld]. It is for one goroutine.
type World struct {
	config  Config
	codec   treeio.Codec
	objects mem.Objects
	catalog catalog
	transit fault.Transit
	writers []*writer

	nowMillis   int64
	snapshotIDs int64
	uuids       uint64
	runs        int

	// metadata is the table as the catalog names it, by the file of that name.
	metadata metadata.Table
	name     string
	// models and trees are those of the snapshots that the table retains, and intents what snapshots are to do.
	models  map[int64]model
	trees   map[int64]tree.Tree
	intents map[int64]intent
	leaves  map[string]*leafView
	shared  shared
	vectors map[tree.BlobID]deletedRows
	// owners are the runs that wrote objects, and droppers those that let go a snapshot or an entry that referenced them.
	owners   map[string]*run
	droppers map[string][]*run
	// committed are the snapshots that became the table's; expected are those of which a writer was told so, and denied
	// those of which one was told that they never will be.
	committed, denied map[int64]bool
	expected          []int64

	lineage lineage
	columns columns
	kept    kept
	largest Largest
	// saidRoot says of commits that ended in this action, with their first attempt, whether their plans name the root as a reason.
	saidRoot map[int64]bool
	// limits counts the changes of the table's properties.
	limits int
	// feeds sums up the change feeds of all snapshots that changed something.
	feeds      hash
	steps      int
	stats      Counts
	violations []Violation
}

// Violation is something that the engine did wrong.
type Violation struct {
	// Check is what found it: the ID of an invariant, or the name of one of the simulator's own checks.
	Check string `json:"check"`
	// Snapshot is the snapshot concerned, 0 for none, and Step the number of the action after which it was found, from 1.
	Snapshot int64 `json:"snapshot"`
	Step     int   `json:"step"`
	// Message says what is wrong.
	Message string `json:"message"`
}

// String returns the violation on one line.
func (v Violation) String() string {
	return fmt.Sprintf("step %d, snapshot %d: %s: %s", v.Step, v.Snapshot, v.Check, v.Message)
}

// violate notes a violation.
func (w *World) violate(v Violation) {
	v.Step = w.steps
	w.violations = append(w.violations, v)
}

// catalog remembers which metadata files became the table's, which is the truth about who committed.
type catalog struct {
	store.Catalog
	landed []string
	// instead, unless it is nil, is the metadata file of what took the table's place, empty for nothing; taken is the file
	// that a program put in its place.
	instead *string
	taken   string
}

// Load implements [store.Catalog].
func (c *catalog) Load(ctx context.Context, id store.TableID) (string, error) {
	switch {
	case c.instead == nil:
		return c.Catalog.Load(ctx, id)
	case *c.instead == "":
		return "", store.NameError("load", id.String(), store.ErrNotFound)
	case c.taken != "":
		return c.taken, nil
	}
	return *c.instead, nil
}

// Swap implements [store.Catalog].
func (c *catalog) Swap(ctx context.Context, id store.TableID, old, new string) error {
	switch {
	case c.instead == nil:
	case *c.instead == "":
		return store.NameError("swap", id.String(), store.ErrNotFound)
	case *c.instead != old:
		return store.NameError("swap", id.String(), store.ErrConflict)
	default:
		c.taken = new
		return nil
	}
	err := c.Catalog.Swap(ctx, id, old, new)
	if err == nil {
		c.landed = append(c.landed, new)
	}
	return err
}

// startMillis is when the clock of a world starts.
const startMillis = 1_700_000_000_000

// NewWorld returns a world with an empty table.
func NewWorld(c Config) (*World, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	w := &World{
		config: c, nowMillis: startMillis,
		models: make(map[int64]model), trees: make(map[int64]tree.Tree), intents: make(map[int64]intent),
		leaves: make(map[string]*leafView), vectors: make(map[tree.BlobID]deletedRows), owners: make(map[string]*run), droppers: make(map[string][]*run),
		committed: make(map[int64]bool), denied: make(map[int64]bool), saidRoot: make(map[int64]bool), stats: newCounts(), feeds: newHash(), lineage: newLineage(),
	}
	if w.catalog.Catalog, err = c.Catalog(); err != nil {
		return nil, err
	}
	w.objects.Now = func() time.Time { return time.UnixMilli(w.nowMillis).UTC() }
	codec := NewCodec()
	codec.rowBytes = c.RowBytes
	w.codec = codec
	if c.plainMetadata {
		w.codec = struct{ treeio.Codec }{w.codec}
	}
	if c.Parquet {
		w.codec = treeio.Parquet{}
	}
	m, err := metadata.New(metadata.NewTable{
		UUID: uuid.UUID{15: 1}, Location: tableLocation, TimestampMillis: startMillis - 1,
		Schema: iceberg.NewSchema(0, iceberg.NestedField{
			ID: idColumnID, Name: idColumn, Type: iceberg.PrimitiveTypes.Int64, Required: true,
		}),
		Properties: c.properties(),
	})
	if err != nil {
		return nil, err
	}
	if _, err := commit.Create(context.Background(), tableID, &w.catalog, &w.objects, m, commit.Options{Env: w.env(), Codec: w.codec}); err != nil {
		return nil, err
	}
	for n := range c.Writers {
		w.writers = append(w.writers, w.newWriter(n+1))
	}
	return w, w.settle(context.Background())
}

// env is what commits ask of the machine: nothing in it moves by itself but the numbers that count up.
func (w *World) env() commit.Env {
	return commit.Env{
		NowMillis: func() int64 { return w.nowMillis },
		NewUUID: func() uuid.UUID {
			w.uuids++
			id := uuid.UUID{6: 0x40, 8: 0x80}
			binary.BigEndian.PutUint32(id[:4], uint32(w.uuids))
			return id
		},
		NewSnapshotID: func() int64 { w.snapshotIDs++; return w.snapshotIDs },
		Float64:       func() float64 { return 0.5 },
		Sleep: func(ctx context.Context, millis int64) error {
			w.nowMillis += millis
			return ctx.Err()
		},
		Detach: func(ctx context.Context, _ int64) (context.Context, context.CancelFunc) {
			return context.WithCancel(context.WithoutCancel(ctx))
		},
	}
}

// errIdle and errBusy say that an action does not fit the state of its writer.
var (
	errIdle   = errors.New("the writer has no program under way")
	errBusy   = errors.New("the writer has a program under way")
	errWriter = errors.New("there is no such writer")
	errLand   = errors.New("no call is waiting to land")
)

// Do does one action and checks what came of it. An error says that the action cannot be done; what the engine did wrong is
// a violation. A trace from which actions were struck may hold some that cannot be done.
func (w *World) Do(ctx context.Context, a Action) error {
	if a.Writer < 0 || a.Writer > len(w.writers) {
		return fmt.Errorf("%s: %w", a, errWriter)
	}
	if err := w.can(a); err != nil {
		return fmt.Errorf("%s: %w", a, err)
	}
	w.steps++
	if err := w.act(ctx, a); err != nil {
		return fmt.Errorf("%s: %w", a, err)
	}
	if err := w.settle(ctx); err != nil {
		return err
	}
	w.checkTold()
	clear(w.saidRoot)
	return nil
}

// can reports why an action cannot be done.
func (w *World) can(a Action) error {
	switch a.Kind {
	case Land:
		if len(w.transit.Pending()) == 0 {
			return errLand
		}
	case Start:
		if w.writers[a.Writer-1].run != nil {
			return errBusy
		}
	case Step, Creep, Crash, Fall:
		if w.writers[a.Writer-1].run == nil {
			return errIdle
		}
	}
	return nil
}

func (w *World) act(ctx context.Context, a Action) error {
	switch a.Kind {
	case Land:
		return w.transit.Land(w.transit.Pending()[0].ID)
	case Tick:
		if a.Writer == 0 {
			w.nowMillis += max(a.Millis, 0)
		} else {
			w.writers[a.Writer-1].skewMillis += a.Millis
		}
		return nil
	}
	x := w.writers[a.Writer-1]
	switch a.Kind {
	case Start:
		w.nowMillis += stepMillis
		return x.start(ctx, a.Program)
	case Step, Creep:
		return x.step(a.Fault, a.Kind == Creep)
	case Crash, Fall:
		return x.crash(a.Kind == Fall)
	}
	return errAction
}

// stepMillis is how far the clock moves when a program starts.
const stepMillis = 1000
