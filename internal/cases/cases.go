// Package cases is the register of the cases that are due: scenarios of the tree (S1, S2 and so on) and faults that
// were found in other implementations, restated for this one (B12 and so on). Each names the tests and scenario files
// that show it. The tests of this package fail when one of them is missing, and generate docs/cases.md.
//
// The package only reads text: it imports nothing of the module.
package cases

import "slices"

// Case is one case with the places that show it.
type Case struct {
	// ID is the case's id, a letter and a number.
	ID string
	// Title says in a few words what it is about.
	Title string
	// Parts are what the case asks for, one by one.
	Parts []Part
}

// Part is one thing that a case asks for.
type Part struct {
	// Asks says what must hold.
	Asks string
	// Where are the places that show it, at least one: a scenario file by its path from the module's root, or a test
	// as package.TestName with the package's path from there.
	Where []string
}

// Due returns the cases that are due, scenarios first, each kind by number.
func Due() []Case { return slices.Concat(scenarios, bugs) }

// scenario returns the path of the scenario file of an id in lower case.
func scenario(name string) string { return "internal/world/testdata/" + name + ".txt" }
