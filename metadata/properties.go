package metadata

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// The properties that expiry and the metadata log go by.
const (
	// PropertyPreviousVersionsMax bounds the metadata log.
	PropertyPreviousVersionsMax = "write.metadata.previous-versions-max"
	// PropertyDeleteAfterCommit says whether metadata files that fall out of the log are deleted.
	PropertyDeleteAfterCommit = "write.metadata.delete-after-commit.enabled"
	// PropertyMaxSnapshotAge is the age in milliseconds up to which snapshots are kept.
	PropertyMaxSnapshotAge = "history.expire.max-snapshot-age-ms"
	// PropertyMinSnapshotsToKeep is how many snapshots of a branch are kept whatever their age.
	PropertyMinSnapshotsToKeep = "history.expire.min-snapshots-to-keep"
	// PropertyMaxRefAge is the age in milliseconds up to which branches other than main, and tags, are kept.
	PropertyMaxRefAge = "history.expire.max-ref-age-ms"
	// PropertyGCEnabled says whether files may be deleted, which another table may share.
	PropertyGCEnabled = "gc.enabled"
)

// The defaults of these properties; refs are kept for ever, and nothing is deleted after a commit.
const (
	DefaultPreviousVersionsMax        = 100
	DefaultMaxSnapshotAgeMillis       = 5 * 24 * 60 * 60 * 1000
	DefaultMinSnapshotsToKeep         = 1
	DefaultMaxRefAgeMillis      int64 = 1<<63 - 1
)

// reservedProperties are names that stand for parts of the metadata where catalogs and clients exchange it.
var reservedProperties = []string{
	"format-version", "uuid", "snapshot-count", "current-snapshot-summary", "current-snapshot-id",
	"current-snapshot-timestamp-ms", "current-schema", "default-partition-spec", "default-sort-order",
}

// WithProperties returns the table with properties set, and those of the names in remove removed.
func (t Table) WithProperties(set map[string]string, remove ...string) Table {
	properties := maps.Clone(t.Properties)
	if properties == nil {
		properties = map[string]string{}
	}
	for _, name := range remove {
		delete(properties, name)
	}
	maps.Copy(properties, set)
	t.Properties = properties
	return t
}

// UpdateProperties returns the table with properties set, and those of the names in remove removed; it is no
// error if one of these is not there. Reserved names, names that are both set and removed, and values that
// expiry and the metadata log could not go by are refused (MD16).
func (t Table) UpdateProperties(set map[string]string, remove ...string) (Table, error) {
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(set)), remove) {
		value, isSet := set[name]
		var err error
		switch {
		case name == "" || !utf8.ValidString(name) || !utf8.ValidString(value):
			err = errors.New("name and value must be valid UTF-8, and the name not empty")
		case slices.Contains(reservedProperties, name):
			err = errors.New("the name is reserved")
		case isSet && slices.Contains(remove, name):
			err = errors.New("it is both set and removed")
		case isSet:
			err = checkProperty(name, value)
		}
		if err != nil {
			return Table{}, fmt.Errorf("metadata: property %q: %w", shorten(name), err)
		}
	}
	return t.WithProperties(set, remove...), nil
}

// checkProperty checks the values of the properties that this package reads.
func checkProperty(name, value string) error {
	switch name {
	case PropertyDeleteAfterCommit, PropertyGCEnabled:
		if _, err := strconv.ParseBool(value); err != nil {
			return fmt.Errorf("the value %q is neither true nor false", shorten(value))
		}
	case PropertyPreviousVersionsMax, PropertyMinSnapshotsToKeep:
		return checkNumber(value, 31)
	case PropertyMaxSnapshotAge, PropertyMaxRefAge:
		return checkNumber(value, 63)
	}
	return nil
}

func checkNumber(value string, bits int) error {
	if n, err := strconv.ParseUint(value, 10, bits); err != nil || n == 0 {
		return fmt.Errorf("the value %q is no positive number of at most %d bits", shorten(value), bits)
	}
	return nil
}

// numberProperty returns the value of a property that must be a positive number.
func (t Table) numberProperty(name string, absent int64) (int64, error) {
	value, ok := t.Properties[name]
	if !ok {
		return absent, nil
	}
	if err := checkProperty(name, value); err != nil {
		return 0, fmt.Errorf("property %q: %w", name, err)
	}
	return strconv.ParseInt(value, 10, 64)
}

// switchProperty returns the value of a property that is true or false; what is neither counts as absent.
func (t Table) switchProperty(name string, absent bool) bool {
	value, err := strconv.ParseBool(t.Properties[name])
	if err != nil {
		return absent
	}
	return value
}
