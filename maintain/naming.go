package maintain

import (
	"fmt"
	"strings"
)

// Naming says which spellings of a location mean one object: metadata and listings may name the same store in two
// ways. The path is never decoded or cleaned, so that double slashes, spaces and %20 tell objects apart (rules 12.2).
// The zero Naming is good for most stores (B42, MN3).
type Naming struct {
	// EqualSchemes maps a scheme to the one that it is another name of. Nil means that s3a and s3n are s3; an empty
	// map, that no two schemes are equal.
	EqualSchemes map[string]string
	// EqualAuthorities maps an authority, a bucket or a host with its port, to the one that it is another name of.
	// The empty text stands for none, as in hdfs:/wh/t.
	EqualAuthorities map[string]string
	// KeepMismatched keeps objects whose locations differ from a location that is reached in scheme or authority
	// alone, and reports them, where otherwise they stop the run.
	KeepMismatched bool
}

var defaultSchemes = map[string]string{"s3a": "s3", "s3n": "s3"}

// spelling is a location in its parts, with the names of scheme and authority that stand for all equal ones.
type spelling struct {
	scheme, authority, path string
}

func (n Naming) spell(location string) spelling {
	var s spelling
	scheme, rest, ok := strings.Cut(location, ":")
	if !ok {
		return spelling{path: location}
	}
	s.scheme, s.path = scheme, rest
	if after, has := strings.CutPrefix(rest, "//"); has {
		end := strings.IndexByte(after, '/')
		if end < 0 {
			end = len(after)
		}
		s.authority, s.path = after[:end], after[end:]
	}
	schemes := n.EqualSchemes
	if schemes == nil {
		schemes = defaultSchemes
	}
	s.scheme = standsFor(schemes, s.scheme)
	s.authority = standsFor(n.EqualAuthorities, s.authority)
	return s
}

func standsFor(equal map[string]string, name string) string {
	if other, ok := equal[name]; ok {
		return other
	}
	return name
}

// Mismatch is an object whose location differs from one that is reached in scheme or authority alone.
type Mismatch struct {
	// Object is the location of the object, and Reached the one that the table knows.
	Object, Reached string
}

// MismatchError says that nothing can be deleted before it is known whether two spellings mean one object: declare it
// in [Naming].
type MismatchError struct {
	// Mismatches are in the order of their objects.
	Mismatches []Mismatch
}

// Error implements error.
func (e *MismatchError) Error() string {
	m := e.Mismatches[0]
	return fmt.Sprintf("maintain: objects whose locations differ from one that is reached in scheme or authority alone: %d, "+
		"the first is %s, the table has %s (nothing more is deleted)", len(e.Mismatches), m.Object, m.Reached)
}
