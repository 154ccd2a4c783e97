package oracle

import (
	"cmp"
	"slices"

	"github.com/firn-io/firn/invariants"
)

// Rule says what a finding of its ID means: one of the invariants, a rule of reading, or a rule of storage.
type Rule struct {
	// ID is short and never changes its meaning.
	ID string
	// Statement says in one sentence what holds.
	Statement string
	// SpecRule cites what the rule rests on, for instance "rules 9.3".
	SpecRule string
	// Firmness says how sure that is.
	Firmness invariants.Firmness
	// Severity is that of every finding of the rule.
	Severity Severity
	// Scope says what the rule looks at.
	Scope invariants.Scope
	// Depth says which leaves must be opened to decide an invariant, see [invariants.Invariant].
	Depth invariants.Depth
	// NeedsPromise says that a rule is for [invariants.CheckCommit] alone.
	NeedsPromise bool
	// Symptom says what a violation looks like, Advice what to do about one.
	Symptom, Advice string
	// Implies lists the IDs of what a check with all options finds too where the rule is violated in the smallest way.
	Implies []string
}

// The rules of reading.
var (
	readRoot = Rule{
		ID: "READ-ROOT", Statement: "The root manifest of a snapshot can be read.",
		SpecRule: "rules 1.6, 4.3", Firmness: invariants.Firm, Severity: Error, Scope: invariants.ScopeRoot,
		Symptom: "The file is missing, cut, damaged, or not a v4 manifest; nothing else was checked of this snapshot.",
		Advice:  "Restore the file from a copy, or go back to a snapshot whose root is readable.",
		Implies: []string{"SKIP-STORAGE"},
	}
	readLeaf = Rule{
		ID: "READ-LEAF", Statement: "A leaf manifest that a live row of the root points to can be read.",
		SpecRule: "rules 1.6, 4.3", Firmness: invariants.Firm, Severity: Error, Scope: invariants.ScopeLeaf,
		Symptom: "The file is missing, cut, damaged, not a v4 manifest, or of another length than the root states; " +
			"rules that need its rows were not checked.",
		Advice:  "Restore the file from a copy; its data files are lost to the table until then.",
		Implies: []string{"SKIP-STORAGE"},
	}
	skipLegacy = Rule{
		ID: "SKIP-LEGACY", Statement: "What is checked is of version 4: a root manifest, and v4 leaves.",
		SpecRule: "rules 1.2, 11.8", Firmness: invariants.Firm, Severity: Notice, Scope: invariants.ScopeTree,
		Symptom: "A snapshot has a manifest list, or a root points to a manifest of versions 1 to 3. That is legal; " +
			"these files are not read yet, so nothing was checked in them.",
		Advice:  "None is needed. To have everything checked, rewrite the table's manifests as v4 ones.",
		Implies: []string{"SKIP-STORAGE"},
	}
)

// Rules returns all rules: the invariants, of which some of scope commit need a promise that no check has, and what only
// a check can tell, of its clock, of what cannot be read and of storage. They are ordered by scope. The slice is the
// caller's (IV9).
func Rules() []Rule {
	var rules []Rule
	for _, inv := range invariants.All() {
		rules = append(rules, Rule{
			ID: inv.ID, Statement: inv.Statement, SpecRule: inv.Rule, Firmness: inv.Firmness,
			Severity: severityOf(inv.Severity), Scope: inv.Scope, Depth: inv.Depth, Symptom: inv.Symptom, Advice: inv.Advice,
			NeedsPromise: inv.NeedsPromise, Implies: inv.Implies,
		})
	}
	rules = slices.Concat(rules, []Rule{inTheFuture, readRoot, readLeaf, skipLegacy}, dataRules, storageRules)
	slices.SortStableFunc(rules, func(a, b Rule) int { return cmp.Compare(a.Scope, b.Scope) })
	return rules
}

// Lookup returns the rule of an ID.
func Lookup(id string) (Rule, bool) {
	rules := Rules()
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}
