package policy

import "github.com/firn-io/firn/policy/internal/bounded"

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

// Learned returns the prices of the input as its table teaches them, with those of rows as the table's own leaves have them: wide strings
// take more than the columns that the estimates were made with, and long runs of one value less. Where leaves are too few to tell, the
// parent's root tells it if they take more. They change slowly, as the leaves do: plans that weigh what is written now against what it
// saves for long should not change their minds with the size of the root.
//
// overrun is how many times as much as by these prices the rows of a root may take, at least 1: as many as those of the parent's root do, or,
// if that has too few to tell, as if rows took what is estimated. Limits of roots are held to that.
func (in Input) Learned() (prices Prices, overrun float64) {
	leaves, taught := in.inLeaves()
	root, known := in.inRoot()
	switch {
	case !taught && !known:
		return in.Prices, 1
	case !taught:
		return in.Prices.scaled(max(1, root)), 1
	case !known:
		return in.Prices.scaled(leaves), max(1, 1/leaves)
	case root*10 > leaves*learnTenths:
		return in.Prices.scaled(leaves), root / leaves
	}
	return in.Prices.scaled(leaves), 1
}

// LearnedPrices returns the prices alone, see [Input.Learned].
func (in Input) LearnedPrices() Prices {
	prices, _ := in.Learned()
	return prices
}

// inLeaves returns how many times as dear as estimated rows are in leaves, if these are enough to tell.
func (in Input) inLeaves() (times float64, taught bool) {
	var entries, bytes int64
	for i := range in.Pointers {
		if own, measured := in.Prices.ownBytes(&in.Pointers[i]); measured {
			entries, bytes = entries+in.Pointers[i].Entries, bytes+own
		}
	}
	if entries < learnEntries {
		return 0, false
	}
	return believed(float64(bytes) / float64(entries) / float64(max(1, in.Prices.LeafEntryBytes))), true
}

// inRoot returns how many times as dear as estimated rows are in the root of the parent, if these are enough to tell.
func (in Input) inRoot() (times float64, known bool) {
	p, thin, masks := in.Prices, int64(0), int64(0)
	bytes := in.RootBytes - p.RootFixedBytes
	for i := range in.Pointers {
		masks += in.Pointers[i].DVBytes
		if in.Pointers[i].Thin {
			thin++
		}
	}
	if masks > 0 {
		bytes -= masks + maskColumnsBytes
	}
	if n := float64(len(in.Pointers)); n > 0 {
		bytes -= int64(pointerCurve.at(n, 0))
	}
	thin = min(thin, in.RootRows)
	if in.RootRows < learnRootRows || bytes < p.RootFixedBytes || bytes <= 0 {
		return 0, false
	}
	return believed(float64(bytes) / float64(max(1, thin*p.Pointer(true)+(in.RootRows-thin)*p.LooseBytes))), true
}

// believed bounds what a table says of itself.
func believed(times float64) float64 { return min(max(times, 1.0/mostLearned), mostLearned) }

// ownBytes returns what the entries of a leaf take in it, and whether they are enough to tell.
func (p Prices) ownBytes(leaf *Pointer) (bytes int64, measured bool) {
	bytes = leaf.FileSizeBytes - p.LeafFixedBytes
	return bytes, !leaf.Legacy && leaf.Entries >= learnLeafEntries && bytes > 0
}

// RowBytes estimates what so many rows of a leaf take, on average: by the length of the leaf, or in one of few rows, which says nothing, what
// rows of the table take, and no less than estimated.
func (p Prices) RowBytes(leaf Pointer, rows int64) int64 {
	own, measured := p.ownBytes(&leaf)
	if !measured {
		return bounded.Times(rows, max(p.LeafEntryBytes, p.EstimatedEntryBytes))
	}
	return int64(float64(own)*float64(rows)/float64(leaf.Entries) + 0.5)
}

// RewrittenBytes estimates what so many rows of a leaf may take if they are written again. If these are not all of them they may be the dear
// ones, so that they are taken for no cheaper than estimated.
func (p Prices) RewrittenBytes(leaf Pointer, rows int64) int64 {
	own, _ := p.ownBytes(&leaf)
	return max(p.RowBytes(leaf, rows), min(own, bounded.Times(rows, p.EstimatedEntryBytes)))
}

// RewrittenBytes is that of the live rows of a leaf.
func (in Input) RewrittenBytes(leaf Ref) int64 {
	return in.Prices.RewrittenBytes(in.Pointers[leaf.Index], in.Pointers[leaf.Index].LiveEntries)
}

// scaled returns the prices with rows so many times as dear.
func (p Prices) scaled(factor float64) Prices {
	p.EstimatedEntryBytes = p.LeafEntryBytes
	for _, price := range []*int64{&p.LooseBytes, &p.PointerBytes, &p.ThinPointerBytes, &p.LeafEntryBytes} {
		if *price > 0 {
			*price = max(1, int64(float64(*price)*factor+0.5))
		}
	}
	return p
}
