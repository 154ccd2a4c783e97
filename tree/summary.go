package tree

import (
	"fmt"
	"math"
)

// FormatVersion is the version of the manifests that this package models (rules 2.4.4).
const FormatVersion = 4

// Summarize returns what the root says about a leaf with these rows, in the raw: files and records by status, and
// the lowest data sequence number among the live ones, where a null stands for the number of the commit that
// writes the leaf (rules 2.4, 7.8). A leaf without live rows gets that number too. Negative record counts and
// counts that exceed their fields are errors (Q4, T7).
func Summarize(rows []Entry, commitSequenceNumber int64) (ManifestInfo, error) {
	info := ManifestInfo{FormatVersion: FormatVersion, MinSequenceNumber: commitSequenceNumber}
	lowest := int64(math.MaxInt64)
	for i, e := range rows {
		files, records, err := info.tally(e.Tracking.Status)
		if err != nil {
			return ManifestInfo{}, fmt.Errorf("tree: row %d, %s: %w", i, e.Location, err)
		}
		if *files == math.MaxInt32 {
			return ManifestInfo{}, fmt.Errorf("tree: row %d, %s: more %s files than 32 bits count (Q4)",
				i, e.Location, e.Tracking.Status)
		}
		if e.RecordCount < 0 || *records > math.MaxInt64-e.RecordCount {
			return ManifestInfo{}, fmt.Errorf("tree: row %d, %s: record_count %d is negative or exceeds the sum of %s records",
				i, e.Location, e.RecordCount, e.Tracking.Status)
		}
		*files++
		*records += e.RecordCount
		if e.Tracking.Status.Live() {
			number := commitSequenceNumber
			if e.Tracking.SequenceNumber.Valid {
				number = e.Tracking.SequenceNumber.Val
			}
			lowest = min(lowest, number)
			info.MinSequenceNumber = lowest
		}
	}
	return info, nil
}

// tally returns the two counters of a status.
func (m *ManifestInfo) tally(s Status) (files *int32, records *int64, err error) {
	switch s {
	case Added:
		return &m.AddedFiles, &m.AddedRows, nil
	case Existing:
		return &m.ExistingFiles, &m.ExistingRows, nil
	case Deleted:
		return &m.DeletedFiles, &m.DeletedRows, nil
	case Replaced:
		return &m.ReplacedFiles, &m.ReplacedRows, nil
	case Modified:
		return &m.ModifiedFiles, &m.ModifiedRows, nil
	}
	return nil, nil, fmt.Errorf("it has no status: %s", s)
}
