package oracle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// maxManifestBytes bounds a manifest that is read in one piece.
const maxManifestBytes = 1 << 30

// errPassed ends the reading of a manifest of which everything to say was reported.
var errPassed = errors.New("reported already")

// source reads the manifests of one table for the checkers, raw: what is wrong with rows is for the checkers to say.
// It reports the keys of each manifest, and the manifests that cannot or will not be read, once for each object.
type source struct {
	objects  store.Objects
	metadata metadata.Table
	location string
	table    invariants.Table
	report   *report
	seen     map[string]bool
}

var (
	_ tree.LeafReader       = (*source)(nil)
	_ invariants.RootReader = (*source)(nil)
)

func newSource(objects store.Objects, m metadata.Table, location string, r *report) *source {
	return &source{
		objects: objects, metadata: m, location: location, table: invariants.TableOf(m), report: r,
		seen: make(map[string]bool),
	}
}

// Root implements [invariants.RootReader].
func (s *source) Root(ctx context.Context, snapshot metadata.Snapshot) (tree.Tree, error) {
	codec := rootCodec{source: s, snapshot: snapshot.ID}
	t, err := treeio.Tree(ctx, codec, s.objects, s.metadata, s.location, snapshot)
	if err != nil {
		return t, s.unreadable(readRoot, snapshot.ID, tree.Resolve(s.location, snapshot.RootManifest.Val), err)
	}
	s.skipLegacyRows(t)
	return t, nil
}

// passOver tells the checkers to go on without a manifest that was reported, unless nobody listens any more.
func (s *source) passOver(_ string, err error) bool {
	return errors.Is(err, errPassed) && !s.report.done
}

// rootCodec reads the root of one snapshot and reports its keys.
type rootCodec struct {
	treeio.Parquet
	source   *source
	snapshot int64
}

// Root implements [treeio.Codec].
func (c rootCodec) Root(ctx context.Context, objects store.Objects, name string) (treeio.Root, error) {
	data, err := objects.Get(ctx, name, maxManifestBytes)
	if err != nil {
		return treeio.Root{}, err
	}
	file, err := manifestio.Open(bytes.NewReader(data), int64(len(data)), name, c.Limits)
	if err != nil {
		return treeio.Root{}, err
	}
	if err := c.source.keys(c.snapshot, name, file); err != nil {
		return treeio.Root{}, err
	}
	rows, err := file.ReadAll(tree.Full)
	schemaID, _ := file.SchemaID() // a missing key was reported
	return treeio.Root{Rows: rows, SchemaID: schemaID, HasSnapshotTimestamps: file.HasSnapshotTimestamps(), SizeBytes: int64(len(data))}, err
}

// Leaf implements [tree.LeafReader].
func (s *source) Leaf(ctx context.Context, origin tree.Origin, ref tree.Entry, p tree.Projection) iter.Seq2[tree.Row, error] {
	return func(yield func(tree.Row, error) bool) {
		name := tree.Resolve(origin.TableLocation, ref.Location)
		if isLegacy(ref) || s.report.done {
			yield(tree.Row{}, errPassed)
			return
		}
		for row, err := range s.rows(ctx, origin.SnapshotID, name, ref.FileSizeBytes, p) {
			if err != nil {
				err = s.unreadable(readLeaf, origin.SnapshotID, name, err)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// rows yields the rows of a leaf. A file of another length than the root states is not the file that the root means.
func (s *source) rows(ctx context.Context, snapshot int64, name string, size int64, p tree.Projection) iter.Seq2[tree.Row, error] {
	return func(yield func(tree.Row, error) bool) {
		info, err := s.objects.Stat(ctx, name)
		if err == nil && info.SizeBytes != size {
			err = &lengthError{stated: size, found: info.SizeBytes}
		}
		var file *manifestio.Reader
		if err == nil {
			file, err = manifestio.Open(store.NewReaderAt(ctx, s.objects, name), size, name, manifestio.DecodeOptions{})
		}
		if err == nil {
			err = s.keys(snapshot, name, file)
		}
		if err != nil {
			yield(tree.Row{}, err)
			return
		}
		file.Rows(p)(yield)
	}
}

// lengthError says that a leaf has another length than its pointer states.
type lengthError struct{ stated, found int64 }

// Error implements error.
func (e *lengthError) Error() string {
	return fmt.Sprintf("%d bytes, the root states %d", e.found, e.stated)
}

// keys reports what is wrong with the keys of a manifest.
func (s *source) keys(snapshot int64, name string, file *manifestio.Reader) error {
	if !s.first(name) {
		return nil
	}
	place := invariants.Place{Snapshot: snapshot, Object: name, Row: -1}
	for v := range invariants.CheckKeys(s.table, place, keysOf(file)) {
		if !s.report.put(fromViolation(v)) {
			return errPassed
		}
	}
	return nil
}

// keysOf returns the keys that the rules look at; of a doubled key the first counts.
func keysOf(file *manifestio.Reader) invariants.Keys {
	var keys invariants.Keys
	for _, kv := range file.KeyValues() {
		switch {
		case kv.Key == "schema-id" && !keys.SchemaID.Valid:
			keys.SchemaID = iceberg.Optional[string]{Val: kv.Value, Valid: true}
		case kv.Key == "format-version" && !keys.FormatVersion.Valid:
			keys.FormatVersion = iceberg.Optional[string]{Val: kv.Value, Valid: true}
		}
	}
	return keys
}

// first reports whether an object comes up for the first time.
func (s *source) first(object string) bool {
	if s.seen[object] {
		return false
	}
	s.seen[object] = true
	return true
}

// unreadable reports a manifest that is missing or broken and returns errPassed; any other error it returns as it is:
// of what a store cannot give at the moment nothing can be said.
func (s *source) unreadable(rule Rule, snapshot int64, object string, err error) error {
	if s.report.done || errors.Is(err, errPassed) {
		return errPassed
	}
	if !isBroken(err) {
		return err
	}
	if !s.first("unreadable " + object) {
		return errPassed
	}
	f := rule.finding(snapshot, object, "a manifest that can be read", err.Error())
	var corrupt *manifestio.CorruptError
	if errors.As(err, &corrupt) {
		f.Row, f.Field = corrupt.Row, corrupt.Field
	}
	s.report.put(f)
	return errPassed
}

// isBroken tells objects that are missing or broken from stores that fail.
func isBroken(err error) bool {
	var length *lengthError
	if errors.As(err, &length) {
		return true
	}
	for _, kind := range []error{
		manifestio.ErrCorrupt, manifestio.ErrLimit, store.ErrNotFound, store.ErrTooLarge, io.EOF, io.ErrUnexpectedEOF,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// skips reports whether a snapshot has no root manifest, and so is not checked.
func (s *source) skips(snapshot metadata.Snapshot) bool {
	if snapshot.RootManifest.Valid {
		return false
	}
	s.report.put(skipLegacy.finding(snapshot.ID, snapshot.ManifestList.Val, "a root manifest",
		"a manifest list, which is not read yet: the snapshot was not checked"))
	return true
}

// skipLegacyRows reports the manifests of versions 1 to 3 that a root points to.
func (s *source) skipLegacyRows(t tree.Tree) {
	for i, row := range t.Rows {
		name := tree.Resolve(t.Origin.TableLocation, row.Location)
		if !isLegacy(row) || !row.Tracking.Status.Live() || !s.first(name) {
			continue
		}
		f := skipLegacy.finding(t.Origin.SnapshotID, name, "a v4 manifest",
			"one of versions 1 to 3, which are not read yet: its files were not checked")
		f.Row = int64(i)
		f.Object = t.Root
		s.report.put(f)
	}
}

// isLegacy reports whether a row points to a manifest of versions 1 to 3 (rules 11.1).
func isLegacy(ref tree.Entry) bool { return ref.Manifest.Valid && ref.Manifest.Val.FormatVersion == 0 }
