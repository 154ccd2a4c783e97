// Package tamper is where the writer can be made to err on purpose, so that it can be shown that the checkers see it.
//
// Between two stages of a commit, the writer hands what it has through [Stage]. In a normal build that is the identity
// and costs nothing. In a build with the tag mutate one fault of a list can be switched on: it changes what is handed
// through at its seam, as a bug in the stage before would. The faults stand beside the code that they falsify, in files
// with that tag. docs/simulation.md lists them, with what found each.
package tamper

// Seam names a place between two stages of the writer.
type Seam string
