package policy

import (
	"github.com/firn-io/firn/policy/internal/bounded"
)

// What rows must be to teach what rows take: of a leaf that has fewer, and of a root whose rows take less than one costs without any, the
// bends of the sizes say more than its rows do (docs/policy.md). All leaves that teach must have some entries together, too.
const (
	learnLeafEntries = 50
	learnEntries     = 200
	learnRootRows    = 10
)

const (
	// mostLearned bounds how many times dearer or cheaper than estimated rows may be.
	mostLearned = 8
	// learnTenths is from how many tenths of what leaves say on a root says something else: estimates of roots are off by so much.
	learnTenths = 11
)

// LearnedPrices returns the prices of the input as its table teaches them, see [Prices.Learned].
func (in Input) LearnedPrices() Prices {
	return in.Prices.Learned(in.Pointers, in.RootBytes, in.RootRows)
}

// Learned returns the prices with those of rows as the table's own manifests have them: wide strings take more than the columns that the
// estimates were made with, and long runs of one value less. Leaves teach them, and the root of the parent, of which the length and the
// rows are given, if its rows take more than those of leaves: files that come now may have statistics that those of before have not, and
// a table of wide rows would fill its root before it has a leaf. Where the root teaches nothing no row is cheaper than estimated.
func (p Prices) Learned(pointers []Pointer, rootBytes, rootRows int64) Prices {
	leaves, taught := p.inLeaves(pointers)
	root, known := p.inRoot(pointers, rootBytes, rootRows)
	switch {
	case !known:
		return p.scaled(max(1, leaves))
	case !taught || root*10 > leaves*learnTenths:
		return p.scaled(root)
	}
	return p.scaled(leaves)
}

// inLeaves returns how many times as dear as estimated rows are in leaves, 1 if these are too few to tell.
func (p Prices) inLeaves(pointers []Pointer) (times float64, taught bool) {
	var entries, bytes int64
	for i := range pointers {
		if own, measured := p.ownBytes(&pointers[i]); measured {
			entries, bytes = entries+pointers[i].Entries, bytes+own
		}
	}
	if entries < learnEntries {
		return 1, false
	}
	return float64(bytes) / float64(entries) / float64(max(1, p.LeafEntryBytes)), true
}

// inRoot returns how many times as dear as estimated rows are in the root of the parent, if these are enough to tell.
func (p Prices) inRoot(pointers []Pointer, rootBytes, rootRows int64) (times float64, known bool) {
	bytes, thin, masks := rootBytes-p.RootFixedBytes, int64(0), int64(0)
	for i := range pointers {
		masks += pointers[i].DVBytes
		if pointers[i].Thin {
			thin++
		}
	}
	if masks > 0 {
		bytes -= masks + maskColumnsBytes
	}
	if n := float64(len(pointers)); n > 0 {
		bytes -= int64(pointerCurve.at(n, 0))
	}
	thin = min(thin, rootRows)
	if rootRows < learnRootRows || bytes < p.RootFixedBytes || bytes <= 0 {
		return 0, false
	}
	return float64(bytes) / float64(max(1, thin*p.Pointer(true)+(rootRows-thin)*p.LooseBytes)), true
}

// ownBytes returns what the entries of a leaf take in it, and whether they are enough to tell.
func (p Prices) ownBytes(leaf *Pointer) (bytes int64, measured bool) {
	bytes = leaf.FileSizeBytes - p.LeafFixedBytes
	return bytes, !leaf.Legacy && leaf.Entries >= learnLeafEntries && bytes > 0
}

// RewrittenBytes estimates what so many rows of a leaf take if they are written again: what they take now, by the length of the leaf, or
// in one of few rows what rows of the table take.
func (p Prices) RewrittenBytes(leaf Pointer, rows int64) int64 {
	own, measured := p.ownBytes(&leaf)
	if !measured {
		return bounded.Times(rows, p.LeafEntryBytes)
	}
	return int64(float64(own)*float64(rows)/float64(leaf.Entries) + 0.5)
}

// rewrittenBytes is that of the live rows of a leaf.
func (in Input) RewrittenBytes(leaf Ref) int64 {
	return in.Prices.RewrittenBytes(in.Pointers[leaf.Index], in.Pointers[leaf.Index].LiveEntries)
}

// scaled returns the prices with rows so many times as dear, within bounds.
func (p Prices) scaled(factor float64) Prices {
	factor = min(max(factor, 1.0/mostLearned), mostLearned)
	for _, price := range []*int64{&p.LooseBytes, &p.PointerBytes, &p.ThinPointerBytes, &p.LeafEntryBytes} {
		if *price > 0 {
			*price = max(1, int64(float64(*price)*factor+0.5))
		}
	}
	return p
}
