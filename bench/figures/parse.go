package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// key names one measurement: a benchmark, by the folder of its package and its name without the number of processors,
// and a unit.
type key struct{ name, unit string }

// measurements are the results of benchmarks.
type measurements map[key]float64

const modulePrefix = "github.com/firn-io/firn/"

var (
	processors = regexp.MustCompile(`-\d+$`)
	sizeCase   = regexp.MustCompile(`^=== RUN\s+(TestEncodeSizes/\S+)$`)
	sizeLine   = regexp.MustCompile(`: (\d+) bytes in \d+ columns`)
)

// parse reads what go test prints: benchmarks, and the sizes that TestEncodeSizes logs, which get the unit bytes. It
// refuses the output of a run that failed.
func parse(in io.Reader) (measurements, error) {
	m := make(measurements)
	folder, size := "", ""
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := lines.Text()
		if pkg, ok := strings.CutPrefix(line, "pkg: "); ok {
			folder = strings.TrimPrefix(pkg, modulePrefix)
		}
		if c := sizeCase.FindStringSubmatch(line); c != nil {
			size = c[1]
		}
		if c := sizeLine.FindStringSubmatch(line); c != nil {
			m[key{size, "bytes"}], _ = strconv.ParseFloat(c[1], 64) // digits only
		}
		if strings.HasPrefix(line, "FAIL") || strings.HasPrefix(line, "--- FAIL") {
			return nil, fmt.Errorf("the benchmarks failed: %s", line)
		}
		if strings.HasPrefix(line, "Benchmark") {
			if err := m.add(folder, line); err != nil {
				return nil, fmt.Errorf("line %q: %w", line, err)
			}
		}
	}
	return m, lines.Err()
}

// add takes one line of a benchmark: its name, its number of iterations, and pairs of values and units.
func (m measurements) add(folder, line string) error {
	fields := strings.Fields(line)
	if len(fields) < 2 || len(fields)%2 != 0 {
		return errors.New("not a name, a number and pairs of values and units")
	}
	name := folder + "." + strings.TrimPrefix(processors.ReplaceAllString(fields[0], ""), "Benchmark")
	for i := 2; i < len(fields); i += 2 {
		value, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return err
		}
		m[key{name, fields[i+1]}] = value
	}
	return nil
}
