package oracle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/datafile"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// The rules of reading data files, which only a check with [Options.Data] reports.
var (
	readData = Rule{
		ID: "READ-DATA", Statement: "A live data file can be read, and its columns fit the table's schema.",
		SpecRule: "rules 1.6, 2.1", Firmness: invariants.Firm, Severity: Error, Scope: invariants.ScopeData,
		Symptom: "The file is missing, cut or damaged, or has columns of other types; its rows were not checked.",
		Advice:  "Restore the file from a copy, or remove it from the table: its rows are lost.",
	}
	skipData = Rule{
		ID: "SKIP-DATA", Statement: "A live data file is an unencrypted Parquet file of a size that is read here.",
		SpecRule: "rules 2.1", Firmness: invariants.Firm, Severity: Notice, Scope: invariants.ScopeData,
		Symptom: "The file is in another format, encrypted, or beyond a limit of the reader. That is legal; its rows were not checked.",
		Advice:  "None is needed.",
	}
	dataRules = []Rule{readData, skipData}
)

// propertyNameMapping gives ids to the columns of files that have none.
const propertyNameMapping = "schema.name-mapping.default"

// dataCheck reads the data files of a table, each once.
type dataCheck struct {
	*source
	names iceberg.NameMapping
	files map[string]bool
	// leaves are the pointers whose files were read, by location and mask.
	leaves map[string]bool
}

// checkData reads the live data files of the snapshots that the options ask for.
func checkData(ctx context.Context, s *source) error {
	d := &dataCheck{source: s, files: make(map[string]bool), leaves: make(map[string]bool)}
	if text := s.metadata.Properties[propertyNameMapping]; text != "" {
		if err := json.Unmarshal([]byte(text), &d.names); err != nil {
			return fmt.Errorf("table property %s: %w", propertyNameMapping, err)
		}
	}
	snapshots := s.metadata.Snapshots
	if !s.report.options.History {
		current, ok := s.metadata.Current()
		if !ok {
			return nil
		}
		snapshots = []metadata.Snapshot{current}
	}
	for _, snapshot := range snapshots {
		if !snapshot.RootManifest.Valid { // it was noted
			continue
		}
		if err := d.snapshot(ctx, snapshot); err != nil || s.report.done {
			return err
		}
	}
	return nil
}

// snapshot reads the live data files of a snapshot that were not read before.
func (d *dataCheck) snapshot(ctx context.Context, snapshot metadata.Snapshot) error {
	t, err := d.Root(ctx, snapshot)
	if d.passOver("", err) {
		return nil
	}
	if err != nil {
		return err
	}
	for i, row := range t.Rows {
		switch {
		case !row.Tracking.Status.Live() || isLegacy(row):
		case row.Content.IsManifest():
			err = d.leaf(ctx, t.Origin, row)
		default:
			err = d.file(ctx, row, place{t.Origin.SnapshotID, t.Root, int64(i)})
		}
		if err != nil || d.report.done {
			return err
		}
	}
	return nil
}

func (d *dataCheck) leaf(ctx context.Context, o tree.Origin, pointer tree.Entry) error {
	name := d.resolve(pointer.Location)
	key := name + "\x00" + string(pointer.Manifest.Val.DV)
	if d.leaves[key] {
		return nil
	}
	d.leaves[key] = true
	for l, err := range tree.LiveIn(o, pointer, tree.Full, d.Leaf(ctx, o, pointer, tree.Full)) {
		if err == nil {
			err = d.file(ctx, l.Entry, place{o.SnapshotID, name, l.Position})
		}
		var corrupt *tree.CorruptError
		if errors.Is(err, errPassed) || errors.As(err, &corrupt) { // which other rules report
			return nil
		}
		if err != nil || d.report.done {
			return err
		}
	}
	return nil
}

func (d *dataCheck) resolve(location string) string { return tree.Resolve(d.location, location) }

// file reads a data file and holds its entry against it.
func (d *dataCheck) file(ctx context.Context, e tree.Entry, at place) error {
	name := d.resolve(e.Location)
	if d.files[name] {
		return nil
	}
	d.files[name] = true
	content, err := d.content(ctx, name, e)
	switch {
	case err == nil:
	case errors.Is(err, datafile.ErrUnsupported), errors.Is(err, datafile.ErrLimit), errors.Is(err, errOtherFormat):
		d.put(skipData, at, name, "a Parquet file that is read here", err)
		return nil
	case unreadableData(err):
		d.put(readData, at, name, "a data file that can be read", err)
		return nil
	default:
		return err
	}
	where := invariants.Place{Snapshot: at.snapshot, Object: at.object, Row: at.row}
	for v := range invariants.CheckData(d.table, where, e, content) {
		f := fromViolation(v)
		f.Message += fmt.Sprintf(" (%s)", name)
		if !d.report.put(f) {
			return nil
		}
	}
	return nil
}

// put reports a finding about a data file that a row names.
func (d *dataCheck) put(rule Rule, at place, name, expected string, err error) {
	f := rule.finding(at.snapshot, name, expected, err.Error())
	f.Message += fmt.Sprintf(" (row %d of %s)", at.row, at.object)
	d.report.put(f)
}

// errOtherFormat says that a data file is not one that is read here.
var errOtherFormat = errors.New("not read here")

// content reads a data file.
func (d *dataCheck) content(ctx context.Context, name string, e tree.Entry) (invariants.DataFile, error) {
	switch {
	case !strings.EqualFold(e.FileFormat, datafile.Format):
		return invariants.DataFile{}, fmt.Errorf("a file of format %s: %w", e.FileFormat, errOtherFormat)
	case e.KeyMetadata != nil:
		return invariants.DataFile{}, fmt.Errorf("an encrypted file: %w", errOtherFormat)
	}
	info, err := d.objects.Stat(ctx, name)
	if err != nil {
		return invariants.DataFile{}, err
	}
	spec := *iceberg.UnpartitionedSpec
	for _, s := range d.metadata.Specs {
		if e.SpecID.Valid && s.ID() == int(e.SpecID.Val) {
			spec = s
		}
	}
	r := store.NewReaderAt(ctx, d.objects, name)
	content, err := datafile.Read(r, info.SizeBytes, name, d.metadata.Schema(), spec, datafile.Options{NameMapping: d.names, Partition: e.Partition})
	if err != nil {
		return invariants.DataFile{}, err
	}
	file := invariants.DataFile{RecordCount: content.RecordCount}
	for _, c := range content.Columns {
		file.Columns = append(file.Columns, invariants.DataColumn(c))
	}
	for _, p := range content.Partitions {
		file.Partitions = append(file.Partitions, invariants.DataPartition(p))
	}
	return file, nil
}

// unreadableData tells data files that are missing or broken from stores that fail.
func unreadableData(err error) bool {
	var mismatch *datafile.SchemaMismatchError
	return errors.As(err, &mismatch) || slices.ContainsFunc(
		[]error{datafile.ErrCorrupt, store.ErrNotFound, io.EOF, io.ErrUnexpectedEOF},
		func(kind error) bool { return errors.Is(err, kind) })
}
