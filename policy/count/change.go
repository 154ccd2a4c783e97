package count

// Change is what a commit of a writer changes, in data files. A file that is replaced by another is one removed and one added.
type Change struct {
	// Added and Removed are data files.
	Added   int64 `json:"added"`
	Removed int64 `json:"removed"`
	// Modified are files that stay and get another deletion vector.
	Modified int64 `json:"modified"`
}

// Files are all files that the change touches.
func (c Change) Files() int64 { return c.Added + c.Removed + c.Modified }
