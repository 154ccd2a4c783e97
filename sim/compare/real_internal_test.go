package compare

import (
	"testing"
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
