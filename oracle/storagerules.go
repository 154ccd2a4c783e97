package oracle

import (
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/invariants"
)

// The rules of storage, which hold between a table and the objects that it names (IV18).
var (
	missing = Rule{
		ID: "S-MISSING", Statement: "Every data file, Puffin file and statistics file that a retained snapshot or the metadata refers to exists.",
		SpecRule: "rules 2.1, 2.3.2, 12.2", Firmness: invariants.Firm, Severity: Error, Scope: invariants.ScopeStorage,
		Symptom: "The object is not there. A clean-up that did not know the table, or somebody's hand, has deleted it.",
		Advice:  "Restore the object from a copy. Else remove the data file from the table: its rows are lost.",
		Implies: []string{"READ-DATA"},
	}
	wrongSize = Rule{
		ID: "S-SIZE", Statement: "A data file has the length that its entry states.",
		SpecRule: "rules 2.1", Firmness: invariants.Firm, Severity: Error, Scope: invariants.ScopeStorage,
		Symptom: "The object is cut, or another one was written in its place. Readers look for the footer at the wrong place.",
		Advice:  "Restore the object from a copy; do not write to files of a table.",
	}
	vectorBlob = Rule{
		ID: "S-DV-BLOB", Statement: "The blob of a deletion vector can be read and has as many rows as the entry states, all of them rows of the file.",
		SpecRule: "rules 2.3, 10.1", Firmness: invariants.Firm, Severity: Error, Scope: invariants.ScopeStorage,
		Symptom: "Readers fail, or delete other rows than were meant.",
		Advice:  "Restore the Puffin file from a copy, or rewrite the data file from what is known to be deleted.",
	}
	vectorFooter = Rule{
		ID: "S-DV-FOOTER", Statement: "The footer of a Puffin file describes a deletion vector as the entry does, and assigns it to the same data file.",
		SpecRule: "rules 2.3.1, 10.2", Firmness: invariants.Firm, Severity: Error, Scope: invariants.ScopeStorage,
		Symptom: "Readers that go by the footer find other rows, or the rows of another file.",
		Advice:  "Delete the rows again with a writer that writes both; nothing tells here which of the two is right.",
	}
	vectorProperty = Rule{
		ID: "S-DV-PROPERTY", Statement: "The footer of a Puffin file has all properties that a deletion vector must have.",
		SpecRule: "rules 2.3.1", Firmness: invariants.Firm, Severity: Warning, Scope: invariants.ScopeStorage,
		Symptom: "Which rows are deleted is not in doubt, but a strict reader may refuse the file.",
		Advice:  "Use a writer that sets the property.",
	}
	vectorGrows = Rule{
		ID: "S-DV-GROWS", Statement: "A deletion vector has every row of the one that its file had before in the same line of retained snapshots.",
		SpecRule: "rules 10.1, B34", Firmness: invariants.Firm, Severity: Error, Scope: invariants.ScopeStorage,
		Symptom: "Deleted rows are back.",
		Advice:  "Delete the rows again, and merge earlier deletes into each new deletion vector.",
	}
	orphan = Rule{
		ID: "S-ORPHAN", Statement: "Every object below a table's location that is older than 72 hours is one that the table reaches.",
		SpecRule: "none", Firmness: invariants.Firm, Severity: Warning, Scope: invariants.ScopeStorage,
		Symptom: "The object costs storage and does no harm. A crashed writer has left it, or an expiry that was interrupted.",
		Advice:  "firn orphans lists such objects and deletes them.",
	}
	newOrphan = Rule{
		ID: "S-ORPHAN-NEW", Statement: "Every object below a table's location is one that the table reaches, or belongs to a commit that is under way.",
		SpecRule: "none", Firmness: invariants.Firm, Severity: Notice, Scope: invariants.ScopeStorage,
		Symptom: "The object is younger than 72 hours, so that it may belong to a commit that is under way.",
		Advice:  "None is needed. Check again later.",
	}
	skipStorage = Rule{
		ID: "SKIP-STORAGE", Statement: "All that a table reaches can be followed.",
		SpecRule: "none", Firmness: invariants.Firm, Severity: Notice, Scope: invariants.ScopeStorage,
		Symptom: "Something was not followed, so that not all objects were asked for, and orphans not looked for.",
		Advice:  "Mend what other findings name, and check again.",
	}
)

// storageRules are the rules that only a check with [Options.Storage] reports.
var storageRules = []Rule{
	missing, wrongSize, vectorBlob, vectorFooter, vectorProperty, vectorGrows, orphan, newOrphan, skipStorage,
}

// footerRule returns the rule that a fault of a footer breaks.
func footerRule(f dv.Fault) Rule {
	if f.Warning() {
		return vectorProperty
	}
	return vectorFooter
}
