package mdv_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/firn-io/firn/mdv"
)

// sample is a set with its bytes in both formats.
type sample struct {
	name      string
	positions []uint32
	mumbling  []byte
	roaring   []byte
}

// randomSamples has sets in which each position of a manifest of so many rows is masked with the same probability.
func randomSamples(t testing.TB, percents ...float64) []sample {
	var all []sample
	for _, universe := range []int{10_000, 100_000} {
		for _, percent := range percents {
			random := rand.New(rand.NewPCG(uint64(universe), uint64(percent*1000)))
			var positions []uint32
			for p := range universe {
				if random.Float64()*100 < percent {
					positions = append(positions, uint32(p))
				}
			}
			all = append(all, newSample(t, fmt.Sprintf("rows=%d/masked=%g%%", universe, percent), positions))
		}
	}
	return all
}

// judgedSamples are those in which Mumbling must be no larger and no slower than Roaring.
func judgedSamples(t testing.TB) []sample {
	return randomSamples(t, 0.1, 0.3, 1, 5, 10, 30, 50, 90, 95)
}

// otherSamples are sets that suit Roaring's runs.
func otherSamples(t testing.TB) []sample {
	all := randomSamples(t, 99, 99.9)
	for _, length := range []uint32{50, 1000} {
		var positions []uint32
		for start := uint32(0); start < 100_000; start += 2 * length {
			for i := range length {
				positions = append(positions, start+i)
			}
		}
		all = append(all, newSample(t, fmt.Sprintf("rows=100000/runs=%d", length), positions))
	}
	return all
}

func newSample(t testing.TB, name string, positions []uint32) sample {
	t.Helper()
	b, err := mdv.Of(positions...)
	if err != nil {
		t.Fatal(err)
	}
	reference, err := encodeRoaring(positions)
	if err != nil {
		t.Fatal(err)
	}
	return sample{name, positions, encode(t, b), reference}
}

func encodeRoaring(positions []uint32) ([]byte, error) {
	b := roaring.New()
	b.AddMany(positions)
	b.RunOptimize()
	return b.ToBytes()
}

// TestBytesNoLargerThanRoaring compares the sizes for random masks of all densities.
func TestBytesNoLargerThanRoaring(t *testing.T) {
	for _, s := range judgedSamples(t) {
		if len(s.mumbling) > len(s.roaring) {
			t.Errorf("%s: %d bytes, Roaring takes %d", s.name, len(s.mumbling), len(s.roaring))
		}
	}
}

// BenchmarkEncode goes from positions to bytes.
func BenchmarkEncode(b *testing.B) {
	for _, s := range append(judgedSamples(b), otherSamples(b)...) {
		b.Run(s.name, func(b *testing.B) {
			compare(b, func() {
				set, err := mdv.Of(s.positions...)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := set.AppendBinary(nil); err != nil {
					b.Fatal(err)
				}
			}, func() {
				if _, err := encodeRoaring(s.positions); err != nil {
					b.Fatal(err)
				}
			})
			b.ReportMetric(float64(len(s.mumbling))/float64(len(s.roaring)), "bytes-ratio")
		})
	}
}

// BenchmarkDecode goes from bytes to every position, one at a time.
func BenchmarkDecode(b *testing.B) {
	for _, s := range append(judgedSamples(b), otherSamples(b)...) {
		b.Run(s.name, func(b *testing.B) {
			sum := uint32(0)
			compare(b, func() {
				set, err := mdv.Parse(s.mumbling)
				if err != nil {
					b.Fatal(err)
				}
				for p := range set.All() {
					sum += p
				}
			}, func() {
				set := roaring.New()
				if _, err := set.FromBuffer(s.roaring); err != nil {
					b.Fatal(err)
				}
				for p := range roaring.Values(set) {
					sum += p
				}
			})
		})
	}
}

// BenchmarkDecodeMany goes from bytes to every position, many at a time.
func BenchmarkDecodeMany(b *testing.B) {
	for _, s := range append(judgedSamples(b), otherSamples(b)...) {
		b.Run(s.name, func(b *testing.B) {
			buffer := make([]uint32, len(s.positions))
			compare(b, func() {
				set, err := mdv.Parse(s.mumbling)
				if err != nil {
					b.Fatal(err)
				}
				buffer = set.AppendTo(buffer[:0])
			}, func() {
				set := roaring.New()
				if _, err := set.FromBuffer(s.roaring); err != nil {
					b.Fatal(err)
				}
				for many := set.ManyIterator(); many.NextMany(buffer) > 0; {
				}
			})
		})
	}
}

// BenchmarkUnion adds the masks of a commit to those that are there.
func BenchmarkUnion(b *testing.B) {
	for _, s := range judgedSamples(b) {
		b.Run(s.name, func(b *testing.B) {
			added := make([]uint32, 0, 100)
			for p := range uint32(100) {
				added = append(added, p*97)
			}
			mine, err := mdv.Of(s.positions...)
			if err != nil {
				b.Fatal(err)
			}
			mineAdded, err := mdv.Of(added...)
			if err != nil {
				b.Fatal(err)
			}
			theirs, theirsAdded := roaring.BitmapOf(s.positions...), roaring.BitmapOf(added...)
			compare(b, func() { mine.Union(mineAdded) }, func() { roaring.Or(theirs, theirsAdded) })
		})
	}
}

// compare times two functions in turns, so that whatever else the machine does slows both, and reports the median time of
// each and the ratio.
func compare(b *testing.B, mumbling, roaring func()) {
	const turn = 100 * time.Microsecond
	calls := 1
	for timeCalls(calls, mumbling) < turn {
		calls *= 2
	}
	var mumblingTimes, roaringTimes []time.Duration
	for b.Loop() {
		mumblingTimes = append(mumblingTimes, timeCalls(calls, mumbling))
		roaringTimes = append(roaringTimes, timeCalls(calls, roaring))
	}
	mumblingTime, roaringTime := median(mumblingTimes), median(roaringTimes)
	b.ReportMetric(0, "ns/op") // that of a turn of both means nothing
	b.ReportMetric(float64(mumblingTime.Nanoseconds())/float64(calls), "mumbling-ns")
	b.ReportMetric(float64(roaringTime.Nanoseconds())/float64(calls), "roaring-ns")
	b.ReportMetric(float64(mumblingTime)/float64(roaringTime), "time-ratio")
}

func timeCalls(n int, f func()) time.Duration {
	started := time.Now()
	for range n {
		f()
	}
	return time.Since(started)
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
