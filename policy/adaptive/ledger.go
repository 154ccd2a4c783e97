package adaptive

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"math"
	"path"
	"slices"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/internal/bounded"
)

// ledger is what the masked leaves of a table have cost so far: bytes that commits wrote of their deletion vectors, and what it
// counts that plans read their dead rows. It stands in the summary of the newest snapshot, since neither root nor snapshots
// tell it (F35).
type ledger struct {
	spent map[uint32]int64
	// commits is how many came since it was written, this one counted; 0 if there is no ledger.
	commits int64
	// least is the smallest amount of a ledger that had no room for more; what is not in it has cost no more.
	least int64
}

const (
	summaryLedger = policy.SummaryPrefix + "dv-spent"
	// mostLeaves is how many masked leaves a ledger has room for, so that all keys of a summary stay below 1 KB.
	mostLeaves = 96
	// accountBytes is the size of one account: 24 bits of its leaf's name, and 32 of bytes.
	accountBytes = 7
)

// accountOf returns the name of a leaf in the ledger. Two leaves of one name share an account, which does no harm.
func accountOf(p policy.Pointer) uint32 {
	h := fnv.New32a()
	h.Write([]byte(path.Base(p.Location)))
	sum := h.Sum32()
	return sum>>24 ^ sum&0xff_ffff
}

// readLedger finds the newest ledger of a line of snapshots; one without accounts is not written. One that cannot be read is none.
func readLedger(history []policy.Snapshot) ledger {
	for i, s := range slices.Backward(history) {
		if _, ours := s.Summary[summaryRate]; !ours {
			continue
		}
		data, err := base64.RawURLEncoding.DecodeString(s.Summary[summaryLedger])
		if err != nil || len(data)%accountBytes != 0 {
			return ledger{}
		}
		l := ledger{spent: make(map[uint32]int64), commits: int64(len(history) - i), least: math.MaxInt64}
		for a := range slices.Chunk(data, accountBytes) {
			n := int64(binary.BigEndian.Uint32(a[3:]))
			l.spent[uint32(a[0])<<16|uint32(a[1])<<8|uint32(a[2])] = n
			l.least = min(l.least, n)
		}
		if len(l.spent) < mostLeaves {
			l.least = 0
		}
		return l
	}
	return ledger{}
}

// paid returns what a masked leaf has cost before this commit, if it costs rent in each, and has been there for some commits. Where
// nobody has kept account, its deletion vector is taken to have grown evenly from nothing.
func (l ledger) paid(p policy.Pointer, rent, age int64) int64 {
	guess := bounded.Times(rent, age/2)
	if l.commits == 0 {
		return guess
	}
	before, known := l.spent[accountOf(p)]
	if !known {
		before = min(l.least, guess)
	}
	return before + bounded.Times(rent, l.commits-1)
}

// entry is a line of a ledger.
type entry struct {
	account uint32
	bytes   int64
}

// newLedger is a ledger being written: the entries that cost most, those first, as many as it has room for.
type newLedger []entry

func (l *newLedger) add(e entry) {
	order := func(a, b entry) int { return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.account, b.account)) }
	if len(*l) == mostLeaves && order(e, (*l)[mostLeaves-1]) >= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(*l, e, order)
	*l = slices.Insert(*l, at, e)
	*l = (*l)[:min(len(*l), mostLeaves)]
}

// String returns the ledger as a summary has it.
func (l newLedger) String() string {
	var data []byte
	for _, e := range l {
		data = append(data, byte(e.account>>16), byte(e.account>>8), byte(e.account))
		data = binary.BigEndian.AppendUint32(data, uint32(min(e.bytes, math.MaxUint32)))
	}
	return base64.RawURLEncoding.EncodeToString(data)
}
