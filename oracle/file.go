package oracle

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/tree"
)

// ErrFile says that a single file is neither a v4 manifest nor a bitmap.
var ErrFile = errors.New("neither a v4 manifest nor a bitmap")

// checkFile checks a single file by what it is.
func checkFile(ctx context.Context, target Target, r *report) error {
	data, err := target.Objects.Get(ctx, target.File, maxManifestBytes)
	if err != nil {
		return err
	}
	switch {
	case bytes.HasPrefix(data, []byte("PAR1")), strings.HasSuffix(target.File, ".parquet"), r.options.As != Either:
		return checkManifest(data, target.File, r)
	case bytes.HasPrefix(data, []byte("Obj\x01")):
		return fmt.Errorf("%s is an Avro file: %w", target.File, treeio.ErrLegacy)
	}
	return checkBitmap(data, target.File, r)
}

// checkManifest checks a manifest by the rules that need no table.
func checkManifest(data []byte, name string, r *report) error {
	file, err := manifestio.Open(bytes.NewReader(data), int64(len(data)), name, manifestio.DecodeOptions{})
	if err != nil {
		return err
	}
	rows, err := file.ReadAll(tree.Full)
	if err != nil {
		return err
	}
	var unknown invariants.Table
	place := invariants.Place{Object: name, Row: -1}
	for v := range invariants.CheckKeys(unknown, place, keysOf(file)) {
		r.put(fromViolation(v))
	}
	switch roleOf(rows, r.options.As) {
	case Root:
		root := tree.Tree{Root: name, Rows: rows, HasSnapshotTimestamps: file.HasSnapshotTimestamps()}
		for v := range invariants.CheckRoot(unknown, root) {
			if !r.put(fromViolation(v)) {
				return nil
			}
		}
		return nil
	case Leaf:
		return r.all(invariants.CheckLeaf(unknown, place, inOrder(rows)))
	}
	for i, row := range rows {
		place.Row = int64(i)
		for v := range invariants.CheckEntry(unknown, place, row) {
			if !r.put(fromViolation(v)) {
				return nil
			}
		}
	}
	return nil
}

// roleOf returns the role that was asked for, or else the root's if there is a row that only a root may have.
func roleOf(rows []tree.Entry, as Role) Role {
	for _, row := range rows {
		if as == Either && row.Content.IsManifest() {
			return Root
		}
	}
	return as
}

func inOrder(rows []tree.Entry) iter.Seq2[tree.Row, error] {
	return func(yield func(tree.Row, error) bool) {
		for i, row := range rows {
			if !yield(tree.Row{Position: int64(i), Entry: row}, nil) {
				return
			}
		}
	}
}

// checkBitmap checks the bytes of a bitmap, which may also be written as hex digits.
func checkBitmap(data []byte, name string, r *report) error {
	if text, err := hex.DecodeString(strings.TrimPrefix(string(bytes.TrimSpace(data)), "0x")); err == nil && len(text) > 0 {
		data = text
	}
	if len(data) == 0 || data[0] != 1 {
		return fmt.Errorf("%s: %w", name, ErrFile)
	}
	layout, err := mdv.Describe(data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if rule, known := Lookup("E-MDV-CANONICAL"); known && !layout.Canonical {
		r.put(rule.finding(0, name, "canonical bytes", "other bytes of the same set"))
	}
	return nil
}
