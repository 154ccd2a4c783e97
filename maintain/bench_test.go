package maintain_test

import (
	"fmt"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
)

// BenchmarkOrphans prints the time for each of many orphans: it must not grow with their number.
func BenchmarkOrphans(b *testing.B) {
	for _, n := range []int{1000, 4000, 16_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s, err := testtable.New(b.Context(), nil)
				if err != nil {
					b.Fatal(err)
				}
				for i := range n {
					if err := s.Objects.Put(b.Context(), fmt.Sprintf("%s/data/%d.parquet", testtable.Location, i), nil); err != nil {
						b.Fatal(err)
					}
				}
				b.StartTimer()
				report, err := maintain.Orphans(b.Context(), s.Open(1, nil), maintain.OrphanOptions{
					Delete: true, Force: true, AgeMillis: iceberg.Optional[int64]{Valid: true},
				})
				if err != nil || len(report.Deleted) != n {
					b.Fatalf("%d deleted, %v", len(report.Deleted), err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/orphan")
		})
	}
}
