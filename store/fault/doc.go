// Package fault puts faults between a program and its store: a call that fails before it has its effect, one
// that has its effect and is reported as failed, one that lands long after it was given up, one that ends the
// program; and the faults of stores that are themselves unsound: cut objects, stale listings.
//
// An [Injector] stands for one program, or one writer of a simulation. It wraps stores, keeps a journal of the
// calls made through them, and answers calls as its [Fault] values say. It starts no goroutine, draws no random
// number, reads no clock, and holds no lock while a wrapped store or a hook works, so that the same calls in the
// same order always end the same way.
//
// The text form of a fault is, in this order and with spaces between,
//
//	operation   put get range stat list delete load swap, or any
//	name        a pattern of names in which a star stands for any run of bytes; may be left out
//	#n          picks the n-th matching call from now on; without it each of them; may be left out
//	outcome     one of those that [Possible] lists for the operation
//	number      what goes with some outcomes, see [Fault.Number]; may be left out
//
// Words in common use for outcomes are read too: drop is unknown, land-lose is land-unknown, land-409 is
// land-conflict.
package fault
