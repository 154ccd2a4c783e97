// Package mutate shows that the checkers see a writer that errs. With the build tag mutate its tests switch on the faults of
// package tamper, one at a time, run short scripts of package world, and print which rule found the fault. `make mutate`
// runs them.
package mutate
