package outlook

// FreshBytes returns what an outlook says that a table costs which begins now, by its commits up to a horizon.
func FreshBytes(files, entry, pointer, fixed, full, horizon float64) func(commits float64) float64 {
	a := Outlook{Files: files, Loose: entry, Entry: entry, Pointer: pointer, Fixed: fixed, Full: full}.fresh(grid(horizon))
	return func(commits float64) float64 {
		bytes, _ := a.at(commits, 0)
		return bytes
	}
}

// Grid is the grid of an outlook.
var Grid = grid
