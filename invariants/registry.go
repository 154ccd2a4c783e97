package invariants

import (
	"fmt"
	"slices"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// Scope says what a rule looks at. Scopes are ordered: to check one means to check those below it too, where the
// input has them. The zero Scope is invalid.
type Scope uint8

// The scopes.
const (
	// ScopeEntry rules look at one row, wherever it stands.
	ScopeEntry Scope = iota + 1
	// ScopeKeys rules look at the key-value metadata of a manifest file.
	ScopeKeys
	// ScopeRoot rules look at the rows of one root manifest and the facts of its snapshot.
	ScopeRoot
	// ScopeLeaf rules look at the raw rows of one leaf manifest.
	ScopeLeaf
	// ScopeTree rules look at a root and its leaves together.
	ScopeTree
	// ScopeTransition rules look at a snapshot and its parent.
	ScopeTransition
	// ScopeHistory rules look at a line of snapshots, each the child of the one before.
	ScopeHistory
	// ScopeCommit rules look at what a transaction promised and at the snapshot that it made, with its parent.
	ScopeCommit
	// ScopeMetadata rules look at the table metadata.
	ScopeMetadata
	// ScopeData rules look at an entry and the rows of its data file.
	ScopeData
	// ScopeStorage rules look at the objects that a table refers to, and at those beside them. None of them is in this
	// registry, for they need a store.
	ScopeStorage
)

var scopeNames = [...]string{"", "entry", "keys", "root", "leaf", "tree", "transition", "history", "commit", "metadata", "data", "storage"}

// String returns the scope's name.
func (s Scope) String() string { return nameOf(scopeNames[:], int(s)) }

// Severity says how bad a violation is. The zero Severity is invalid (IV1).
type Severity uint8

// The severities.
const (
	// Error marks a tree that is broken, or that readers may read differently.
	Error Severity = iota + 1
	// Warning marks a departure from draft or open rules, or from good practice.
	Warning
)

var severityNames = [...]string{"", "error", "warning"}

// String returns the severity's name.
func (s Severity) String() string { return nameOf(severityNames[:], int(s)) }

// Firmness says how sure the rule is on which an invariant rests. The zero Firmness is invalid (IV1).
type Firmness uint8

// The grades of firmness.
const (
	// Firm rules stand in the merged specification or in merged code.
	Firm Firmness = iota + 1
	// Derived rules follow from firm ones without being stated.
	Derived
	// Draft rules stand in proposals.
	Draft
	// Open rules are disputed or unanswered; the invariant is this project's cautious choice.
	Open
)

var firmnessNames = [...]string{"", "firm", "derived", "draft", "open"}

// String returns the grade's name.
func (f Firmness) String() string { return nameOf(firmnessNames[:], int(f)) }

func nameOf(names []string, i int) string {
	if i > 0 && i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown (%d)", i)
}

// Depth says which leaves a check may open. The zero Depth opens none.
type Depth uint8

// The depths.
const (
	// RootOnly opens no leaf.
	RootOnly Depth = iota
	// AddedLeaves opens the leaves whose pointer is ADDED in the snapshot under check: those that it wrote.
	AddedLeaves
	// RewrittenLeaves opens, of a snapshot and its parent, those too to which the child does not point any more, for it
	// moved their rows elsewhere. A leaf of which no entry was live any more, by the counts and the bitmap of its
	// pointer, is not opened. Of a lone snapshot it opens what AddedLeaves does (IV12).
	RewrittenLeaves
	// AllLeaves opens every leaf of data files that the check needs.
	AllLeaves
)

var depthNames = [...]string{"root only", "added leaves", "rewritten leaves", "all leaves"}

// String returns the depth's name.
func (d Depth) String() string {
	if int(d) < len(depthNames) {
		return depthNames[d]
	}
	return fmt.Sprintf("unknown (%d)", d)
}

// Invariant is one rule of the registry.
type Invariant struct {
	// ID is short and never changes its meaning.
	ID string
	// Statement says in one sentence what holds.
	Statement string
	// Rule cites the rules and choices that the invariant rests on, for instance "rules 9.3".
	Rule string
	// Firmness says how sure those rules are.
	Firmness Firmness
	// Severity says how bad a violation is.
	Severity Severity
	// Scope says what the rule looks at.
	Scope Scope
	// Depth says from which depth on a rule of scope tree, transition, history or commit is decided; a shallower check
	// finds some violations of it or none.
	Depth Depth
	// Symptom says what a violation looks like.
	Symptom string
	// Advice says what to do about one.
	Advice string
	// NeedsPromise says that a rule of scope commit is for [CheckCommit] alone; [History] checks the others too.
	NeedsPromise bool
	// Implies lists the IDs that a smallest violation of this rule violates too.
	Implies []string

	check checker
}

// checker holds the one function that decides an invariant. Which field is set says what the function is called
// for.
type checker struct {
	entry      func(*entryInput, reporter)      // each row
	keys       func(*keysInput, reporter)       // each manifest file
	rootRow    func(*rootRow, reporter)         // each row of a root
	root       func(*snapshot, reporter)        // each root
	leafRow    func(*tree.Entry, reporter)      // each row of a leaf
	leaf       func(*leafFile, reporter)        // each leaf
	openLeaf   func(*openLeaf, reporter)        // each leaf of a tree, together with its pointer
	openRow    func(*openLeaf, *file, reporter) // each row of such a leaf, after inheritance
	tree       func(*treeInput, reporter)       // each tree
	totals     func(*treeInput, reporter)       // each tree whose summary is known
	carried    func(*carriedPointer, reporter)  // each pointer that a tree has from its parent
	transition func(*transition, reporter)      // each pair of parent and child
	born       func(*lineTree, reporter)        // each tree of a history whose parent is not there
	line       func(*lineStep, reporter)        // each pair of a history, with what left the line before
	reused     func(*lineStep, reporter)        // the same, when all shares of its files were looked at
	commit     func(*commitInput, reporter)     // each commit whose promise is known
	metadata   func(*metadata.Table, reporter)  // each metadata file
	data       func(*dataInput, reporter)       // each data file that was read
}

// All returns the registry, ordered by scope and then by topic. The slice is the caller's.
func All() []Invariant {
	return slices.Concat(
		entryInvariants, partitionInvariants, statsInvariants, pointerInvariants,
		keysInvariants,
		rootInvariants, rootPointerInvariants, rootRowIDInvariants,
		leafInvariants,
		treeLeafInvariants, tightInvariants, treeInvariants, totalsInvariants,
		transitionInvariants, carryInvariants, changeInvariants, layoutInvariants,
		historyInvariants, commitInvariants,
		metadataInvariants, metadataNameInvariants, danglingInvariants,
		dataInvariants,
	)
}

// Lookup returns the invariant of an ID.
func Lookup(id string) (Invariant, bool) {
	for _, inv := range All() {
		if inv.ID == id {
			return inv, true
		}
	}
	return Invariant{}, false
}
