package invariants_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/invariants"
)

// example is a smallest violation of one invariant: a sample that is in order, its repaired twin, and what breaks it.
type example struct {
	id    string
	good  func() *sample
	spoil func(*sample)
}

func examples() []example {
	return slices.Concat(entryExamples, partitionExamples, statsExamples, pointerExamples, keysExamples, rootExamples,
		rootPointerExamples, rootRowIDExamples, leafExamples, treeLeafExamples, treeExamples, totalsExamples, transitionExamples,
		carryExamples, changeExamples, historyExamples, commitExamples, commitsInHistory, metadataExamples, dataExamples)
}

// Each example violates its invariant and, beside it, exactly those that the registry says it implies; its twin
// violates none.
func TestRegistry(t *testing.T) {
	proved := make(map[string]int)
	for _, x := range examples() {
		inv, ok := invariants.Lookup(x.id)
		if !ok {
			t.Errorf("%s: an example of an invariant that is not in the registry", x.id)
			continue
		}
		proved[x.id]++
		t.Run(x.id, func(t *testing.T) {
			t.Run("repaired", func(t *testing.T) {
				if found := x.good().violations(invariants.AllLeaves); len(found) > 0 {
					t.Errorf("not clean: %s", messages(found))
				}
			})
			t.Run("broken", func(t *testing.T) {
				broken := x.good()
				x.spoil(broken)
				found := broken.violations(invariants.AllLeaves)
				want := slices.Sorted(slices.Values(append([]string{x.id}, inv.Implies...)))
				if diff := cmp.Diff(want, ids(found)); diff != "" {
					t.Errorf("violations (-want +got):\n%s%s", diff, messages(found))
				}
				checkShallow(t, broken, inv, found)
			})
		})
	}
	for _, inv := range invariants.All() {
		if proved[inv.ID] == 0 {
			t.Errorf("%s has no example", inv.ID)
		}
	}
	t.Logf("%d invariants, %d examples, each with a clean twin", len(invariants.All()), len(examples()))
}

// byNumber says what else numbers of files tell, where the leaf is closed that would tell which file it is.
var byNumber = map[string][]string{"X-KEPT": {"X-INVENTED"}}

// checkShallow checks that a violation is found from the invariant's depth on, and that less depth finds nothing else.
func checkShallow(t *testing.T, broken *sample, inv invariants.Invariant, full []invariants.Violation) {
	t.Helper()
	for depth := invariants.RootOnly; depth < invariants.AllLeaves; depth++ {
		found := ids(broken.violations(depth))
		if depth >= inv.Depth && !slices.Contains(found, inv.ID) {
			t.Errorf("not found at depth %q", depth)
		}
		for _, id := range found {
			if !slices.Contains(ids(full), id) && !slices.Contains(byNumber[inv.ID], id) {
				t.Errorf("at depth %q also %s", depth, id)
			}
		}
	}
}

func messages(found []invariants.Violation) string {
	var b strings.Builder
	for _, v := range found {
		b.WriteString("\n\t" + v.Message())
	}
	return b.String()
}

// Every entry of the registry is complete, and no ID stands twice.
func TestRegistryIsComplete(t *testing.T) {
	seen := make(map[string]bool)
	scope := invariants.ScopeEntry
	for _, inv := range invariants.All() {
		if seen[inv.ID] {
			t.Errorf("%s stands twice", inv.ID)
		}
		seen[inv.ID] = true
		if inv.Scope < scope {
			t.Errorf("%s: scope %s after %s", inv.ID, inv.Scope, scope)
		}
		scope = inv.Scope
		for name, text := range map[string]string{
			"statement": inv.Statement, "symptom": inv.Symptom, "advice": inv.Advice,
		} {
			if !strings.HasSuffix(text, ".") || strings.Contains(text, "  ") {
				t.Errorf("%s: the %s is not a sentence: %q", inv.ID, name, text)
			}
		}
		if !strings.HasPrefix(inv.Rule, "rules ") {
			t.Errorf("%s: no rule cited: %q", inv.ID, inv.Rule)
		}
		for _, n := range []string{inv.Severity.String(), inv.Firmness.String(), inv.Scope.String(), inv.Depth.String()} {
			if strings.HasPrefix(n, "unknown") {
				t.Errorf("%s: %s", inv.ID, n)
			}
		}
		if prefix := map[invariants.Scope]string{
			invariants.ScopeEntry: "E-", invariants.ScopeKeys: "K-", invariants.ScopeRoot: "R-", invariants.ScopeLeaf: "L-",
			invariants.ScopeTree: "T-", invariants.ScopeTransition: "X-", invariants.ScopeHistory: "H-", invariants.ScopeCommit: "C-",
			invariants.ScopeMetadata: "M-", invariants.ScopeData: "D-",
		}[inv.Scope]; !strings.HasPrefix(inv.ID, prefix) {
			t.Errorf("%s: the scope is %s", inv.ID, inv.Scope)
		}
	}
	for _, inv := range invariants.All() {
		for _, id := range inv.Implies {
			if !seen[id] {
				t.Errorf("%s implies %s, which is not there", inv.ID, id)
			}
		}
	}
}

// Each of the minimum checks of rules 20 is the ground of some invariant.
func TestMinimumChecksAreCited(t *testing.T) {
	for n := 1; n <= 12; n++ {
		cited := slices.ContainsFunc(invariants.All(), func(inv invariants.Invariant) bool {
			return slices.Contains(strings.Split(strings.TrimPrefix(inv.Rule, "rules "), ", "), fmt.Sprintf("20.%d", n))
		})
		if !cited {
			t.Errorf("no invariant cites rules 20.%d", n)
		}
	}
}
