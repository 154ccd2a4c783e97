package world

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/store/fault"
)

// run is a commit, or an update of the metadata, on its way: a coroutine that stops before each call of the store.
type run struct {
	next   func() (fault.Call, bool)
	stop   func()
	cancel context.CancelFunc
	// at is the call before which it stands, before its first step the zero call.
	at fault.Call
	// first is the place in the journal of its first call.
	first int
	calls []fault.Call
	// update says that it makes no snapshot.
	update bool
	change commit.MetadataChange
	result commit.Result
	err    error
	// after is done when it has succeeded.
	after func(ctx context.Context) error
}

// start makes a run of a commit or an update; nothing is done yet.
func (x *writer) start(ctx context.Context, work func(context.Context) (commit.Result, error)) *run {
	x.world.env.tick()
	ctx, cancel := context.WithCancel(ctx)
	r := &run{cancel: cancel, first: len(x.calls.Calls())}
	r.next, r.stop = iter.Pull(func(yield func(fault.Call) bool) {
		x.park = yield
		defer func() { x.park = nil }()
		r.result, r.err = work(ctx)
	})
	x.run, x.token = r, nil
	x.world.last = nil
	return r
}

// commit commits a transaction, up to a call of the store or to its end.
func (w *World) commit(ctx context.Context, c command) (string, error) {
	x := w.by(c)
	if err := x.startCommit(ctx); err != nil {
		return "", err
	}
	return x.goOn(ctx, c)
}

// startCommit begins the commit of the transaction, an empty one if nothing was begun.
func (x *writer) startCommit(ctx context.Context) error {
	if err := x.begun(ctx); err != nil {
		return err
	}
	txn := x.txn
	x.txn, x.script = nil, nil
	x.start(ctx, txn.Commit)
	return nil
}

// step lets a commit go on, or begins it.
func (w *World) step(ctx context.Context, c command) (string, error) {
	x, err := w.named(c, 1)
	if err != nil {
		return "", err
	}
	if x.run == nil {
		if x.txn == nil {
			return "", fmt.Errorf("writer %q has nothing to commit", x.name)
		}
		if err := x.startCommit(ctx); err != nil {
			return "", err
		}
	}
	return x.goOn(ctx, c)
}

// named returns the writer that a command names first, or else by an option.
func (w *World) named(c command, most int) (*writer, error) {
	if len(c.names) > most {
		return nil, fmt.Errorf("want at most %s", count(most, "word"))
	}
	if len(c.names) < most || most == 0 {
		return w.by(c), nil
	}
	return w.writer(c.names[0]), nil
}

// goOn lets the run go on until it is about to make the call that the command asks for, or to its end.
func (x *writer) goOn(ctx context.Context, c command) (string, error) {
	until, stops := c.option("until")
	for {
		call, more := x.run.next()
		if !more {
			return x.ended(ctx)
		}
		x.run.at = call
		if stops && x.world.isAt(call, until) {
			return fmt.Sprintf("%s waits before %s\n", x, x.world.describe(call)), nil
		}
	}
}

// String names the writer in messages.
func (x *writer) String() string {
	if x.name == "" {
		return "the writer"
	}
	return x.name
}

// isAt reports whether a call is of an operation, such as swap or put, or of one with a class, such as put:leaf.
func (w *World) isAt(call fault.Call, text string) bool {
	op, class, _ := strings.Cut(text, ":")
	return string(call.Op) == op && (class == "" || w.names.class(call.Name) == class)
}

// checkUntil refuses what no call can be.
func checkUntil(c command) error {
	text, given := c.option("until")
	op, class, classed := strings.Cut(text, ":")
	switch {
	case !given:
		return nil
	case !slices.Contains(fault.Ops(), fault.Op(op)):
		return fmt.Errorf("there is no operation %s", op)
	}
	for _, known := range classes {
		classed = classed && known.class != class
	}
	if classed {
		return fmt.Errorf("there is no class of objects %s", class)
	}
	return nil
}

func (w *World) describe(call fault.Call) string {
	if class := w.names.class(call.Name); class != classOther {
		return fmt.Sprintf("%s:%s", call.Op, class)
	}
	return string(call.Op)
}

// ended takes in the end of a run: it holds what the engine says against what the catalog saw, and a new snapshot
// against the model.
func (x *writer) ended(ctx context.Context) (string, error) {
	w, r := x.world, x.run
	r.cancel()
	r.calls = x.calls.Calls()[r.first:]
	x.run, x.last = nil, r
	if !r.update {
		x.intent = intent{}
	}
	var unknown *commit.UnknownError
	var out strings.Builder
	switch {
	case x.calls.Crashed():
		fmt.Fprintf(&out, "%s crashed\n", x)
	case errors.As(r.err, &unknown):
		x.token = &unknown.Token
	case r.err != nil:
		out.WriteString(w.refuted(r))
	default:
		out.WriteString(r.report(w) + w.confirmed(r) + r.compareUpdate(ctx, w))
		if !r.update {
			w.last = &finished{r.result, r.calls}
		}
	}
	if r.err == nil && r.after != nil {
		if err := r.after(ctx); err != nil {
			return out.String(), err
		}
	}
	found, err := w.settle(ctx)
	out.WriteString(found)
	if r.err != nil && !x.calls.Crashed() {
		err = errors.Join(r.err, err)
	}
	return out.String(), err
}

// report says what a run that succeeded took.
func (r *run) report(w *World) string {
	var b strings.Builder
	switch {
	case r.result.NoOp:
		b.WriteString("nothing to do")
	case r.update:
		b.WriteString("updated")
	default:
		fmt.Fprintf(&b, "snapshot %d", r.result.SnapshotID)
	}
	if r.result.Attempts > 1 {
		fmt.Fprintf(&b, ", attempts %d", r.result.Attempts)
	}
	b.WriteString("\n")
	for _, e := range r.result.Events {
		fmt.Fprintf(&b, "  %s\n", strings.TrimSpace(string(e.Rule)+" "+w.stored(e.Location)))
	}
	for _, text := range r.result.Warnings {
		fmt.Fprintf(&b, "  warning: %s\n", text)
	}
	for _, name := range r.result.Leftover {
		fmt.Fprintf(&b, "  left over: %s\n", name)
	}
	return b.String()
}

// attempts returns the metadata files of the attempts of a run.
func (w *World) attempts(r *run) []string {
	var names []string
	for _, call := range r.calls {
		if call.Op == fault.Put && w.names.class(call.Name) == classMetadata {
			names = append(names, call.Name)
		}
	}
	return names
}

// confirmed holds a success against the catalog.
func (w *World) confirmed(r *run) string {
	published := slices.ContainsFunc(w.attempts(r), func(name string) bool { return w.catalog.published[name] })
	if published == r.result.NoOp {
		return w.problem("a commit is reported as done, no-op %t, and in the catalog: %t", r.result.NoOp, published)
	}
	return ""
}

// refuted holds a failure against the catalog, now and at every check.
func (w *World) refuted(r *run) string {
	for _, name := range w.attempts(r) {
		w.catalog.refuted[name] = true
	}
	return w.revived()
}

// revived reports commits that landed although their writers were told that they had failed.
func (w *World) revived() string {
	var out strings.Builder
	for name := range w.catalog.refuted {
		if w.catalog.published[name] {
			out.WriteString(w.problem("%s is in the catalog although its commit was reported as failed", name))
			delete(w.catalog.refuted, name)
		}
	}
	return out.String()
}

// fault arms a fault for a writer.
func (w *World) fault(_ context.Context, c command) (string, error) {
	x, err := w.named(command{names: c.names[:max(0, len(c.names)-1)], options: c.options}, 1)
	if err != nil || len(c.names) == 0 {
		return "", errors.Join(err, errors.New("want a writer and a fault in quotes"))
	}
	f, err := fault.Parse(c.names[len(c.names)-1])
	if err != nil {
		return "", err
	}
	return "", x.calls.Arm(f)
}

// crash ends a writer: nothing that it still does has an effect.
func (w *World) crash(ctx context.Context, c command) (string, error) {
	x, err := w.named(c, 1)
	if err != nil {
		return "", err
	}
	x.calls.Crash()
	x.txn = nil
	if x.run == nil {
		return fmt.Sprintf("%s crashed\n", x), nil
	}
	x.run.stop()
	return x.ended(ctx)
}

// cancel ends the context of a commit.
func (w *World) cancel(_ context.Context, c command) (string, error) {
	x, err := w.named(c, 1)
	if err == nil && x.run == nil {
		err = fmt.Errorf("writer %q is not in the middle of a commit", x.name)
	}
	if err == nil {
		x.run.cancel()
	}
	return "", err
}

// outcome asks what became of the last commit of a writer, which ended without an outcome.
func (w *World) outcome(ctx context.Context, c command) (string, error) {
	x, err := w.named(c, 1)
	if err != nil {
		return "", err
	}
	if x.token == nil {
		return "", fmt.Errorf("the outcome of writer %q is known", x.name)
	}
	found, err := w.open().Outcome(ctx, *x.token)
	if err != nil {
		return "", err
	}
	landed := slices.ContainsFunc(x.token.Metadata, func(name string) bool { return w.catalog.published[name] })
	wrong := ""
	switch {
	case found == commit.Committed && !landed:
		wrong = w.problem("the outcome is %s, and the catalog never saw it", found)
	case found == commit.NotCommitted:
		for _, name := range x.token.Metadata {
			w.catalog.refuted[name] = true
		}
		wrong = w.revived()
	}
	settled, err := w.settle(ctx)
	return found.String() + "\n" + wrong + settled, err
}

// land lets the calls land that were given up and are still on their way.
func (w *World) land(ctx context.Context, _ command) (string, error) {
	n := len(w.transit.Pending())
	w.transit.Release()
	settled, err := w.settle(ctx)
	return count(n, "call") + " landed\n" + w.revived() + settled, err
}
