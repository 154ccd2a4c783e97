// Package cli is the command firn: its subcommands, what they print, and the codes that they exit with. [Run] is
// the whole program in one call, so that tests run it in their own process.
//
// Standard output carries the answer only; everything else, errors first of all, goes to standard error.
package cli
