package invariants

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/firn-io/firn/metadata"
)

// maxStepBack is how far clocks may differ before v4, in milliseconds (B50).
const maxStepBack = 60_000

func checkNextRowID(m *metadata.Table, r reporter) {
	for i := range m.Snapshots {
		s := &m.Snapshots[i]
		if end := sum(s.FirstRowID.Val, s.AddedRows.Val); end > m.NextRowID {
			r.of(s).report("next-row-id", fmt.Sprintf("%d or more", end), m.NextRowID)
		}
	}
}

func checkRowIDRanges(m *metadata.Table, r reporter) {
	var takers []*metadata.Snapshot
	for i := range m.Snapshots {
		if s := &m.Snapshots[i]; s.FirstRowID.Valid && s.AddedRows.Val > 0 {
			takers = append(takers, s)
		}
	}
	slices.SortStableFunc(takers, func(a, b *metadata.Snapshot) int { return cmp.Compare(a.FirstRowID.Val, b.FirstRowID.Val) })
	for i := 1; i < len(takers); i++ {
		before, s := takers[i-1], takers[i]
		if end := sum(before.FirstRowID.Val, before.AddedRows.Val); s.FirstRowID.Val < end {
			r.of(s).report("snapshots.first-row-id", fmt.Sprintf("%d or more, the end of snapshot %d", end, before.ID), s.FirstRowID)
		}
	}
}

func checkSequences(m *metadata.Table, r reporter) {
	seen := make(map[int64]int64)
	for i := range m.Snapshots {
		s := &m.Snapshots[i]
		n := s.SequenceNumber
		first, twice := seen[n]
		switch {
		case n < 0, n == 0 && s.RootManifest.Valid:
			r.of(s).report("snapshots.sequence-number", "1 or more", n)
		case n > m.LastSequenceNumber:
			r.of(s).report("snapshots.sequence-number", fmt.Sprintf("at most last-sequence-number %d", m.LastSequenceNumber), n)
		case twice && n > 0:
			r.of(s).report("snapshots.sequence-number", fmt.Sprintf("another number than that of snapshot %d", first), n)
		}
		seen[n] = s.ID
	}
}

func checkSequenceOrder(m *metadata.Table, r reporter) {
	for s, parent := range parents(m) {
		if s.SequenceNumber <= parent.SequenceNumber && s.SequenceNumber > 0 {
			r.of(s).report("snapshots.sequence-number",
				fmt.Sprintf("above %d, the number of parent %d", parent.SequenceNumber, parent.ID), s.SequenceNumber)
		}
	}
}

func checkTimes(m *metadata.Table, r reporter) {
	for s, parent := range parents(m) {
		least := parent.TimestampMillis - maxStepBack
		if s.RootManifest.Valid {
			least = parent.TimestampMillis + 1
		}
		if s.TimestampMillis < least {
			r.of(s).report("snapshots.timestamp-ms",
				fmt.Sprintf("%d or later, by the time of parent %d", least, parent.ID), s.TimestampMillis)
		}
	}
}
