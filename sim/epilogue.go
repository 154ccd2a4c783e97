package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/tree"
)

// mishap is something that happens to the table as a whole while a program is under way.
type mishap struct {
	name string
	// happen makes it happen to the metadata file that the catalog names, and returns the one that takes its place; empty for
	// none.
	happen func(*World, context.Context, string) (string, error)
}

// mishaps are dropped, replaced, upgraded and moved tables.
var mishaps = []mishap{
	{"dropped", func(*World, context.Context, string) (string, error) { return "", nil }},
	{"replaced", func(w *World, ctx context.Context, current string) (string, error) {
		return w.putOther(ctx, current, func(m *metadata.Table) { m.UUID = w.env().NewUUID().String() })
	}},
	{"upgraded", func(w *World, ctx context.Context, current string) (string, error) {
		return w.putOther(ctx, current, func(m *metadata.Table) { m.FormatVersion = 3 })
	}},
	{"moved", func(w *World, ctx context.Context, current string) (string, error) {
		return w.putOther(ctx, current, func(m *metadata.Table) { m.Location.Val = tableLocation + "-elsewhere" })
	}},
}

// putOther writes the metadata file of a table that follows the current one and is not the same any more.
func (w *World) putOther(ctx context.Context, current string, change func(*metadata.Table)) (string, error) {
	m := w.metadata.Successor(tree.Relativize(tableLocation, current), w.nowMillis)
	for i := range m.MetadataLog {
		m.MetadataLog[i].File = tree.Resolve(tableLocation, m.MetadataLog[i].File)
	}
	change(&m)
	version, _ := metadata.VersionOf(current) // 0 for a foreign name: the number is for people
	name := tree.Resolve(tableLocation, "metadata/"+metadata.FileName(version+1, w.env().NewUUID()))
	if c, ours := w.codec.(*Codec); ours {
		_, err := c.PutMetadata(ctx, &w.objects, name, m)
		return name, err
	}
	format := fmt.Append(nil, `"format-version":`, m.FormatVersion)
	m.FormatVersion = metadata.FormatVersion // the others are read, not written
	data, err := m.Marshal()
	if err != nil {
		return "", err
	}
	data = bytes.Replace(data, fmt.Append(nil, `"format-version":`, m.FormatVersion), format, 1)
	return name, w.objects.Put(ctx, name, data)
}

// checkMishaps lets one of the mishaps, by the seed, happen to a transaction and to a change of the metadata: before the swap, so
// that they must fail and leave alone what took the table's place, and after a swap that landed without an answer, so
// that nobody may be told that it did not.
func (w *World) checkMishaps(ctx context.Context) error {
	m := mishaps[w.config.Seed%uint64(len(mishaps))]
	next := int64(firstUnused)
	for _, landed := range []bool{false, true} {
		next++
		for _, op := range []Op{{Verb: Add, New: Range{next, next}, Records: 10}, {Verb: AddColumn}} {
			if len(w.violations) > 0 {
				return nil
			}
			if err := w.mishap(ctx, m, Program{Ops: []Op{op}}, landed); err != nil {
				return fmt.Errorf("table %s, %s, landed %t: %w", m.name, op, landed, err)
			}
		}
	}
	return nil
}

// firstUnused is a number of a file that no workload comes to.
const firstUnused = 1 << 40

// mishap lets a mishap happen to a program of the first writer, and the table be what it was afterwards.
func (w *World) mishap(ctx context.Context, m mishap, p Program, landed bool) error {
	x := w.writers[0]
	if err := w.Do(ctx, Action{Kind: Start, Writer: x.number, Program: p}); err != nil {
		return err
	}
	r := x.run
	for x.run != nil && x.run.at.Op != fault.Swap {
		if err := w.Do(ctx, Action{Kind: Step, Writer: x.number}); err != nil {
			return err
		}
	}
	if x.run == nil {
		return fmt.Errorf("%s ended before its swap: %w", p, r.err)
	}
	if landed {
		lost := fault.Fault{Op: fault.Swap, Nth: 1, Outcome: fault.LandFail}
		if err := w.Do(ctx, Action{Kind: Step, Writer: x.number, Fault: lost}); err != nil {
			return err
		}
	}
	current, err := w.catalog.Load(ctx, tableID)
	if err != nil {
		return err
	}
	other, err := m.happen(w, ctx, current)
	if err != nil {
		return err
	}
	w.catalog.instead = &other
	for x.run != nil && err == nil {
		err = w.Do(ctx, Action{Kind: Step, Writer: x.number})
	}
	w.catalog.instead = nil
	if err != nil {
		return err
	}
	w.judgeMishap(m, r, landed, other)
	x.forget()
	if other == "" {
		return nil
	}
	return w.objects.Delete(ctx, other)
}

// judgeMishap holds the answer that a program got, and what stands in the catalog, against the mishap.
func (w *World) judgeMishap(m mishap, r *run, landed bool, other string) {
	promised := errors.Is(r.err, commit.ErrConflict) || errors.Is(r.err, commit.ErrExhausted) || errors.Is(r.err, commit.ErrRefused)
	unknown := errors.Is(r.err, commit.ErrUnknown)
	var conflict *commit.ConflictError
	wrong := ""
	switch {
	case w.catalog.taken != "":
		wrong = "it was committed to what took the table's place"
	case landed && promised:
		wrong = "its writer was told that it was not committed, and it was"
	case !landed && !promised && !unknown:
		wrong = "its writer was told that it was committed"
	case !landed && other == "" && !unknown:
		wrong = "its writer was told that it was not committed, which nothing proves"
	case !landed && other != "" && (!errors.As(r.err, &conflict) || conflict.Rule != commit.Rule("table-"+m.name)):
		wrong = "its writer was told another reason than the table"
	}
	w.catalog.taken = ""
	if wrong != "" {
		w.violate(Violation{Check: checkTold, Message: fmt.Sprintf("%s, table %s: %s: %v", r.program, m.name, wrong, r.err)})
	}
}
