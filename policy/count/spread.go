package count

import (
	"math/bits"
	"slices"
)

// Spread is how figures of many commits are spread. It takes a bounded amount of memory: quantiles are exact for few figures, and
// within a sixty-fourth for many. The zero Spread has no figures.
type Spread struct {
	sum   float64
	n     int64
	most  int64
	exact []int64
	// buckets count figures that begin with the same bits.
	buckets map[int]int64
}

// mostExact is how many figures a Spread keeps; bucketBits are the bits by which more of them are told apart.
const (
	mostExact  = 4096
	bucketBits = 7
)

// Add adds a figure. One below 0 counts as 0.
func (s *Spread) Add(figure int64) {
	figure = max(0, figure)
	s.sum += float64(figure)
	s.n++
	s.most = max(s.most, figure)
	if s.buckets == nil && len(s.exact) < mostExact {
		s.exact = append(s.exact, figure)
		return
	}
	if s.buckets == nil {
		s.buckets = make(map[int]int64)
		for _, v := range s.exact {
			s.buckets[bucket(v)]++
		}
		s.exact = nil
	}
	s.buckets[bucket(figure)]++
}

// bucket returns the bucket of a figure: its first bits, and how many follow.
func bucket(figure int64) int {
	after := max(0, bits.Len64(uint64(figure))-bucketBits)
	return after<<bucketBits | int(figure>>after)
}

// Len is the number of figures, Mean their mean, and Max the largest one.
func (s *Spread) Len() int64 { return s.n }

// Mean is the mean of the figures, 0 of none.
func (s *Spread) Mean() float64 {
	if s.n == 0 {
		return 0
	}
	return s.sum / float64(s.n)
}

// Max is the largest figure.
func (s *Spread) Max() int64 { return s.most }

// Quantile returns the least figure that so large a share of all does not exceed.
func (s *Spread) Quantile(share float64) int64 {
	rank := max(0, int64(share*float64(s.n)+0.9999999)-1)
	if s.n == 0 {
		return 0
	}
	if s.buckets == nil {
		slices.Sort(s.exact)
		return s.exact[min(rank, s.n-1)]
	}
	keys := make([]int, 0, len(s.buckets))
	for key := range s.buckets {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		if rank -= s.buckets[key]; rank < 0 {
			after := key >> bucketBits
			low := int64(key&(1<<bucketBits-1)) << after
			return min(s.most, low+(int64(1)<<after)/2)
		}
	}
	return s.most
}

// Retained counts the bytes of all manifests that the last snapshots reach, as many as the window has. Make one with [NewRetained].
type Retained struct {
	ring    []snapshotBytes
	next    int
	full    bool
	roots   int64
	written int64
}

// snapshotBytes are the bytes of a snapshot's root and of all its leaves, and those of the leaves that were written up to it.
type snapshotBytes struct{ root, leaves, written int64 }

// NewRetained returns a window of so many snapshots, at least one.
func NewRetained(window int) *Retained { return &Retained{ring: make([]snapshotBytes, max(1, window))} }

// Add adds a snapshot: the bytes of its root, of all leaves that it has, and of those that are new in it.
func (r *Retained) Add(root, leaves, fresh int64) {
	r.written += fresh
	if r.full {
		r.roots -= r.ring[r.next].root
	}
	r.roots += root
	r.ring[r.next] = snapshotBytes{root, leaves, r.written}
	if r.next++; r.next == len(r.ring) {
		r.next, r.full = 0, true
	}
}

// Bytes are those of the roots, of the leaves of the oldest snapshot, and of all that were written since.
func (r *Retained) Bytes() int64 {
	oldest := r.ring[0]
	if r.full {
		oldest = r.ring[r.next]
	}
	return r.roots + oldest.leaves + r.written - oldest.written
}
