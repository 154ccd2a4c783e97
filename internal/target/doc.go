// Package target knows how people name things on a command line: catalogs, warehouses, tables, snapshots and
// files, and the places where the locations of a copied table really lie.
package target
