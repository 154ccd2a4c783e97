package mergeappend

// FilesOf returns the files of each manifest of a table, the oldest first.
func FilesOf(t *Table) []int64 {
	var all []int64
	for _, m := range t.manifests {
		all = append(all, m.added+m.carried)
	}
	return all
}
