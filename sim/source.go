package sim

import "math/rand/v2"

// Source is where a [Workload] takes its choices from: random numbers, or what a property test draws and makes smaller.
type Source interface {
	// Int64N returns a number from 0 to below n, which is above 0. The lower the number, the simpler the choice.
	Int64N(n int64) int64
}

// seeded returns the source of a seed.
func seeded(seed uint64) Source { return rand.New(rand.NewPCG(seed, 0x6669726e)) }

// choices are choices of several kinds from a source of one.
type choices struct{ Source }

func (c choices) IntN(n int) int { return int(c.Int64N(int64(n))) }

// below is true with a probability.
func (c choices) below(share float64) bool {
	const whole = 1 << 20
	return c.Int64N(whole) < int64(share*whole)
}
