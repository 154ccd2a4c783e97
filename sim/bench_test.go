package sim_test

import (
	"testing"

	"github.com/firn-io/firn/sim"
)

// BenchmarkAttempts reports the attempts a second of one world, on one core, with what each commit is held to.
func BenchmarkAttempts(b *testing.B) {
	for _, c := range []struct {
		name   string
		config sim.Config
	}{
		{"stream/10k", sim.Config{Files: 10_000}},
		{"cdc/10k", sim.Config{Files: 10_000}},
		{"mixed/10k", sim.Config{Files: 10_000}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.config.Profile, _ = sim.ProfileByName(c.name[:len(c.name)-4])
			c.config.Writers, c.config.Faults, c.config.FullEvery, c.config.Commits = 10, 0.05, 1000, b.N
			c.config.Policy = "when-full"
			c.config.Properties = map[string]string{"firn.policy.root-bytes": "4600", "firn.policy.leaf-bytes": "400000"}
			r, err := sim.Run(b.Context(), c.config)
			if err != nil {
				b.Fatal(err)
			}
			for _, v := range r.Violations {
				b.Error(v)
			}
			b.ReportMetric(float64(r.Counts.Attempts)/b.Elapsed().Seconds(), "attempts/s")
			b.ReportMetric(float64(r.Counts.Attempts)/float64(r.Counts.Commits), "attempts/commit")
		})
	}
}
