// Package fault puts faults between a program and its store: a call that fails before it has its effect, one
// that has its effect and is reported as failed, one that ends the program.
//
// An [Injector] stands for one program, or one writer of a simulation. It wraps stores, keeps a list of the
// calls made through them, and answers calls as its [Fault] values say. It starts no goroutine, draws no random
// number and holds no lock while a wrapped store works, so that the same calls in the same order always end the
// same way.
package fault
