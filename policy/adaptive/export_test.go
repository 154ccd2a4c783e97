package adaptive

import "github.com/firn-io/firn/policy"

// Spent returns what the masked rows of a leaf have cost, by the ledger.
func Spent(in policy.Input, pointer int) int64 {
	p := in.Pointers[pointer]
	return readLedger(in.History).paid(p, p.DVBytes, in.SequenceNumber-p.SequenceNumber)
}

// Ledger returns a ledger by which the leaves have cost so many bytes.
func Ledger(pointers []policy.Pointer, bytes ...int64) string {
	var l newLedger
	for i, p := range pointers {
		l.add(entry{accountOf(p), bytes[i]})
	}
	return l.String()
}
