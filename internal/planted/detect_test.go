package planted_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/firn-io/firn/sim"
)

// detection is what seeded runs came to: what the first one to find something found, or how many found nothing.
type detection struct {
	Found   bool    `json:"found"`
	Check   string  `json:"check"`
	Message string  `json:"message"`
	Seconds float64 `json:"seconds"`
	Runs    int     `json:"runs"`
	Commits int64   `json:"commits"`
	Actions int     `json:"actions"`
	Seed    uint64  `json:"seed"`
	Profile string  `json:"profile"`
}

const detectedMark = "detected "

// variable makes the detector of a test binary, which is built into each patched copy: it looks for so long at most, and prints
// what it came to.
const variable = "FIRN_DETECT"

func TestMain(m *testing.M) {
	text := os.Getenv(variable)
	if text == "" {
		os.Exit(m.Run())
	}
	limit, err := time.ParseDuration(text)
	var line []byte
	if err == nil {
		line, err = json.Marshal(detect(context.Background(), limit))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(detectedMark + string(line))
}

// detect makes runs, one seed after the other, until one finds something or the time is up.
func detect(ctx context.Context, limit time.Duration) detection {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var d detection
	began := time.Now()
	for seed := uint64(1); ; seed++ {
		c := config(seed)
		r, err := runOnce(ctx, c)
		d.Seconds = time.Since(began).Seconds()
		if ctx.Err() != nil {
			return d
		}
		d.Runs++
		d.Commits += r.Counts.Commits
		if err != nil || len(r.Violations) > 0 {
			d.Found, d.Seed, d.Profile, d.Actions = true, seed, c.Profile.Name, r.Actions
			if err != nil {
				d.Check, d.Message = "run", err.Error()
			} else {
				d.Check, d.Message = r.Violations[0].Check, r.Violations[0].Message
			}
			return d
		}
	}
}

// config is the run of a seed. Seeds go through all profiles, and in different measure through numbers of writers, faults,
// data files and sizes of the root.
func config(seed uint64) sim.Config {
	profiles := sim.Profiles()
	c := sim.Config{
		Seed: seed, Profile: profiles[seed%uint64(len(profiles))], Writers: 3 + int(seed%6), Commits: 60,
		DataFiles: seed%2 == 0, Rows: 4 + 4*int64(seed%3), Faults: 0.2,
	}
	if seed%4 == 0 {
		c.Faults = 0
	}
	if c.Profile.MaxFiles > 100 {
		c.Commits = 20 // many files take long
	}
	return c
}

// runOnce makes one run. An engine that panics is found.
func runOnce(ctx context.Context, c sim.Config) (r sim.Report, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	r, err = sim.Run(ctx, c)
	if err != nil {
		err = errors.Join(err, ctx.Err())
	}
	return r, err
}
