package metadata_test

import (
	"fmt"
	"testing"

	"github.com/firn-io/firn/metadata"
	"github.com/google/uuid"
)

// grown returns a table after commits from one number to another as a writer with running totals makes them, with
// the ids, times and names of the length that they have in use.
func grown(t testing.TB, m metadata.Table, from, to int) metadata.Table {
	t.Helper()
	const second = 1000
	for i := from; i < to; i++ {
		id := int64(4_611_686_018_427_387_904) + int64(i)
		s := next(m, id, "main", 1_700_000_000_000+int64(i)*second)
		s.RootManifest = optional(fmt.Sprintf("metadata/snap-%d-1-%s.parquet", id, uuid.NewSHA1(tableUUID, []byte{byte(i)})))
		s.AddedRows = optional[int64](1_000_000)
		s.Summary = map[string]string{
			"operation": metadata.OpAppend, "engine-name": "firn",
			"added-data-files": "4", "added-records": "1000000", "added-files-size": "134217728",
			"total-data-files": fmt.Sprint(4 * (i + 1)), "total-records": fmt.Sprint(1_000_000 * (i + 1)), "total-files-size": fmt.Sprint(134_217_728 * (i + 1)),
			"firn.root-rows": "104", "firn.root-bytes": "20480", "firn.leaves-written": "0",
		}
		name := "metadata/" + metadata.FileName(i, uuid.NewSHA1(tableUUID, fmt.Append(nil, i)))
		after, err := m.WithSnapshot(s, "main", name)
		if err != nil {
			t.Fatal(err)
		}
		m = after
	}
	return m
}

func sizeBytes(t testing.TB, m metadata.Table) int {
	t.Helper()
	text, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return len(text)
}

// A metadata file grows by a snapshot and an entry of each log for each commit, by less once the metadata log is
// full, and expiry brings it back to what it keeps.
func TestGrowth(t *testing.T) {
	start := sizeBytes(t, empty(t))
	previous, commits := start, 0
	m := empty(t)
	for _, more := range []int{100, 900, 2000} {
		m = grown(t, m, commits, commits+more)
		size := sizeBytes(t, m)
		perCommit := float64(size-previous) / float64(more)
		t.Logf("%6d snapshots: %8d bytes, %6.1f for each of the last %d", commits+more, size, perCommit, more)
		if perCommit < 400 || perCommit > 1000 {
			t.Errorf("a commit takes %.1f bytes", perCommit)
		}
		previous, commits = size, commits+more
	}
	snapshotsGone, snapshotLogGone, metadataLogGone := m, m, m
	snapshotsGone.Snapshots, snapshotLogGone.SnapshotLog, metadataLogGone.MetadataLog = nil, nil, nil
	t.Logf("an empty table: %d bytes; each snapshot %.1f, each snapshot-log entry %.1f, each of %d metadata-log entries %.1f", start,
		float64(previous-sizeBytes(t, snapshotsGone))/float64(commits), float64(previous-sizeBytes(t, snapshotLogGone))/float64(commits),
		len(m.MetadataLog), float64(previous-sizeBytes(t, metadataLogGone))/float64(len(m.MetadataLog)))

	for _, keep := range []int{50, 500} {
		policy := metadata.ExpiryPolicy{KeepLast: keep, OlderThanMillis: optional(m.LastUpdatedMillis + 1)}
		e, err := m.Expired(policy, m.LastUpdatedMillis)
		if err != nil {
			t.Fatal(err)
		}
		after, err := m.Expire(e)
		if err != nil {
			t.Fatal(err)
		}
		size := sizeBytes(t, after)
		t.Logf("expiry that keeps %d: %d bytes", keep, size)
		if len(after.Snapshots) != keep || len(after.SnapshotLog) != keep || size > 50_000+1000*keep {
			t.Errorf("%d snapshots, %d log entries, %d bytes", len(after.Snapshots), len(after.SnapshotLog), size)
		}
	}
}
