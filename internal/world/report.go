package world

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
)

// finished is a commit that succeeded.
type finished struct {
	result commit.Result
	calls  []fault.Call
}

// errNoCommit says that there is no commit to tell of.
var errNoCommit = errors.New("the last commit did not succeed, or there was none")

// plan prints the plan of the last commit.
func (w *World) plan(context.Context, command) (string, error) {
	if w.last == nil {
		return "", errNoCommit
	}
	p := w.last.result.Plan
	if len(p.Steps)+len(p.Thinning.Pointers) == 0 {
		return "everything stays in the root\n", nil
	}
	var b strings.Builder
	for _, step := range p.Steps {
		fmt.Fprintf(&b, "%s %s: %s\n", step.Kind, members(step.Members), step.Reason)
	}
	if n := len(p.Thinning.Pointers); n > 0 {
		fmt.Fprintf(&b, "thin %d leaf: %s\n", n, p.Thinning.Reason)
	}
	for _, reason := range p.Deferred {
		fmt.Fprintf(&b, "deferred: %s\n", reason)
	}
	return b.String(), nil
}

// members says how many rows of which kind a step takes.
func members(refs []policy.Ref) string {
	count := make(map[policy.Source]int)
	for _, ref := range refs {
		count[ref.Source]++
	}
	var parts []string
	for _, source := range []struct {
		source policy.Source
		name   string
	}{{policy.FromPointers, "leaf"}, {policy.FromLoose, "loose"}, {policy.FromNew, "new"}, {policy.FromTombstones, "dead"}} {
		if n := count[source.source]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, source.name))
		}
	}
	return strings.Join(parts, ", ")
}

// cost prints what the last commit took: attempts, manifests, and calls of the store from the moment it was asked for.
func (w *World) cost(context.Context, command) (string, error) {
	if w.last == nil {
		return "", errNoCommit
	}
	r := w.last.result
	var b strings.Builder
	fmt.Fprintf(&b, "attempts %d, roots written %d, leaves written %d, leaves opened %d\n",
		r.Attempts, r.RootsWritten, r.LeavesWritten, r.LeavesOpened)
	var calls []string
	for _, op := range fault.Ops() {
		n := 0
		for _, call := range w.last.calls {
			if call.Op == op {
				n++
			}
		}
		if n > 0 {
			calls = append(calls, fmt.Sprintf("%s %d", op, n))
		}
	}
	fmt.Fprintf(&b, "store calls: %s\n", strings.Join(calls, ", "))
	return b.String(), nil
}

// object is what an object was when the world first saw it.
type object struct {
	snapshot int64
	hash     [sha256.Size]byte
}

// note remembers the objects that are there after a snapshot and were not before.
func (w *World) note(ctx context.Context, snapshot int64) error {
	for _, name := range w.objects.Names() {
		if _, known := w.noted[name]; known {
			continue
		}
		data, err := w.objects.Get(ctx, name, 0)
		if err != nil {
			return err
		}
		w.noted[name] = object{snapshot, sha256.Sum256(data)}
	}
	return nil
}

// listObjects prints the manifests that the engine wrote, with length and a hash of their bytes.
func (w *World) listObjects(ctx context.Context, _ command) (string, error) {
	return w.eachManifest(ctx, func(_ string, data []byte) string {
		hash := sha256.Sum256(data)
		return fmt.Sprintf("%d bytes %x", len(data), hash[:4])
	})
}

// untouched prints since when the manifests that the engine wrote have had their bytes.
func (w *World) untouched(ctx context.Context, _ command) (string, error) {
	return w.eachManifest(ctx, func(name string, data []byte) string {
		first := w.noted[name]
		if first.hash != sha256.Sum256(data) {
			return fmt.Sprintf("has other bytes than after snapshot %d", first.snapshot)
		}
		return fmt.Sprintf("has the bytes that it had after snapshot %d", first.snapshot)
	})
}

// eachManifest prints a line for each manifest that the engine wrote.
func (w *World) eachManifest(ctx context.Context, line func(name string, data []byte) string) (string, error) {
	var b strings.Builder
	for _, s := range w.names.all() {
		data, err := w.objects.Get(ctx, s.location, 0)
		switch {
		case errors.Is(err, store.ErrNotFound):
			fmt.Fprintf(&b, "%s is gone\n", s.name)
		case err != nil:
			return "", err
		default:
			fmt.Fprintf(&b, "%s %s\n", s.name, line(s.location, data))
		}
	}
	return b.String(), nil
}
