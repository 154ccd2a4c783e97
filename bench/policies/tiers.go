package main

import (
	"math"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/bound"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/policy/simple"
)

// tiered returns what tiers write for a stream of equal commits, or some number beyond most, unless that is 0. Only commits that push
// are looked at, and of a tier only how many leaves and files it has, so that a long stream takes milliseconds.
func tiered(t simple.Tiered, prices policy.Prices, full, files, commits, most int64) (int64, error) {
	batch, ratio := t.Batch, t.Ratio
	if batch == 0 {
		batch = simple.DefaultBatch
	}
	if ratio == 0 {
		ratio = simple.DefaultRatio
	}
	if batch+files > full {
		// A push may need several leaves, whose sizes depend on the commits that the files came with.
		s := &count.Stream{Table: count.Table{Prices: prices, Limits: policy.Limits{LeafRows: full}}, Policy: t}
		err := run(s, files, commits, most)
		return s.Bytes, err
	}
	c := tierCount{batch: batch, ratio: ratio, full: full}
	turn := max(1, (batch+files-1)/files) // commits from push to push
	// A commit of a turn has so many loose files of the commits before it and its own, all but the last.
	loose := prices.LooseBytes * files * turn * (turn - 1) / 2
	var bytes int64
	for range commits / turn {
		bytes += loose + c.leaves*prices.PointerBytes*(turn-1)
		bytes += prices.LeafFixedBytes + c.push(turn*files)*prices.LeafEntryBytes + c.leaves*prices.PointerBytes
		if most > 0 && bytes > most {
			return bytes, nil
		}
	}
	rest := commits % turn
	return bytes + prices.LooseBytes*files*rest*(rest+1)/2 + c.leaves*prices.PointerBytes*rest, nil
}

// tierCount is what tiers hold.
type tierCount struct {
	batch, ratio, full int64
	leaves             int64
	tiers              []tier
}

// tier counts the leaves of a tier and the files in them.
type tier struct{ leaves, files int64 }

// push takes so many loose files into a leaf, with all the tiers that it fills, and returns the files of the leaf.
func (c *tierCount) push(rows int64) int64 {
	for i := c.tierOf(rows); c.tiers[i].leaves+1 >= c.ratio && rows+c.tiers[i].files <= c.full; i++ {
		rows += c.tiers[i].files
		c.leaves -= c.tiers[i].leaves
		c.tiers[i] = tier{}
		if i == len(c.tiers)-1 {
			c.tiers = append(c.tiers, tier{})
		}
	}
	i := c.tierOf(rows)
	c.leaves++
	c.tiers[i] = tier{c.tiers[i].leaves + 1, c.tiers[i].files + rows}
	return rows
}

// tierOf returns the tier of a leaf with so many files.
func (c *tierCount) tierOf(rows int64) int {
	i := 0
	for rows/c.ratio >= c.batch {
		rows /= c.ratio
		i++
	}
	for i >= len(c.tiers) {
		c.tiers = append(c.tiers, tier{})
	}
	return i
}

// bestTiers looks for the tiers that write least for a stream of equal commits, among batches around the one that balances its leaf's
// price against its loose files, and ratios from 2 to the one that makes a full leaf of it at once.
func bestTiers(prices policy.Prices, m bound.Model, commits int64) (best simple.Tiered, bytes int64, err error) {
	balanced := math.Sqrt(2 * float64(m.LeafFixedBytes) * float64(m.FilesPerCommit) / float64(m.EntryBytes))
	for _, share := range []float64{0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.12, 1.25, 1.5} {
		batch := max(m.FilesPerCommit, int64(balanced*share))
		for _, ratio := range []int64{2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 17, 20, 25, 30, 40, 50, 65, 80, 100, 120, 150, 200, 300, m.LeafEntries / batch} {
			t := simple.Tiered{Batch: batch, Ratio: max(2, ratio)}
			got, err := tiered(t, prices, m.LeafEntries, m.FilesPerCommit, commits, bytes)
			if err != nil {
				return best, 0, err
			}
			if bytes == 0 || got < bytes {
				best, bytes = t, got
			}
		}
	}
	return best, bytes, nil
}
