package bound

import (
	"math"
	"math/bits"
	"sort"
)

// ClosedForm returns what the commits write if each of them makes a component, out of its own files and those of some
// components before, and leaves cost nothing beyond their files and have no cap. It is in bytes beyond the fixed price of
// the roots; a component costs q = min(p, k*l) a commit, where l is the price of a loose file, for loose files would cost no less.
//
// Let j be the commit that rebuilds the oldest component for the last time:
//
//	A(n) = min over j of A(j-1) + A(n-j) + k*d*j + q*(n-j+1), A(0) = 0.
//
// The splits form a binary tree with a node for each commit. An edge to the left (what is before j, and is written once
// more at j) costs k*d for each node below it, an edge to the right q. The best tree has the n nodes that are cheapest to
// reach:
//
//	A(n) = n*(k*d + q) + the sum of the n smallest path costs of the infinite binary tree,
//
// where C(i+j, i) nodes lie at i edges to the left and j to the right. For large n, A(n)/n grows as (ln n)/λ, with
// e^(-λq) + e^(-λkd) = 1.
//
// A plan may still be cheaper, by less than q a commit: files that stay loose in the commit that adds them save the pointer
// there. [Model.Floor] allows for that.
//
// The cost of the call is logarithmic in what it returns. An error wraps [ErrTooLarge] or says what is wrong with the model.
func (m Model) ClosedForm(commits int64) (int64, error) {
	// A complete binary tree of n nodes has no path dearer than k*d*(1 + log2 n), so neither has the best one.
	err := m.check(commits, func(n float64) float64 {
		dearer := max(float64(m.EntryBytes), min(float64(m.looseFile()), float64(m.PointerBytes)/float64(m.FilesPerCommit)))
		return float64(m.FilesPerCommit)*dearer*(64+n*(3+math.Log2(n+1))) + float64(m.PointerBytes)
	})
	if err != nil || commits == 0 {
		return 0, err
	}
	left, right := m.batchBytes(), m.restBytes()
	return commits*(left+right) + cheapestPaths(commits, max(left, right), min(left, right)), nil
}

// restBytes is q, the least that the files of a commit cost in each later one.
func (m Model) restBytes() int64 {
	if loose := m.looseFile(); loose < m.PointerBytes/m.FilesPerCommit+1 {
		return min(m.PointerBytes, m.FilesPerCommit*loose)
	}
	return m.PointerBytes
}

// Floor returns what no plan goes below, whatever leaves cost and hold: the closed form without the pointer of each commit
// to what it has just written, n*k*d + the sum of the n smallest path costs. In the commit that adds them, files cost at least
// k*d, loose or in a leaf, or k*l if that is less; later, loose ones cost no less than a component. To split the files of a commit
// does not help: the costs of the k schedules that each see one file of every commit, k times its price, are on average no more.
func (m Model) Floor(commits int64) (int64, error) {
	bytes, err := m.ClosedForm(commits)
	if err != nil {
		return 0, err
	}
	return bytes - commits*(m.restBytes()+m.FilesPerCommit*max(0, m.EntryBytes-m.looseFile())), nil
}

// cheapestPaths sums the n smallest path costs of the infinite binary tree, with left >= right > 0.
func cheapestPaths(n, left, right int64) int64 {
	depth := int64(bits.Len64(uint64(n)))
	// The price of the n-th node: no node that is dearer is needed, all that are cheaper are.
	last := int64(sort.Search(int(depth*left), func(limit int) bool {
		count, _ := pathsWithin(int64(limit), n, left, right)
		return count >= n
	}))
	count, sum := pathsWithin(last-1, n, left, right)
	return sum + (n-count)*last
}

// pathsWithin counts the nodes that are reached for at most limit, and sums what they cost. At n nodes it stops: the count
// is then n and the sum of no meaning.
//
// For i edges to the left there may be up to J to the right, and both sums over j have a closed form:
// C(i+j, i) sums to C(i+J+1, i+1), and j*C(i+j, i) to (i+1)*C(i+J+1, i+2).
func pathsWithin(limit, n, left, right int64) (count, sum int64) {
	for i := int64(0); i*left <= limit; i++ {
		most := (limit - i*left) / right
		nodes := binomial(i+most+1, i+1, n)
		if nodes >= n-count {
			return n, 0
		}
		count += nodes
		sum += i*left*nodes + right*(i+1)*binomial(i+most+1, i+2, math.MaxInt64)
	}
	return count, sum
}

// binomial returns C(n, k), or limit if that is less.
func binomial(n, k, limit int64) int64 {
	if k > n {
		return 0
	}
	k = min(k, n-k)
	c := uint64(1)
	for i := int64(1); i <= k; i++ { // c is C(n-k+i, i) after each turn, and grows
		high, low := bits.Mul64(c, uint64(n-k+i))
		if high >= uint64(i) {
			return limit
		}
		if c, _ = bits.Div64(high, low, uint64(i)); c >= uint64(limit) {
			return limit
		}
	}
	return int64(c)
}
