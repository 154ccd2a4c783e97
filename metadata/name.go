package metadata

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// suffixes are how the names of metadata files end; the other two are the ways to mark a compressed one.
var suffixes = []string{".gz.metadata.json", ".metadata.json", ".metadata.json.gz"}

// FileName returns the name of the table's version-th metadata file, as in 00003-<id>.metadata.json.
func FileName(version int, id uuid.UUID) string {
	return fmt.Sprintf("%05d-%s.metadata.json", version, id)
}

// IsFileName reports whether a name, or a location that ends in one, is that of a metadata file.
func IsFileName(name string) bool {
	_, ok := stem(name)
	return ok
}

// stem returns the last part of a location without the suffix of metadata files.
func stem(name string) (string, bool) {
	name = name[strings.LastIndexByte(name, '/')+1:]
	for _, suffix := range suffixes {
		if rest, ok := strings.CutSuffix(name, suffix); ok {
			return rest, rest != ""
		}
	}
	return "", false
}

// VersionOf returns the number in the name of a metadata file: the digits before the first hyphen, or those
// of the form v3.metadata.json. The name may be a whole location.
func VersionOf(name string) (int, bool) {
	rest, ok := stem(name)
	if !ok {
		return 0, false
	}
	digits, _, numbered := strings.Cut(rest, "-")
	if !numbered {
		digits, numbered = strings.CutPrefix(rest, "v")
	}
	version, err := strconv.ParseUint(digits, 10, 31)
	if !numbered || err != nil {
		return 0, false
	}
	return int(version), true
}

// ErrNoFile says that there is no metadata file among the names.
var ErrNoFile = errors.New("metadata: no metadata file")

// AmbiguousError says that more than one metadata file may be the newest.
type AmbiguousError struct {
	// Names are the candidates, in order.
	Names []string
}

// Error implements error.
func (e *AmbiguousError) Error() string {
	return "metadata: more than one file may be the newest: " + strings.Join(e.Names, ", ")
}

// Newest returns the newest metadata file of a folder's listing; names of other files are passed over. If all
// metadata files have a number, the highest one decides. Else the highest last-updated-ms does, which
// lastUpdated returns of a name. Two candidates for the newest are an [*AmbiguousError]: a later time does not
// tell the file that a catalog accepted from one that lost the race for the same number (MD8).
func Newest(names []string, lastUpdated func(name string) (int64, error)) (string, error) {
	files := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !IsFileName(name) })
	if len(files) == 0 {
		return "", ErrNoFile
	}
	slices.Sort(files)
	numbered := !slices.ContainsFunc(files, func(name string) bool {
		_, ok := VersionOf(name)
		return !ok
	})
	age := lastUpdated
	if numbered {
		age = func(name string) (int64, error) {
			version, _ := VersionOf(name)
			return int64(version), nil
		}
	}
	var newest []string
	var highest int64
	for _, name := range files {
		n, err := age(name)
		if err != nil {
			return "", err
		}
		if len(newest) == 0 || n > highest {
			newest, highest = newest[:0], n
		}
		if n == highest {
			newest = append(newest, name)
		}
	}
	if len(newest) > 1 {
		return "", &AmbiguousError{Names: newest}
	}
	return newest[0], nil
}
