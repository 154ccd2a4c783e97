package s3_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/s3"
)

// oddKeys are keys that something between the caller and the bucket could change. No two of them are one object.
var oddKeys = []string{
	"a b", "a%20b", "a+b", "a%2Bb", "a/b", "a//b", "a%2Fb", "/a/b", "//a/b", "a/b/", "a/b//", "a/./b", "a/../b", "../a/b",
	"./a/b", "..", ".", "/", "a?b=c", "a#b", "a&b=c", "é", "e\u0301", "日本", "🧊", "a\u00a0b", "a\\b", "ts=10:00", "*", "'\"<>&",
}

// TestKeysAreLiteral keeps all odd keys at the top of a bucket.
func TestKeysAreLiteral(t *testing.T) {
	for kind, server := range servers {
		t.Run(kind, func(t *testing.T) {
			endpoint := server(t)
			prefix := "s3://" + newBucket(t, endpoint) + "/"
			objects := open(t, endpoint, s3.Options{})
			for _, key := range oddKeys {
				if err := objects.Put(t.Context(), prefix+key, []byte(key)); err != nil {
					t.Error(err)
				}
			}
			for _, key := range oddKeys {
				if got, err := objects.Get(t.Context(), prefix+key, 0); string(got) != key {
					t.Errorf("%q holds %q, %v", key, got, err)
				}
			}
			if found := names(t, objects, prefix); len(found) != len(oddKeys) {
				t.Errorf("%d names are listed, of %d: %q", len(found), len(oddKeys), found)
			}
			for i, key := range oddKeys {
				err := objects.Delete(t.Context(), prefix+key)
				if left := names(t, objects, prefix); err != nil || len(left) != len(oddKeys)-i-1 {
					t.Fatalf("after deleting %q: %q are left, %v", key, left, err)
				}
			}
		})
	}
}

func TestNamesRefused(t *testing.T) {
	objects := open(t, "http://127.0.0.1:1", s3.Options{})
	for name, want := range map[string]string{
		"": "is no name in S3", "x": "is no name in S3", "file:///x": "is no name in S3", "s3:/b/x": "is no name in S3",
		"S3://b/x": "is no name in S3", "s3a://b/x": "is no name in S3", "s3n://b/x": "is no name in S3",
		"s3://": "no slash behind the bucket", "s3://b": "no slash behind the bucket", "s3:///x": `bucket ""`,
		"s3://host:1/x": `bucket "host:1"`, "s3://user@b/x": `bucket "user@b"`, "s3://b?q/x": `bucket "b?q"`,
		"s3://b%2e/x": `bucket "b%2e"`, "s3://b--use1-az4--x-s3/x": "directory bucket",
		"s3://b/x\x00": "characters that a listing cannot show", "s3://b/x\n": "characters that a listing cannot show",
		"s3://b/\xff": "is not UTF-8", "s3://b/\uFFFE": "characters that a listing cannot show",
	} {
		for call, err := range calls(t, objects, name) {
			if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s %q: %v, want %s", call, name, err, want)
			}
		}
	}
	for call, err := range calls(t, objects, "s3://b/") {
		if call != "list" && (err == nil || !strings.Contains(err.Error(), "has no key")) {
			t.Errorf("%s without a key: %v", call, err)
		}
	}
}
