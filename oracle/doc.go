// Package oracle checks any Iceberg v4 table, root manifest, leaf manifest or manifest deletion vector, whoever wrote
// it, and says what it found. The command firn check prints what [Check] yields and adds nothing.
//
// A table is checked by its metadata file: the metadata, then the tree of the current snapshot with all its leaves, or,
// with [Options.History], every retained snapshot and every pair of parent and child. What is broken inside a table
// whose metadata can be read is a finding, a manifest that cannot be read among it, and the check goes on. A single
// manifest is held to the rules that need no table, its types taken from its own footer.
//
// With [Options.Storage] the objects that the table refers to are asked for, deletion vectors are held against their
// blobs and Puffin footers, and what nothing refers to is told. With [Options.Data] data files are read, and what their
// entries say is held against their rows.
package oracle
