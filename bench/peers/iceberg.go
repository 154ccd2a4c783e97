package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	sqlcat "github.com/apache/iceberg-go/catalog/sql"
	icetable "github.com/apache/iceberg-go/table"
	"github.com/google/uuid"
)

// formatVersion is that of iceberg-go's tables.
const formatVersion = 2

// icebergTable is a table of iceberg-go.
type icebergTable struct {
	id       icetable.Identifier
	catalog  *sqlcat.Catalog
	location string
}

func newIcebergTable(c *sqlcat.Catalog, name, location string) *icebergTable {
	return &icebergTable{icetable.Identifier{namespace, name}, c, location}
}

// seedIceberg makes a table of files in manifests of so many each: what that many appends would have left behind, once
// all snapshots but the last have expired.
func seedIceberg(ctx context.Context, t *icebergTable, perManifest, files int) error {
	created, err := t.catalog.CreateTable(ctx, t.id, schema(), catalog.WithLocation(t.location),
		catalog.WithProperties(iceberg.Properties{icetable.PropertyFormatVersion: fmt.Sprint(formatVersion)}))
	if err != nil {
		return err
	}
	var manifests []iceberg.ManifestFile
	var snapshotID, sequence int64
	for first := 0; first < files; first += perManifest {
		snapshotID = snapshotOf(first)
		sequence++
		m, err := t.manifest(created.Schema(), snapshotID, sequence, first, min(first+perManifest, files))
		if err != nil {
			return err
		}
		manifests = append(manifests, m)
	}
	slices.Reverse(manifests) // the newest comes first
	var list bytes.Buffer
	if err := iceberg.WriteManifestList(formatVersion, &list, snapshotID, nil, &sequence, 0, manifests); err != nil {
		return err
	}
	name := fmt.Sprintf("%s/metadata/snap-%d-0-%s.avro", t.location, snapshotID, uuid.New())
	if err := writeFile(name, list.Bytes()); err != nil {
		return err
	}
	_, _, err = t.catalog.CommitTable(ctx, t.id, nil, []icetable.Update{
		icetable.NewAddSnapshotUpdate(&icetable.Snapshot{
			SnapshotID: snapshotID, SequenceNumber: sequence, TimestampMs: time.Now().UnixMilli(), ManifestList: name,
			Summary:  &icetable.Summary{Operation: icetable.OpAppend, Properties: totals(files)},
			SchemaID: &created.Schema().ID,
		}),
		icetable.NewSetSnapshotRefUpdate(icetable.MainBranch, snapshotID, icetable.BranchRef, -1, -1, -1),
	})
	return err
}

// snapshotOf returns the id of the snapshot that appended the file.
func snapshotOf(file int) int64 {
	u := uuid.NewSHA1(uuid.Max, fmt.Append(nil, file))
	return int64(binary.BigEndian.Uint64(u[:8]) >> 1)
}

// manifest writes the manifest of the snapshot that appended files first to end-1.
func (t *icebergTable) manifest(s *iceberg.Schema, snapshotID, sequence int64, first, end int) (iceberg.ManifestFile, error) {
	var data bytes.Buffer
	w, err := iceberg.NewManifestWriter(formatVersion, &data, *iceberg.UnpartitionedSpec, s, snapshotID)
	if err != nil {
		return nil, err
	}
	for n := first; n < end; n++ {
		file, err := icebergFile(t.location, n)
		if err != nil {
			return nil, err
		}
		if err := w.Add(iceberg.NewManifestEntry(iceberg.EntryStatusADDED, &snapshotID, nil, nil, file)); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s/metadata/%s-m0.avro", t.location, uuid.New())
	if err := writeFile(name, data.Bytes()); err != nil {
		return nil, err
	}
	files := end - first
	return iceberg.NewManifestFile(formatVersion, name, int64(data.Len()), 0, snapshotID).
		SequenceNum(sequence, sequence).AddedFiles(int32(files)).AddedRows(int64(files * recordCount)).Build(), nil
}

func totals(files int) iceberg.Properties {
	return iceberg.Properties{
		"added-data-files": fmt.Sprint(files), "total-data-files": fmt.Sprint(files),
		"added-records": fmt.Sprint(files * recordCount), "total-records": fmt.Sprint(files * recordCount),
		"added-files-size": fmt.Sprint(files * fileSizeBytes), "total-files-size": fmt.Sprint(files * fileSizeBytes),
		"total-delete-files": "0", "total-position-deletes": "0", "total-equality-deletes": "0",
	}
}

func writeFile(name string, data []byte) error {
	path := strings.TrimPrefix(name, fileScheme)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// prepare implements [table].
func (t *icebergTable) prepare(ctx context.Context, k kind, n int) (func() error, error) {
	file, err := icebergFile(t.location, n)
	if err != nil {
		return nil, err
	}
	options := []icetable.WriteOption{icetable.WithoutAutoNameMapping()}
	if k == appendUnchecked {
		options = append(options, icetable.WithoutDuplicateCheck())
	}
	return func() error {
		loaded, err := t.catalog.LoadTable(ctx, t.id)
		if err != nil {
			return err
		}
		x := loaded.NewTransaction()
		files := []iceberg.DataFile{file}
		if k.removes() {
			err = x.ReplaceDataFilesWithDataFiles(ctx, files, nil, nil, options...)
		} else {
			err = x.AddDataFiles(ctx, files, nil, options...)
		}
		if err != nil {
			return err
		}
		_, err = x.Commit(ctx)
		return err
	}, nil
}

// live implements [table]. It trusts the counts of the manifest list.
func (t *icebergTable) live(ctx context.Context) (int, error) {
	loaded, err := t.catalog.LoadTable(ctx, t.id)
	if err != nil {
		return 0, err
	}
	files, err := loaded.FS(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	manifests, err := loaded.CurrentSnapshot().Manifests(files)
	for _, m := range manifests {
		n += int(m.AddedDataFiles() + m.ExistingDataFiles())
	}
	return n, err
}
