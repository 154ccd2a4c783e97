package datafile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/firn-io/firn/tree"
)

// The table properties that choose statistics, and the prefix of the one that does so for a single column.
const (
	propMetricsDefault = "write.metadata.metrics.default"
	propMetricsColumn  = "write.metadata.metrics.column."
)

// defaultTruncation is the length of string and binary bounds where the table says nothing.
const defaultTruncation = 16

// Metrics says which statistics an entry keeps of each column. The zero Metrics keeps counts and bounds of at
// most 16 code points or bytes, the format's default.
type Metrics struct {
	other   metricsMode
	columns map[string]metricsMode
}

// metricsMode is one of the four modes of the table properties. The zero mode is truncate(16).
type metricsMode struct {
	kind metricsKind
	// width belongs to truncate; 0 means [defaultTruncation].
	width int
}

type metricsKind int

const (
	metricsTruncate metricsKind = iota
	metricsFull
	metricsCounts
	metricsNone
)

// MetricsOf reads the table properties write.metadata.metrics.default and write.metadata.metrics.column.NAME (DF7).
func MetricsOf(properties map[string]string) (Metrics, error) {
	m := Metrics{columns: map[string]metricsMode{}}
	for name, value := range properties {
		column, forColumn := strings.CutPrefix(name, propMetricsColumn)
		if !forColumn && name != propMetricsDefault {
			continue
		}
		mode, err := parseMetricsMode(value)
		if err != nil {
			return Metrics{}, fmt.Errorf("datafile: property %s: %w", name, err)
		}
		if forColumn {
			m.columns[column] = mode
		} else {
			m.other = mode
		}
	}
	return m, nil
}

func parseMetricsMode(text string) (metricsMode, error) {
	lower := strings.ToLower(strings.TrimSpace(text))
	switch lower {
	case "none":
		return metricsMode{kind: metricsNone}, nil
	case "counts":
		return metricsMode{kind: metricsCounts}, nil
	case "full":
		return metricsMode{kind: metricsFull}, nil
	}
	inner, isCall := strings.CutPrefix(lower, "truncate(")
	inner, isClosed := strings.CutSuffix(inner, ")")
	width, err := strconv.Atoi(inner)
	if !isCall || !isClosed || err != nil || width <= 0 {
		return metricsMode{}, fmt.Errorf("%q is none of none, counts, full, truncate(N)", text)
	}
	return metricsMode{kind: metricsTruncate, width: width}, nil
}

// of returns the mode of a column, given its dotted name.
func (m Metrics) of(column string) metricsMode {
	if mode, found := m.columns[column]; found {
		return mode
	}
	return m.other
}

func (m metricsMode) bounds() bool { return m.kind == metricsTruncate || m.kind == metricsFull }

// apply reduces statistics to what the mode keeps; false if that is nothing.
func (m metricsMode) apply(s tree.FieldStats) (tree.FieldStats, bool) {
	switch m.kind {
	case metricsNone:
		return tree.FieldStats{}, false
	case metricsCounts:
		s.Lower, s.Upper, s.Tight.Val = tree.Value{}, tree.Value{}, false
		return s, true
	case metricsTruncate:
		return s.Truncate(orDefault(m.width, defaultTruncation)), true
	}
	return s, true
}
