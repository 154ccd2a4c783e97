// Package soak runs many writers on one table at once: appends, removals, deleted rows, compactions, schema changes,
// maintenance and expiry, on real stores and catalogs, and holds the end to what each writer was told. It is the test
// behind `make soak`.
package soak
