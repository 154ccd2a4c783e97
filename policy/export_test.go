package policy

// FreshBytes returns what an outlook says that a table costs which begins now, by its commits up to a horizon.
func FreshBytes(files, entry, pointer, fixed, full, horizon float64) func(commits float64) float64 {
	a := outlook{files: files, loose: entry, entry: entry, pointer: pointer, fixed: fixed, full: full}.fresh(grid(horizon))
	return func(commits float64) float64 {
		bytes, _ := a.at(commits, 0)
		return bytes
	}
}

// Grid is the grid of an outlook.
var Grid = grid

// Spent returns what the masked rows of a leaf have cost, by the ledger.
func Spent(in Input, pointer int) int64 {
	p := in.Pointers[pointer]
	return readLedger(in.History).paid(p, p.DVBytes, in.SequenceNumber-p.SequenceNumber)
}

// Ledger returns a ledger by which the leaves have cost so many bytes.
func Ledger(pointers []Pointer, bytes ...int64) string {
	var l newLedger
	for i, p := range pointers {
		l.add(entry{account(p), bytes[i]})
	}
	return l.String()
}
