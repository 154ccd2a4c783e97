package commit_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// set is a change of properties; one without a value is removed.
func set(pairs ...string) commit.MetadataChange {
	return func(m metadata.Table) (metadata.Table, error) {
		m.Properties = maps.Clone(m.Properties)
		for i := 0; i < len(pairs); i += 2 {
			m.Properties[pairs[i]] = pairs[i+1]
			if pairs[i+1] == "" {
				delete(m.Properties, pairs[i])
			}
		}
		return m, nil
	}
}

// foreign sets properties of a table as another engine does, which knows nothing of policies.
func foreign(t *testing.T, s testtable.Store, pairs ...string) {
	t.Helper()
	head, err := s.Open(3, nil).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m, _ := set(pairs...)(head.Metadata)
	m = m.Successor(tree.Relativize(testtable.Location, head.MetadataLocation), head.Metadata.LastUpdatedMillis)
	name := testtable.Location + "/metadata/00900-foreign.metadata.json"
	if _, err := treeio.PutMetadata(t.Context(), treeio.Parquet{}, s.Objects, name, m, metadata.Limits{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Catalog.Swap(t.Context(), testtable.ID, head.MetadataLocation, name); err != nil {
		t.Fatal(err)
	}
}

// wantSettings checks that an error refuses a change and names these and no more problems of settings.
func wantSettings(t *testing.T, err error, want ...string) {
	t.Helper()
	if len(want) == 0 {
		if err != nil {
			t.Error(err)
		}
		return
	}
	if !errors.Is(err, commit.ErrRefused) || strings.Count(err.Error(), "policy: ") != len(want) {
		t.Errorf("got %v", err)
		return
	}
	for _, part := range want {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v lacks %q", err, part)
		}
	}
}

// TestBadSettingsAreRefusedWhereTheyAreSet: a new table, or a change of properties, that brings in settings out of range is refused with
// all of them, and nothing is written.
func TestBadSettingsAreRefusedWhereTheyAreSet(t *testing.T) {
	bad := map[string]string{"firn.policy": "best", "firn.policy.rows": "0", "firn.policy.row": "1", "firn.policy.batch": "9223372036854775808"}
	all := []string{`names "best"`, `firn.policy.rows is "0", not a number from 1 to 9223372036854775807`, `no table property "firn.policy.row"`, `firn.policy.batch is "9223372036854775808"`}
	s, err := testtable.New(t.Context(), bad)
	wantSettings(t, err, all...)
	if names := s.Objects.Names(); len(names) > 0 {
		t.Errorf("objects are left: %q", names)
	}
	if _, err := s.Catalog.Load(t.Context(), testtable.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a table was made: %v", err)
	}

	s = newStore(t, map[string]string{"firn.policy": "cap", "firn.policy.rows": "4"}, testtable.Files(0, 6))
	table, before := s.Open(2, nil), s.Objects.Names()
	_, err = table.Update(t.Context(), set("firn.policy", "best", "firn.policy.rows", "0", "firn.policy.row", "1", "firn.policy.batch", "9223372036854775808"))
	wantSettings(t, err, all...)
	if after := s.Objects.Names(); !slices.Equal(before, after) {
		t.Errorf("objects are left: %q", after)
	}
	for _, change := range []commit.MetadataChange{
		set("owner", "me", "firn.polcy", "x"), set("firn.policy.rows", "5"), set("firn.policy.batch", "7"), set("firn.policy", ""),
		set("firn.policy", "tiered", "firn.policy.ratio", "3"),
	} {
		_, err := table.Update(t.Context(), change)
		wantSettings(t, err)
	}
	checkLive(t, s, 0, 1, 2, 3, 4, 5)
}

// TestForeignSettings: what another engine has set stops nobody from reading the table, and no commit unless the chosen policy reads it;
// then the commit is refused with all that it cannot use, until somebody puts it right, one after the other if need be, or names a
// policy for the one commit.
func TestForeignSettings(t *testing.T) {
	s := newStore(t, map[string]string{"firn.policy": "cap", "firn.policy.rows": "4"}, testtable.Files(0, 6))
	foreign(t, s, "firn.policy", "tiered", "firn.policy.batch", "many", "firn.policy.ratio", "1", "firn.policy.of-tomorrow", "x", "firn.policy.rows", "0")
	table := s.Open(5, nil)
	batch, ratio := `firn.policy.batch is "many"`, `firn.policy.ratio is "1"`
	checkLive(t, s, 0, 1, 2, 3, 4, 5)
	try := func(want ...string) {
		t.Helper()
		before := s.Objects.Names()
		_, err := table.Begin(t.Context(), commit.TxnOptions{})
		wantSettings(t, err, want...)
		if after := s.Objects.Names(); !slices.Equal(before, after) {
			t.Errorf("objects are left: %q", after)
		}
	}
	try(batch, ratio)
	x := begin(t, table, commit.TxnOptions{Policy: simple.Never{}}, func(x *commit.Txn) { x.Append(testtable.File(6)) })
	if _, err := x.Commit(t.Context()); err != nil {
		t.Error(err)
	}
	_, err := table.Update(t.Context(), set("owner", "me"))
	wantSettings(t, err)
	_, err = table.Update(t.Context(), set("firn.policy.batch", "3"))
	wantSettings(t, err)
	try(ratio)
	_, err = table.Update(t.Context(), set("firn.policy", "cap"))
	wantSettings(t, err, `firn.policy.rows is "0"`)
	_, err = table.Update(t.Context(), set("firn.policy.ratio", "3"))
	wantSettings(t, err)
	mustCommit(t, table, func(x *commit.Txn) { x.Append(testtable.Files(7, 10)...) })
	checkLive(t, s, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
}

// TestSettingsOfAWinner: a winner that spoils the settings while a commit is under way ends it, with nothing left behind; one that
// spoils those of another policy does not.
func TestSettingsOfAWinner(t *testing.T) {
	for key, want := range map[string][]string{"firn.policy.rows": {`firn.policy.rows is "x"`}, "firn.policy.ratio": nil} {
		s := newStore(t, map[string]string{"firn.policy": "cap", "firn.policy.rows": "4"}, testtable.Files(0, 6))
		x := begin(t, s.Open(5, nil), commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.Files(6, 12)...) })
		foreign(t, s, key, "x")
		before := s.Objects.Names()
		_, err := x.Commit(t.Context())
		wantSettings(t, err, want...)
		if after := s.Objects.Names(); want != nil && !slices.Equal(before, after) {
			t.Errorf("%s: objects are left: %q", key, after)
		}
	}
}
