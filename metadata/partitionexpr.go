package metadata

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
)

// ParsePartition reads a partition spec as people write it, such as "day(ts), bucket(8, id), region", over the
// columns of a schema. Each term is a transform of a column: identity, year, month, day, hour, void, bucket
// with a count and truncate with a width in front; a column alone stands for identity. Nested columns have
// dotted names. The fields are called as Iceberg calls them (ts_day, id_bucket, name_trunc, ts_null, region),
// their ids count from 1000, and the spec has the id 0. An empty text is the unpartitioned spec. An error names
// the term (MD10).
func ParsePartition(text string, schema *iceberg.Schema) (iceberg.PartitionSpec, error) {
	var fields []iceberg.PartitionField
	terms, err := splitTerms(text)
	if err != nil {
		return iceberg.PartitionSpec{}, fmt.Errorf("metadata: partition %q: %w", text, err)
	}
	for i, term := range terms {
		parsed, err := parseTerm(term)
		source, known := schema.FindFieldByName(parsed.Column)
		if err == nil && !known {
			err = fmt.Errorf("the schema has no column %q", parsed.Column)
		}
		if err != nil {
			return iceberg.PartitionSpec{}, fmt.Errorf("metadata: partition %q: %w", term, err)
		}
		fields = append(fields, iceberg.PartitionField{
			SourceIDs: []int{source.ID}, FieldID: iceberg.PartitionDataIDStart + i,
			Name: partitionName(parsed.Column, parsed.Transform), Transform: parsed.Transform,
		})
	}
	spec := iceberg.NewPartitionSpecID(0, fields...)
	if err := refusal(fmt.Sprintf("partition %q", text), checkSpec(spec, schema)); err != nil {
		return iceberg.PartitionSpec{}, err
	}
	return spec, nil
}

// ParsePartitionField reads one term of [ParsePartition], such as day(ts), for [Table.EvolveSpec]. Whether the
// column is there shows when it is used.
func ParsePartitionField(text string) (AddPartitionField, error) {
	terms, err := splitTerms(text)
	if err == nil && len(terms) != 1 {
		err = errors.New("it is not one transform of a column")
	}
	var field AddPartitionField
	if err == nil {
		field, err = parseTerm(terms[0])
	}
	if err != nil {
		return AddPartitionField{}, fmt.Errorf("metadata: partition %q: %w", text, err)
	}
	return field, nil
}

// splitTerms splits at the commas outside parentheses.
func splitTerms(text string) ([]string, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var terms []string
	depth, start := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				terms = append(terms, strings.TrimSpace(text[start:i]))
				start = i + 1
			}
		}
		if depth < 0 || depth > 1 {
			return nil, errors.New("the parentheses do not match")
		}
	}
	if depth != 0 {
		return nil, errors.New("the parentheses do not match")
	}
	return append(terms, strings.TrimSpace(text[start:])), nil
}

// transformNames are the transforms that [ParsePartition] knows, with the ending of their fields' names.
var transformNames = []struct {
	name, ending string
	hasWidth     bool
}{
	{"identity", "", false},
	{"year", "_year", false},
	{"month", "_month", false},
	{"day", "_day", false},
	{"hour", "_hour", false},
	{"bucket", "_bucket", true},
	{"truncate", "_trunc", true},
	{"void", "_null", false},
}

func parseTerm(term string) (AddPartitionField, error) {
	if term == "" {
		return AddPartitionField{}, errors.New("there is nothing between two commas")
	}
	name, inner, isCall := strings.Cut(term, "(")
	if !isCall {
		name, inner = "identity", term+")"
	}
	inner, closed := strings.CutSuffix(strings.TrimSpace(inner), ")")
	if !closed {
		return AddPartitionField{}, errors.New("there is something after the closing parenthesis")
	}
	name = strings.ToLower(strings.TrimSpace(name))
	for _, known := range transformNames {
		if known.name == name {
			transform, column, err := parseArguments(name, inner, known.hasWidth)
			return AddPartitionField{Column: column, Transform: transform}, err
		}
	}
	return AddPartitionField{}, fmt.Errorf("unknown transform %q; known are identity(column), year, month, "+
		"day, hour, void, bucket(count, column) and truncate(width, column)", name)
}

// parseArguments reads what stands between the parentheses.
func parseArguments(name, inner string, hasWidth bool) (iceberg.Transform, string, error) {
	column := strings.TrimSpace(inner)
	written := name
	if hasWidth {
		width, rest, ok := strings.Cut(inner, ",")
		n, err := strconv.ParseInt(strings.TrimSpace(width), 10, 32)
		if !ok || err != nil || n < 1 {
			return nil, "", fmt.Errorf("%s takes a positive number and a column, as in %s(8, column)", name, name)
		}
		column = strings.TrimSpace(rest)
		written = fmt.Sprintf("%s[%d]", name, n)
	}
	transform, err := iceberg.ParseTransform(written)
	if err != nil {
		return nil, "", err
	}
	return transform, column, nil
}
