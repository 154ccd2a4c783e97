package s3

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	scheme = "s3://"
	// directorySuffix ends the names of directory buckets.
	directorySuffix = "--x-s3"
)

// object is where an object lies.
type object struct {
	bucket, key string
}

// name returns the object's full name.
func (o object) name() string { return scheme + o.bucket + "/" + o.key }

// locate starts a call about an object: it parses the name, and fails if the context is done.
func locate(ctx context.Context, name string) (object, error) {
	if err := ctx.Err(); err != nil {
		return object{}, err
	}
	found, err := parse(name)
	if err == nil && found.key == "" {
		err = fmt.Errorf("%q has no key: s3://BUCKET/KEY is needed", name)
	}
	return found, err
}

// parse cuts a name, or the prefix of names, into bucket and key. The key may be empty.
func parse(name string) (object, error) {
	rest, ok := strings.CutPrefix(name, scheme)
	if !ok {
		return object{}, fmt.Errorf("%q is no name in S3: s3://BUCKET/KEY is needed", name)
	}
	bucket, key, ok := strings.Cut(rest, "/")
	if !ok {
		return object{}, fmt.Errorf("%q has no slash behind the bucket: s3://BUCKET/KEY is needed", name)
	}
	if bucket == "" || strings.ContainsFunc(bucket, notInBuckets) {
		return object{}, fmt.Errorf("bucket %q is not made of letters, digits, dots, dashes and underscores", bucket)
	}
	if strings.HasSuffix(bucket, directorySuffix) {
		return object{}, fmt.Errorf("bucket %q is a directory bucket, which does not list in order: use a general-purpose bucket", bucket)
	}
	if !utf8.ValidString(key) || strings.ContainsFunc(key, notInKeys) {
		return object{}, fmt.Errorf("key %q is not UTF-8 or has characters that a listing cannot show", key)
	}
	return object{bucket: bucket, key: key}, nil
}

// notInBuckets reports whether no name of a bucket has the character. A bucket can become part of a host's name,
// so this also keeps a name from leading a request, with its signature, to another host.
func notInBuckets(c rune) bool {
	alphanumeric := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
	return !alphanumeric && !strings.ContainsRune(".-_", c)
}

// notInKeys reports whether XML 1.0, which listings are written in, has no such character or changes it.
func notInKeys(c rune) bool { return unicode.IsControl(c) || c == '\uFFFE' || c == '\uFFFF' }
