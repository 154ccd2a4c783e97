package compare

import (
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/tree"
)

// TestTablesForget: a table in memory keeps what its last snapshots reach, however many commits were before.
func TestTablesForget(t *testing.T) {
	for _, name := range []string{"stream", "cdc"} {
		w, err := WorkloadByName(name, 3)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Choose("adaptive")
		if err != nil {
			t.Fatal(err)
		}
		real, err := small(Simulator).newRealTable(t.Context(), w, p)
		if err != nil {
			t.Fatal(err)
		}
		next := w.Start(1, 400)
		for change, more := next(); more; change, more = next() {
			if err := real.apply(t.Context(), change, func(written) {}); err != nil {
				t.Fatal(err)
			}
		}
		// A snapshot has a metadata file, a root and the leaves that it wrote.
		most := 3*trimSnapshots + len(real.pointers)
		if n := len(real.codec.kept); n < len(real.pointers) || n > most {
			t.Errorf("%s: %d manifests and metadata files are kept, want at most %d", name, n, most)
		}
	}
}

// TestRewrittenInLearnedPrices: what a commit of a writer wrote of old leaves again is told in the prices that the policy counted with,
// which its limit is of.
func TestRewrittenInLearnedPrices(t *testing.T) {
	w, err := WorkloadByName("stream", 10)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Choose("adaptive:foreground-bytes=60000")
	if err != nil {
		t.Fatal(err)
	}
	c := small(Simulator)
	real, err := c.newRealTable(t.Context(), w, p)
	if err != nil {
		t.Fatal(err)
	}
	const dearer = 3 // than estimated, all leaves
	real.codec.columns = 3 * dearer * c.Columns
	again := int64(0)
	next := w.Start(1, 250)
	for change, more := next(); more; change, more = next() {
		err := real.apply(t.Context(), change, func(x written) {
			if !x.maintenance {
				again = max(again, x.rewritten)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if again > 60_000 || again < 30_000 {
		t.Errorf("%d bytes of old leaves written again at most, want nearly 60,000", again)
	}
}

// TestPlaces: a file that a leaf holds is changed without that leaf being read, wherever merges have brought it, and is the file that was
// meant.
func TestPlaces(t *testing.T) {
	ctx := t.Context()
	w, err := WorkloadByName("cdc", 3)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Choose("tiered:batch=10:ratio=3")
	if err != nil {
		t.Fatal(err)
	}
	real, err := small(Simulator).newRealTable(ctx, w, p)
	if err != nil {
		t.Fatal(err)
	}
	next := w.Start(1, 200)
	for change, more := next(); more; change, more = next() {
		if err := real.apply(ctx, change, func(written) {}); err != nil {
			t.Fatal(err)
		}
	}
	live, held := 0, 0
	head, err := real.table.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := real.places.find(ctx, head.Tree, real.codec.Leaves(real.objects)); err != nil {
		t.Fatal(err)
	}
	for l, err := range real.table.Files(ctx, head, tree.Full) {
		if err != nil {
			t.Fatal(err)
		}
		at := real.places.of[l.Location]
		if live++; at != nil {
			held++
		}
		if (at != nil) != (l.Manifest != "") || at != nil && (at.Manifest != l.Manifest || at.Position != l.Position) {
			t.Fatalf("%s is at %+v, known at %+v", l.Location, l, at)
		}
	}
	if live != real.files.live || held != len(real.places.of) || held < live/2 {
		t.Errorf("%d files, of which leaves hold %d; %d and %d are known", live, held, real.files.live, len(real.places.of))
	}
	for _, f := range real.files.files {
		if target := real.places.target(f); !f.gone && target.Hint != nil {
			txn, err := real.table.Begin(ctx, commit.TxnOptions{Policy: simple.Never{}})
			if err != nil {
				t.Fatal(err)
			}
			txn.Remove(target)
			if r, err := txn.Commit(ctx); err != nil || r.LeavesOpened != 0 {
				t.Errorf("%d leaves opened, %v", r.LeavesOpened, err)
			}
			return
		}
	}
	t.Error("no file has a place")
}
