package s3_test

import (
	"net/http"
	"strings"
	"testing"
)

// listing is a page of a listing.
func listing(rest string, keys ...string) string {
	var text strings.Builder
	text.WriteString("<ListBucketResult>" + rest)
	for _, key := range keys {
		text.WriteString("<Contents><Key>" + key + "</Key><Size>1</Size></Contents>")
	}
	return text.String() + "</ListBucketResult>"
}

func TestListsOfOddServers(t *testing.T) {
	for name, c := range map[string]struct {
		page string
		want string // the error, or "" for the names below
	}{
		"encoded":       {listing("<EncodingType>url</EncodingType>", "p%2B1", "p%2F2", "p+3"), "after"},
		"not encoded":   {listing("", "p%2B1", "p+3"), ""},
		"unordered":     {listing("", "pb", "pa"), `lists "pa" after "pb"`},
		"twice":         {listing("", "pa", "pa"), `lists "pa" after "pa"`},
		"foreign":       {listing("", "q"), `lists "q" under the prefix "p"`},
		"bad code":      {listing("<EncodingType>url</EncodingType>", "p%zz"), "decoded"},
		"no way on":     {listing("<IsTruncated>true</IsTruncated>", "pa"), "not how to go on"},
		"nothing":       {listing(""), ""},
		"not a listing": {"<", "what cannot be read"},
	} {
		objects := open(t, "http://127.0.0.1:1", through(&wire{before: func(request *http.Request) *http.Response {
			return plainAnswer(http.StatusOK, c.page)
		}}))
		var last error
		for _, err := range objects.List(t.Context(), "s3://bucket/p") {
			if last != nil {
				t.Errorf("%s: goes on after %v", name, last)
			}
			last = err
		}
		if (last == nil) != (c.want == "") || last != nil && !strings.Contains(last.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, last, c.want)
		}
	}
}
