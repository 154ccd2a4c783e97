package world

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/store/fault"
)

// writer is one program that works on the table, with its own view of it and its own clock. All its store calls go
// through the injector.
type writer struct {
	name  string
	world *World
	calls fault.Injector
	table *commit.Table
	// skewMillis is how far the writer's clock is ahead.
	skewMillis int64
	// txn is the transaction that was begun, nil between transactions; intent is the same for the model.
	txn    *commit.Txn
	intent intent
	// script is the policy of the transaction, if a script makes it.
	script *scripted
	// run is the commit under way, nil between commits, and last the one that ended last.
	run, last *run
	// park stops the commit before a store call until the script lets it go on; false ends the writer. It is nil
	// outside commits.
	park func(fault.Call) bool
	// token asks for the outcome of the last commit that ended without one.
	token *commit.Token
}

// writer returns the writer of a name; one without a name is the writer "".
func (w *World) writer(name string) *writer {
	x, known := w.writers[name]
	if known {
		return x
	}
	x = &writer{name: name, world: w}
	x.calls.Transit = w.transit
	x.calls.Before = func(_ context.Context, call fault.Call) error {
		if x.park != nil && !x.park(call) {
			return fault.ErrCrashed
		}
		return nil
	}
	env := w.env.forCommits()
	env.NowMillis = func() int64 { return w.env.nowMillis + x.skewMillis }
	env.NewSnapshotID = func() int64 {
		id := w.env.newSnapshotID()
		w.intents[id] = x.intent
		return id
	}
	x.table = commit.Open(tableID, x.calls.Catalog(w.catalog), x.calls.Objects(objectsOf{w.objects, w.names}),
		commit.Options{Env: env, Codec: w.codec})
	w.writers[name] = x
	return x
}

// by returns the writer that a command names.
func (w *World) by(c command) *writer {
	name, _ := c.option("by")
	return w.writer(name)
}

// begin begins a transaction.
func (w *World) begin(ctx context.Context, c command) (string, error) {
	o, err := txnOptions(c)
	if err != nil {
		return "", err
	}
	x := w.by(c)
	if x.txn != nil {
		return "", errors.New("a transaction was begun already")
	}
	return "", x.begin(ctx, o)
}

// txnOptions reads the options of a transaction.
func txnOptions(c command) (commit.TxnOptions, error) {
	o := commit.TxnOptions{CheckDuplicates: true}
	var err error
	option := func(name string, choices map[string]func()) {
		text, given := c.option(name)
		if !given {
			return
		}
		if set, known := choices[text]; known {
			set()
		} else if err == nil {
			err = fmt.Errorf("%s= knows no %s", name, text)
		}
	}
	option("duplicates", map[string]func(){"unchecked": func() { o.CheckDuplicates = false }})
	option("mode", map[string]func(){
		"foreground": func() { o.Mode = policy.Foreground }, "maintenance": func() { o.Mode = policy.Maintenance },
	})
	option("isolation", map[string]func(){
		"snapshot": func() { o.Isolation = commit.SnapshotIsolation }, "serializable": func() { o.Isolation = commit.Serializable },
	})
	o.Branch, _ = c.option("branch")
	if text, given := c.option("attempts"); given && err == nil {
		o.MaxAttempts, err = strconv.Atoi(text)
	}
	if err != nil {
		return o, err
	}
	if text, _ := c.option("policy"); text == scriptedName {
		o.Policy = new(scripted)
		return o, nil
	}
	properties, err := policyProperties(c)
	if err == nil && len(properties) > 0 {
		o.Policy, err = choose.ForTable(properties)
	}
	return o, err
}

func (x *writer) begin(ctx context.Context, o commit.TxnOptions) error {
	if x.run != nil {
		return fmt.Errorf("writer %q is in the middle of a commit", x.name)
	}
	txn, err := x.table.Begin(ctx, o)
	if err != nil {
		return err
	}
	x.txn, x.intent = txn, intent{
		base: txn.Base().Tree.Origin.SnapshotID, uuid: txn.Base().Metadata.UUID, schema: txn.Base().Metadata.Schema(),
		serializable: o.Isolation == commit.Serializable,
	}
	x.script, _ = o.Policy.(*scripted)
	return nil
}

// begun makes sure that the writer has a transaction.
func (x *writer) begun(ctx context.Context) error {
	if x.txn != nil {
		return nil
	}
	return x.begin(ctx, commit.TxnOptions{CheckDuplicates: true})
}

// note adds steps to what the model knows of the transaction.
func (x *writer) note(changes ...change) {
	x.intent.changes = append(slices.Clone(x.intent.changes), changes...)
}
