package sim

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"strings"

	"github.com/firn-io/firn/tree"
)

// TraceVersion is the version of trace files that this package writes and reads. Another version of the simulator draws
// other programs from a seed, and may not be able to do the actions of an older trace.
const TraceVersion = 1

// Trace is a run that can be done again: the configuration of its world, and the actions.
type Trace struct {
	Config  Config
	Actions []Action
	// Expect is what the run found when the trace was saved, if anything.
	Expect []Violation
}

const traceHead = "firn sim trace"

// ErrTraceVersion says that a trace is of another version.
var ErrTraceVersion = errors.New("trace of another version")

// Write writes the trace as text: a line that says what it is, the configuration, what it finds as comments, and an action on
// each line.
func (t Trace) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	config, err := json.Marshal(t.Config)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "%s %d\nconfig %s\n", traceHead, TraceVersion, config)
	for _, v := range t.Expect {
		fmt.Fprintf(b, "# %s\n", strings.ReplaceAll(v.String(), "\n", " "))
	}
	for _, a := range t.Actions {
		fmt.Fprintln(b, a)
	}
	return b.Flush()
}

// ReadTrace reads a trace as [Trace.Write] writes it. Empty lines and those that begin with # do not count.
func ReadTrace(r io.Reader) (Trace, error) {
	var t Trace
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxTraceLine)
	n, configured := 1, false
	for ; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		var err error
		switch {
		case n == 1:
			err = checkVersion(line)
		case line == "" || strings.HasPrefix(line, "#"):
		case !configured:
			configured = true
			config, found := strings.CutPrefix(line, "config ")
			if !found {
				err = errors.New("want the configuration")
				break
			}
			err = t.Config.parse(config)
		default:
			var a Action
			a, err = ParseAction(line)
			t.Actions = append(t.Actions, a)
		}
		if err != nil {
			return Trace{}, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return Trace{}, fmt.Errorf("line %d: longer than %d bytes", n, maxTraceLine)
	} else if err != nil {
		return Trace{}, err
	}
	if t.Config.Writers == 0 {
		return Trace{}, errors.New("a trace without a configuration")
	}
	return t, nil
}

// parse reads a configuration that stands alone on a line.
func (c *Config) parse(text string) error {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(c); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("there is more behind the configuration")
	}
	return nil
}

// maxTraceLine bounds the length of a line of a trace in bytes.
const maxTraceLine = 16 << 20

func checkVersion(line string) error {
	version, found := strings.CutPrefix(line, traceHead+" ")
	if !found {
		return fmt.Errorf("not a trace: want %q", traceHead)
	}
	if version != fmt.Sprint(TraceVersion) {
		return fmt.Errorf("%w: %s, this is version %d", ErrTraceVersion, version, TraceVersion)
	}
	return nil
}

// hash sums up what a run did and what came of it.
type hash struct{ io.Writer }

func newHash() hash { return hash{fnv.New128a()} }

func (h hash) add(a any) { fmt.Fprintln(h, a) }

// addTree adds what the root of a tree says.
func (h hash) addTree(t tree.Tree) {
	h.add(t.Origin.SnapshotID)
	h.add(t.TimestampMillis)
	for i := range t.Rows {
		e := &t.Rows[i]
		fmt.Fprintln(h, e.Location, e.Tracking.Status, e.Tracking.SnapshotID, e.Tracking.ModifiedSnapshotID, e.Tracking.SequenceNumber,
			e.Tracking.FirstRowID, e.RecordCount, e.FileSizeBytes)
		fmt.Fprintf(h, "%x %x %x\n", e.Manifest.Val.DV, e.Tracking.DeletedPositions, e.Tracking.ReplacedPositions)
	}
}

// String returns the sum so far in hexadecimal.
func (h hash) String() string {
	return fmt.Sprintf("%x", h.Writer.(interface{ Sum([]byte) []byte }).Sum(nil))
}
