package compare

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/firn-io/firn/policy/count"
)

// What a trace may have at most.
const (
	mostTraceCommits = 10_000_000
	mostTraceFiles   = 1_000_000_000_000
)

// ReadTrace reads the commits of a table: a JSON list of objects with the fields added, removed and modified, or such objects one after
// the other, or a CSV table with columns of these names, of which added must be there. All that is wrong is said at once, up to
// a few commits.
func ReadTrace(r io.Reader) ([]count.Change, error) {
	in := bufio.NewReader(r)
	first, err := firstByte(in)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	var trace []count.Change
	switch first {
	case '[', '{':
		trace, err = readJSON(in, first == '[')
	default:
		trace, err = readCSV(in)
	}
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	return trace, checkTrace(trace)
}

// firstByte returns the first byte that is no space, and leaves it to be read.
func firstByte(in *bufio.Reader) (byte, error) {
	for {
		r, _, err := in.ReadRune()
		switch {
		case errors.Is(err, io.EOF):
			return 0, errors.New("it has no commit")
		case err != nil:
			return 0, err
		case !strings.ContainsRune(" \t\r\n\ufeff", r):
			return byte(r), in.UnreadRune()
		}
	}
}

var errTooMany = fmt.Errorf("more than %d commits", mostTraceCommits)

func readJSON(in io.Reader, list bool) ([]count.Change, error) {
	decoder := json.NewDecoder(in)
	decoder.DisallowUnknownFields()
	var trace []count.Change
	if list {
		if _, err := decoder.Token(); err != nil {
			return nil, err
		}
	}
	for decoder.More() {
		var c count.Change
		if err := decoder.Decode(&c); err != nil {
			if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) && wrong.Field != "" {
				err = fmt.Errorf("%s is no whole number: %s", wrong.Field, wrong.Value)
			}
			return nil, fmt.Errorf("commit %d: %w", len(trace)+1, err)
		}
		if trace = append(trace, c); len(trace) > mostTraceCommits {
			return nil, errTooMany
		}
	}
	if list {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return nil, errors.New("the list does not end")
		} else if err != nil {
			return nil, err
		}
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the last commit")
	}
	return trace, nil
}

var changeColumns = []string{"added", "removed", "modified"}

func readCSV(in io.Reader) ([]count.Change, error) {
	reader := csv.NewReader(in)
	reader.ReuseRecord = true
	header, err := reader.Read()
	if err != nil {
		return nil, err
	}
	columns := make(map[string]int)
	for i, name := range header {
		name = strings.TrimSpace(name)
		if _, twice := columns[name]; twice && slices.Contains(changeColumns, name) {
			return nil, fmt.Errorf("a table with two columns %s", name)
		}
		columns[name] = i
	}
	if _, ok := columns["added"]; !ok {
		return nil, fmt.Errorf("a table without the column added, its header is %q", header)
	}
	var trace []count.Change
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return trace, nil
		}
		if err != nil {
			return nil, err
		}
		var c count.Change
		for name, to := range map[string]*int64{"added": &c.Added, "removed": &c.Removed, "modified": &c.Modified} {
			i, ok := columns[name]
			if !ok || record[i] == "" {
				continue
			}
			if *to, err = strconv.ParseInt(record[i], 10, 64); err != nil {
				return nil, fmt.Errorf("commit %d: %s is %q, no number", len(trace)+1, name, record[i])
			}
		}
		if trace = append(trace, c); len(trace) > mostTraceCommits {
			return nil, errTooMany
		}
	}
}

// mostProblems is how many wrong commits are named.
const mostProblems = 5

// checkTrace says what is wrong with the numbers of a trace.
func checkTrace(trace []count.Change) error {
	var problems []error
	if len(trace) == 0 {
		problems = append(problems, errors.New("trace: it has no commit"))
	}
	for i, c := range trace {
		for _, n := range []int64{c.Added, c.Removed, c.Modified} {
			if n < 0 || n > mostTraceFiles {
				problems = append(problems, fmt.Errorf("trace: commit %d: %d files: want 0 to %d", i+1, n, int64(mostTraceFiles)))
			}
		}
		if len(problems) >= mostProblems {
			return errors.Join(append(problems, errors.New("trace: and maybe more"))...)
		}
	}
	return errors.Join(problems...)
}
