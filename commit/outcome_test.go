package commit_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/tree"
)

func arm(t *testing.T, i *fault.Injector, faults ...string) {
	t.Helper()
	for _, text := range faults {
		f, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := i.Arm(f); err != nil {
			t.Fatal(err)
		}
	}
}

// appendThrough appends file 5 to a table with file 0, with faults.
func appendThrough(t *testing.T, s testtable.Store, attempts int, faults ...string) (commit.Result, error) {
	t.Helper()
	var i fault.Injector
	x := begin(t, s.Open(2, &i), commit.TxnOptions{MaxAttempts: attempts}, func(x *commit.Txn) { x.Append(testtable.File(5)) })
	arm(t, &i, faults...)
	return x.Commit(t.Context())
}

// TestSwapOutcomes: a swap that landed is success whatever was reported, one that did not is tried again (B06).
func TestSwapOutcomes(t *testing.T) {
	for _, c := range []struct {
		fault    string
		attempts int
	}{
		{"swap #1 land-unknown", 1},
		{"swap #1 land-conflict", 1},
		{"swap #1 unknown", 2},
		{"swap #1 conflict", 2},
		{"swap #1 fail", 2},
	} {
		t.Run(c.fault, func(t *testing.T) {
			s := newStore(t, nil, testtable.Files(0, 1))
			r, err := appendThrough(t, s, 5, c.fault)
			if err != nil || r.Attempts != c.attempts {
				t.Errorf("%d attempts, %v", r.Attempts, err)
			}
			checkLive(t, s, 0, 5)
			checkNoOrphans(t, s)
		})
	}
}

// TestLandedAndOvertaken: the swap landed, was reported as a conflict, and another writer committed on top before
// the transaction looked (B06 b).
func TestLandedAndOvertaken(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 1))
	var i fault.Injector
	env := testtable.Env(2)
	detach := env.Detach
	env.Detach = func(ctx context.Context, millis int64) (context.Context, context.CancelFunc) {
		if head, err := s.Open(7, nil).Head(ctx); err == nil && len(head.Metadata.Snapshots) == 2 {
			mustCommit(t, s.Open(8, nil), func(x *commit.Txn) { x.Append(testtable.File(6)) })
		}
		return detach(ctx, millis)
	}
	table := commit.Open(testtable.ID, i.Catalog(s.Catalog), i.Objects(s.Objects), commit.Options{Env: env})
	x := begin(t, table, commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(5)) })
	arm(t, &i, "swap #1 land-conflict")
	r, err := x.Commit(t.Context())
	if err != nil || r.Attempts != 1 || r.SequenceNumber != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	checkLive(t, s, 0, 5, 6)
	checkNoOrphans(t, s)
}

func TestRefusedSwap(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 1))
	if _, err := appendThrough(t, s, 5, "swap #1 refuse"); !errors.Is(err, commit.ErrRefused) {
		t.Errorf("got %v", err)
	}
	checkLive(t, s, 0)
	checkNoOrphans(t, s)
}

// TestUnknown: while the outcome is not known nothing is deleted, and the token answers later.
func TestUnknown(t *testing.T) {
	for _, c := range []struct {
		name, fault string
		later       func(*testing.T, testtable.Store, commit.Token)
		want        commit.Outcome
		live        []int
	}{
		{"nothing happens", "swap unknown", func(*testing.T, testtable.Store, commit.Token) {}, commit.Unknown, []int{0}},
		{"another commits", "swap unknown", func(t *testing.T, s testtable.Store, _ commit.Token) {
			mustCommit(t, s.Open(3, nil), func(x *commit.Txn) { x.Append(testtable.File(6)) })
		}, commit.NotCommitted, []int{0, 6}},
		{"it lands late", "swap unknown", func(t *testing.T, s testtable.Store, token commit.Token) {
			if err := s.Catalog.Swap(t.Context(), testtable.ID, token.BaseMetadata, token.Metadata[1]); err != nil {
				t.Fatal(err)
			}
		}, commit.Committed, []int{0, 5}},
		{"it lands late and is overtaken", "swap unknown", func(t *testing.T, s testtable.Store, token commit.Token) {
			if err := s.Catalog.Swap(t.Context(), testtable.ID, token.BaseMetadata, token.Metadata[0]); err != nil {
				t.Fatal(err)
			}
			mustCommit(t, s.Open(3, nil), func(x *commit.Txn) { x.Append(testtable.File(6)) })
		}, commit.Committed, []int{0, 5, 6}},
		{"landed, then rolled back", "swap unknown", func(t *testing.T, s testtable.Store, token commit.Token) {
			if err := s.Catalog.Swap(t.Context(), testtable.ID, token.BaseMetadata, token.Metadata[0]); err != nil {
				t.Fatal(err)
			}
			rollBack(t, s)
		}, commit.Committed, []int{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t, nil, testtable.Files(0, 1))
			_, err := appendThrough(t, s, 2, c.fault)
			var unknown *commit.UnknownError
			if !errors.As(err, &unknown) || !errors.Is(err, commit.ErrUnknown) || len(unknown.Token.Metadata) != 2 {
				t.Fatalf("got %v", err)
			}
			for _, name := range unknown.Objects {
				if _, err := s.Objects.Stat(t.Context(), name); err != nil {
					t.Errorf("deleted while the outcome is unknown: %v", err)
				}
			}
			data, err := json.Marshal(unknown.Token)
			var token commit.Token
			if err := errors.Join(err, json.Unmarshal(data, &token)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(unknown.Token, token); diff != "" {
				t.Errorf("token after JSON: %s", diff)
			}
			c.later(t, s, token)
			got, err := s.Open(4, nil).Outcome(t.Context(), token)
			if got != c.want || err != nil {
				t.Errorf("outcome %s, %v; want %s", got, err, c.want)
			}
			checkLive(t, s, c.live...)
		})
	}
}

// rollBack points the branch main at the parent of its head, as an administrator might.
func rollBack(t *testing.T, s testtable.Store) {
	t.Helper()
	changeMetadata(t, s, func(m metadata.Table) (metadata.Table, error) {
		current, _ := m.Current()
		return m.WithRef(metadata.Ref{Name: metadata.MainBranch, Type: metadata.Branch, SnapshotID: current.ParentID.Val})
	})
}

// changeMetadata publishes a metadata file that no transaction made.
func changeMetadata(t *testing.T, s testtable.Store, change func(metadata.Table) (metadata.Table, error)) {
	t.Helper()
	head, err := s.Open(6, nil).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m, err := change(head.Metadata)
	if err != nil {
		t.Fatal(err)
	}
	data, err := m.Successor(head.MetadataLocation, m.LastUpdatedMillis+1).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	name := head.MetadataLocation + ".changed.metadata.json"
	if err := s.Objects.Put(t.Context(), name, data); err != nil {
		t.Fatal(err)
	}
	if err := s.Catalog.Swap(t.Context(), testtable.ID, head.MetadataLocation, name); err != nil {
		t.Fatal(err)
	}
}

// TestWinnerChangedTheTable: what is not decided yet is a conflict that says so, and what does not concern the
// transaction is not in its way.
func TestWinnerChangedTheTable(t *testing.T) {
	wider := func(m metadata.Table) (metadata.Table, error) {
		return m.WithSchema(iceberg.NewSchema(1, append(m.Schema().Fields(),
			iceberg.NestedField{ID: 2, Name: "more", Type: iceberg.PrimitiveTypes.String})...))
	}
	stricter := func(m metadata.Table) (metadata.Table, error) {
		s := iceberg.NewSchema(1, append(m.Schema().Fields(),
			iceberg.NestedField{ID: 2, Name: "must", Type: iceberg.PrimitiveTypes.String, Required: true})...)
		m.Schemas, m.CurrentSchemaID, m.LastColumnID = append(slices.Clone(m.Schemas), s), 1, 2
		return m, nil
	}
	properties := func(m metadata.Table) (metadata.Table, error) {
		return m.WithProperties(map[string]string{"a": "b"}), nil
	}
	moved := func(m metadata.Table) (metadata.Table, error) {
		m.Location.Val = "mem://elsewhere"
		return m, nil
	}
	replaced := func(m metadata.Table) (metadata.Table, error) {
		m.UUID = "99999999-2222-3333-4444-555555555555"
		return m, nil
	}
	back := func(m metadata.Table) (metadata.Table, error) {
		current, _ := m.Current()
		return m.WithRef(metadata.Ref{Name: metadata.MainBranch, Type: metadata.Branch, SnapshotID: current.ParentID.Val})
	}
	for _, c := range []struct {
		name   string
		theirs func(metadata.Table) (metadata.Table, error)
		ours   func(*commit.Txn)
		rule   commit.Rule // empty: committed
	}{
		{"an optional column, we add", wider, func(x *commit.Txn) { x.Append(testtable.File(5)) }, ""},
		{"a required column, we add", stricter, func(x *commit.Txn) { x.Append(testtable.File(5)) }, commit.RuleAddSchema},
		{"schema, we remove", wider, func(x *commit.Txn) { x.Remove(testtable.Target(0)) }, ""},
		{"properties", properties, func(x *commit.Txn) { x.Append(testtable.File(5)) }, ""},
		{"location", moved, func(x *commit.Txn) { x.Append(testtable.File(5)) }, commit.RuleTableMoved},
		{"another table", replaced, func(x *commit.Txn) { x.Append(testtable.File(5)) }, commit.RuleTableReplaced},
		{"rolled back", back, func(x *commit.Txn) { x.Append(testtable.File(5)) }, commit.RuleBranchMoved},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t, nil, testtable.Files(0, 1), testtable.Files(1, 2))
			x := begin(t, s.Open(2, nil), commit.TxnOptions{}, c.ours)
			changeMetadata(t, s, c.theirs)
			_, err := x.Commit(t.Context())
			if c.rule == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var conflict *commit.ConflictError
			if !errors.As(err, &conflict) || conflict.Rule != c.rule {
				t.Errorf("got %v, want %s", err, c.rule)
			}
		})
	}
}

// TestRolledBackBehindExpiry: the branch is rolled back and goes another way while a commit is under way that has already
// moved on from its first base. Each base that is retained, and not of the branch any more, is a conflict, also where the
// one that the last attempt was made for has expired (F31).
func TestRolledBackBehindExpiry(t *testing.T) {
	for _, c := range []struct {
		name string
		// tagged is the snapshot that a tag retains, by its place among all of them.
		tagged int
		want   commit.Rule
	}{
		{"the first base is retained", 1, commit.RuleBranchMoved},
		{"the last base is retained", 2, commit.RuleBranchMoved},
		{"no base is retained", 0, ""}, // the branch goes on from the first snapshot
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t, nil, testtable.Files(0, 1), testtable.Files(1, 2))
			env := testtable.Env(2)
			asked := 0
			now := env.NowMillis
			env.NowMillis = func() int64 { // asked between the base and the swap of each attempt
				asked++
				switch asked {
				case 2: // of the first attempt
					mustCommit(t, s.Open(11, nil), func(x *commit.Txn) { x.Append(testtable.File(6)) })
					changeMetadata(t, s, func(m metadata.Table) (metadata.Table, error) {
						return m.WithRef(metadata.Ref{Name: "kept", Type: metadata.Tag, SnapshotID: m.Snapshots[c.tagged].ID})
					})
				case 4: // of the second one
					goElsewhere(t, s)
				}
				return now()
			}
			table := commit.Open(testtable.ID, s.Catalog, s.Objects, commit.Options{Env: env})
			x := begin(t, table, commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(5)) })
			_, err := x.Commit(t.Context())
			var conflict *commit.ConflictError
			if errors.As(err, &conflict); c.want == "" && err != nil || c.want != "" && (conflict == nil || conflict.Rule != c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// goElsewhere rolls main back to the first snapshot, commits three more, and expires all that but the last two need.
func goElsewhere(t *testing.T, s testtable.Store) {
	t.Helper()
	changeMetadata(t, s, func(m metadata.Table) (metadata.Table, error) {
		return m.WithRef(metadata.Ref{Name: metadata.MainBranch, Type: metadata.Branch, SnapshotID: m.Snapshots[0].ID})
	})
	for n := range 3 {
		mustCommit(t, s.Open(int64(12+n), nil), func(x *commit.Txn) { x.Append(testtable.File(7 + n)) })
	}
	policy := metadata.ExpiryPolicy{KeepLast: 2}
	policy.OlderThanMillis.Val, policy.OlderThanMillis.Valid = 1<<50, true
	if _, err := maintain.Expire(t.Context(), s.Open(15, nil), maintain.ExpireOptions{Policy: policy, KeepFiles: true}); err != nil {
		t.Fatal(err)
	}
}

// TestExhausted: a writer that always loses gives up, and a context that ends between attempts is no bare error.
func TestExhausted(t *testing.T) {
	for _, cancelled := range []bool{false, true} {
		s := newStore(t, nil, testtable.Files(0, 1))
		env := testtable.Env(2)
		n := 10
		lose := func() {
			n++
			mustCommit(t, s.Open(int64(n), nil), func(x *commit.Txn) { x.Append(testtable.File(n)) })
		}
		env.Sleep = func(context.Context, int64) error {
			if cancelled {
				return context.Canceled
			}
			return nil
		}
		now := env.NowMillis
		env.NowMillis = func() int64 { // asked between the base and the swap of each attempt
			lose()
			return now()
		}
		table := commit.Open(testtable.ID, s.Catalog, s.Objects, commit.Options{Env: env})
		x := begin(t, table, commit.TxnOptions{MaxAttempts: 3}, func(x *commit.Txn) { x.Append(testtable.File(5)) })
		_, err := x.Commit(t.Context())
		var exhausted *commit.ExhaustedError
		if !errors.As(err, &exhausted) || cancelled != errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if want := map[bool]int{false: 3, true: 1}[cancelled]; exhausted != nil && exhausted.Attempts != want {
			t.Errorf("%d attempts, want %d", exhausted.Attempts, want)
		}
		checkNoOrphans(t, s)
	}
}

// TestRootRenamed: the commit landed, and somebody rewrote the metadata so that the snapshot names a copy of the root.
// The transaction finds its snapshot, but it no longer knows which objects the table refers to, and removes none.
func TestRootRenamed(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 1))
	var i fault.Injector
	env := testtable.Env(2)
	detach := env.Detach
	var before []string
	env.Detach = func(ctx context.Context, millis int64) (context.Context, context.CancelFunc) {
		changeMetadata(t, s, func(m metadata.Table) (metadata.Table, error) {
			last := &m.Snapshots[len(m.Snapshots)-1]
			root := testtable.Location + "/" + last.RootManifest.Val
			data, err := s.Objects.Get(ctx, root, 0)
			if err != nil {
				return m, err
			}
			last.RootManifest.Val = "metadata/copy.parquet"
			return m, s.Objects.Put(ctx, testtable.Location+"/metadata/copy.parquet", data)
		})
		before = s.Objects.Names()
		return detach(ctx, millis)
	}
	table := commit.Open(testtable.ID, i.Catalog(s.Catalog), i.Objects(s.Objects), commit.Options{Env: env})
	x := begin(t, table, commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(5)) })
	arm(t, &i, "swap #1 land-unknown")
	if _, err := x.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, s.Objects.Names()); diff != "" {
		t.Errorf("objects were removed: %s", diff)
	}
	checkLive(t, s, 0, 5)
}

// TestRetriesStartOnTheNewestState: who commits while the transaction waits is part of its next base, and costs no
// attempt.
func TestRetriesStartOnTheNewestState(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 1))
	env := testtable.Env(2)
	n := 10
	win := func() {
		n++
		mustCommit(t, s.Open(int64(n), nil), func(x *commit.Txn) { x.Append(testtable.File(n)) })
	}
	env.Sleep = func(context.Context, int64) error {
		win()
		return nil
	}
	table := commit.Open(testtable.ID, s.Catalog, s.Objects, commit.Options{Env: env})
	x := begin(t, table, commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(5)) })
	win()
	r, err := x.Commit(t.Context())
	if err != nil || r.Attempts != 2 {
		t.Errorf("%d attempts, %v", r.Attempts, err)
	}
	checkLive(t, s, 0, 5, 11, 12)
}

// TestPolicyThatLies: a plan that does not hold is refused, and nothing is left behind.
func TestPolicyThatLies(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 1))
	x := begin(t, s.Open(2, nil), commit.TxnOptions{Policy: emptyLeaf{}}, func(x *commit.Txn) { x.Append(testtable.File(5)) })
	if _, err := x.Commit(t.Context()); !errors.Is(err, commit.ErrRefused) {
		t.Errorf("got %v", err)
	}
	checkLive(t, s, 0)
	checkNoOrphans(t, s)
}

// emptyLeaf is a policy whose plan writes a leaf without rows.
type emptyLeaf struct{}

func (emptyLeaf) Name() string { return "empty-leaf" }

func (emptyLeaf) Plan(policy.Input) (policy.Plan, error) {
	return policy.Plan{Steps: []policy.Step{{Kind: policy.Push, Written: -1}}}, nil
}

// TestSelfCheck: somebody turned the table's next row id back; the new file would get ids that live rows have. The
// commit is refused before anything is published.
func TestSelfCheck(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 1))
	changeMetadata(t, s, func(m metadata.Table) (metadata.Table, error) {
		m.NextRowID = 50
		return m, nil
	})
	x := begin(t, s.Open(2, nil), commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(5)) })
	_, err := x.Commit(t.Context())
	var broken *commit.SelfCheckError
	if !errors.As(err, &broken) || !errors.Is(err, commit.ErrSelfCheck) || len(broken.Violations) == 0 {
		t.Fatalf("got %v", err)
	}
	t.Log(err)
	live, err := s.Live(t.Context())
	if err != nil || len(live) != 1 {
		t.Errorf("live files %v, %v", live, err)
	}
	checkNoOrphans(t, s)
}

// TestRefusedAfterUnknown: the outcome of the first swap was unknown, the second is refused, and by then the table has
// moved on: nothing was committed, and nothing is left behind.
func TestRefusedAfterUnknown(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 1))
	var i fault.Injector
	env := testtable.Env(2)
	attempts := 0
	now := env.NowMillis
	env.NowMillis = func() int64 { // asked between the base and the swap of each attempt
		if attempts++; attempts == 2 {
			mustCommit(t, s.Open(7, nil), func(x *commit.Txn) { x.Append(testtable.File(6)) })
		}
		return now()
	}
	table := commit.Open(testtable.ID, i.Catalog(s.Catalog), i.Objects(s.Objects), commit.Options{Env: env})
	x := begin(t, table, commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(5)) })
	arm(t, &i, "swap #1 unknown", "swap #2 refuse")
	if _, err := x.Commit(t.Context()); !errors.Is(err, commit.ErrRefused) {
		t.Errorf("got %v", err)
	}
	checkLive(t, s, 0, 6)
	checkNoOrphans(t, s)
}

// TestContextEndsAfterASwap: no error is a bare one of the context once a swap was sent, wherever it ends.
func TestContextEndsAfterASwap(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 1))
	ctx, cancel := context.WithCancel(t.Context())
	env := testtable.Env(2)
	env.Sleep = func(context.Context, int64) error {
		defer cancel() // after the pause, before the next attempt
		return nil
	}
	table := commit.Open(testtable.ID, s.Catalog, s.Objects, commit.Options{Env: env})
	x := begin(t, table, commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(5)) })
	mustCommit(t, s.Open(3, nil), func(x *commit.Txn) { x.Append(testtable.File(6)) })
	if _, err := x.Commit(ctx); !errors.Is(err, commit.ErrExhausted) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	checkLive(t, s, 0, 6)
	checkNoOrphans(t, s)
}

// TestWinnerExpiredTheBase: the base is no longer listed, but the winner names it as its parent: no rollback.
func TestWinnerExpiredTheBase(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 1))
	x := begin(t, s.Open(2, nil), commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(5)) })
	mustCommit(t, s.Open(3, nil), func(x *commit.Txn) { x.Append(testtable.File(6)) })
	changeMetadata(t, s, func(m metadata.Table) (metadata.Table, error) {
		m.Snapshots = m.Snapshots[1:]
		return m, nil
	})
	if _, err := x.Commit(t.Context()); err != nil {
		t.Error(err)
	}
	checkLive(t, s, 0, 5, 6)
}

// TestFoundThroughTheLog: the swap landed, its answer was lost, and the snapshot expired before the transaction looked.
func TestFoundThroughTheLog(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 1))
	var i fault.Injector
	env := testtable.Env(2)
	detach := env.Detach
	once := true
	env.Detach = func(ctx context.Context, millis int64) (context.Context, context.CancelFunc) {
		if once {
			once = false
			mustCommit(t, s.Open(3, nil), func(x *commit.Txn) { x.Append(testtable.File(6)) })
			changeMetadata(t, s, func(m metadata.Table) (metadata.Table, error) {
				m.Snapshots = m.Snapshots[2:]
				return m, nil
			})
		}
		return detach(ctx, millis)
	}
	table := commit.Open(testtable.ID, i.Catalog(s.Catalog), i.Objects(s.Objects), commit.Options{Env: env})
	x := begin(t, table, commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(5)) })
	arm(t, &i, "swap #1 land-unknown")
	r, err := x.Commit(t.Context())
	if err != nil || r.SequenceNumber != 2 {
		t.Errorf("sequence number %d, %v", r.SequenceNumber, err)
	}
	checkLive(t, s, 0, 5, 6)
}

// TestDoubtAboutAnObject: a put of unknown outcome is no doubt about the table, which names the object nowhere.
func TestDoubtAboutAnObject(t *testing.T) {
	for _, kind := range []string{"-m0.parquet", "/snap-*", "*.metadata.json"} {
		s := newStore(t, map[string]string{"firn.policy": "cap", "firn.policy.rows": "2"}, testtable.Files(0, 1))
		_, err := appendFiles(t, s, testtable.Files(5, 9), "put *"+kind+" #1 land-unknown")
		if err == nil || errors.Is(err, store.ErrUnknown) || errors.Is(err, commit.ErrUnknown) {
			t.Errorf("%s: got %v", kind, err)
		}
		checkLive(t, s, 0)
		checkNoOrphans(t, s)
	}
}

// appendFiles appends files through faults.
func appendFiles(t *testing.T, s testtable.Store, files []tree.File, faults ...string) (commit.Result, error) {
	t.Helper()
	var i fault.Injector
	x := begin(t, s.Open(2, &i), commit.TxnOptions{}, func(x *commit.Txn) { x.Append(files...) })
	arm(t, &i, faults...)
	return x.Commit(t.Context())
}

// TestWinnerRefreshedStatistics: the first attempt pushed a loose file into a leaf; the winner refreshed the file's
// statistics. The retry must not bring the old ones back with the leaf that it has already.
func TestWinnerRefreshedStatistics(t *testing.T) {
	s := newStore(t, cap4, testtable.Files(0, 3))
	x := begin(t, s.Open(2, nil), commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.Files(10, 15)...) })
	refresh(t, s, testtable.File(0).Location)
	if _, err := x.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkLive(t, s, 0, 1, 2, 10, 11, 12, 13, 14)
	checkNoOrphans(t, s)
	table := s.Open(4, nil)
	head, err := table.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for l, err := range table.Files(t.Context(), head, tree.Full) {
		if err != nil {
			t.Fatal(err)
		}
		if l.Location == testtable.File(0).Location && l.Entry.Stats[0].Tight.Val {
			t.Error("the bounds are tight again, which the winner took back")
		}
	}
}

// refresh commits a snapshot, as another engine might, in which the bounds of a loose file are no longer tight.
func refresh(t *testing.T, s testtable.Store, location string) {
	t.Helper()
	head, err := s.Open(6, nil).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows := slices.Clone(head.Tree.Rows)
	for i := range rows {
		rows[i].Tracking.Status = tree.Existing
		if tree.Resolve(head.Location, rows[i].Location) == location {
			rows[i].Stats = rows[i].Stats.Loosen()
		}
	}
	schema, err := manifestio.NewSchema(head.Metadata.Schema(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	root := testtable.Location + "/metadata/refreshed.parquet"
	if _, err := (treeio.Parquet{}).PutRoot(t.Context(), s.Objects, root, schema, rows); err != nil {
		t.Fatal(err)
	}
	some := func(v int64) iceberg.Optional[int64] { return iceberg.Optional[int64]{Val: v, Valid: true} }
	changeMetadata(t, s, func(m metadata.Table) (metadata.Table, error) {
		return m.WithSnapshot(metadata.Snapshot{
			ID: 777, ParentID: m.CurrentSnapshotID, SequenceNumber: m.LastSequenceNumber + 1,
			TimestampMillis: m.NextTimestamp(metadata.MainBranch, 0),
			RootManifest:    iceberg.Optional[string]{Val: "metadata/refreshed.parquet", Valid: true},
			Summary:         map[string]string{"operation": metadata.OpReplace},
			FirstRowID:      some(m.NextRowID), AddedRows: some(0),
		}, metadata.MainBranch, "")
	})
}
