package manifestio

import (
	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// setNumber stores a required number.
func setNumber[T int32 | int64](at func(*tree.Entry) *T) setter {
	return func(es []tree.Entry, v *vector) error {
		for i := range es {
			if v.has(i) {
				*at(&es[i]) = T(v.nums[i])
			}
		}
		return nil
	}
}

// setOptional stores an optional number.
func setOptional[T int32 | int64](at func(*tree.Entry) *iceberg.Optional[T]) setter {
	return func(es []tree.Entry, v *vector) error {
		for i := range es {
			if v.has(i) {
				*at(&es[i]) = iceberg.Optional[T]{Val: T(v.nums[i]), Valid: true}
			}
		}
		return nil
	}
}

// setText stores a string.
func setText(at func(*tree.Entry) *string) setter {
	return func(es []tree.Entry, v *vector) error {
		for i := range es {
			if v.has(i) {
				*at(&es[i]) = v.texts[i]
			}
		}
		return nil
	}
}

// setBytes stores a binary. The values of a batch share one array, each with no room behind it.
func setBytes(at func(*tree.Entry) *[]byte) setter {
	return func(es []tree.Entry, v *vector) error {
		size, some := 0, false
		for i := range es {
			if v.has(i) {
				size, some = size+len(v.texts[i]), true
			}
		}
		if !some {
			return nil
		}
		shared := make([]byte, 0, size)
		for i := range es {
			if v.has(i) {
				start := len(shared)
				shared = append(shared, v.texts[i]...)
				*at(&es[i]) = shared[start:len(shared):len(shared)]
			}
		}
		return nil
	}
}

// setStatus stores the status (rules 6.1).
func setStatus(es []tree.Entry, v *vector) error {
	for i := range es {
		n := v.nums[i]
		if n < 0 || n >= int64(tree.Modified) {
			return faultf(i, "%d is no status", n)
		}
		es[i].Tracking.Status = tree.Status(n) + tree.Existing
	}
	return nil
}

// setContent stores the content type (rules 2.1). The kinds of delete files, which the format no longer has
// in a v4 manifest, are read so that a checker can name them (Q1).
func setContent(es []tree.Entry, v *vector) error {
	for i := range es {
		n := v.nums[i]
		if n < 0 || n >= int64(tree.DeleteManifest) {
			return faultf(i, "%d is no content type", n)
		}
		es[i].Content = tree.Content(n) + tree.Data
	}
	return nil
}

// setDVLocation stores the location of a deletion vector and with it its presence.
func setDVLocation(es []tree.Entry, v *vector) error {
	for i := range es {
		if v.has(i) {
			es[i].DeletionVector.Valid = true
			es[i].DeletionVector.Val.Location = v.texts[i]
		}
	}
	return nil
}

// setAddedFiles stores the first count of manifest_info and with it the presence of the struct.
func setAddedFiles(es []tree.Entry, v *vector) error {
	for i := range es {
		if v.has(i) {
			es[i].Manifest.Valid = true
			es[i].Manifest.Val.AddedFiles = int32(v.nums[i])
		}
	}
	return nil
}

// setFormatVersion stores the format version of a manifest (rules 2.4.4).
func setFormatVersion(es []tree.Entry, v *vector) error {
	for i := range es {
		if !v.has(i) {
			continue
		}
		if n := v.nums[i]; n != 0 && n != 4 {
			return faultf(i, "%d is no format version of a manifest", n)
		}
		es[i].Manifest.Val.FormatVersion = int32(v.nums[i])
	}
	return nil
}

// setOldVersion stores a format version that stands beside manifest_info; entries that point to no manifest
// may have one too. It runs after the fields of manifest_info.
func setOldVersion(es []tree.Entry, v *vector) error {
	for i := range es {
		if !es[i].Manifest.Valid {
			continue
		}
		if !v.has(i) {
			return faultf(i, "a manifest without a format version")
		}
		if n := v.nums[i]; n != 0 && n != 4 {
			return faultf(i, "%d is no format version of a manifest", n)
		}
		es[i].Manifest.Val.FormatVersion = int32(v.nums[i])
	}
	return nil
}
