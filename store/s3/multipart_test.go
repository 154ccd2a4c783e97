package s3_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/s3"
)

const partBytes = 5 << 20

// large returns content of two parts and some bytes.
func large() []byte {
	data := make([]byte, 2*partBytes+7)
	for i := range data {
		data[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return data
}

func TestMultipart(t *testing.T) {
	endpoint := separate(t)
	bucket := newBucket(t, endpoint)
	way := &wire{}
	options := through(way)
	options.PartBytes = partBytes
	objects := open(t, endpoint, options)
	for key, size := range map[string]int{"one": partBytes, "two": partBytes + 1, "three": 2*partBytes + 7} {
		name, data := "s3://"+bucket+"/"+key, large()[:size]
		if err := objects.Put(t.Context(), name, data); err != nil {
			t.Fatal(err)
		}
		if got, err := objects.Get(t.Context(), name, 0); err != nil || !bytes.Equal(got, data) {
			t.Errorf("Get of %d bytes: %d, %v", size, len(got), err)
		}
		if err := objects.Put(t.Context(), name, data); !errors.Is(err, store.ErrExists) {
			t.Errorf("Put of %d bytes again: %v, want ErrExists", size, err)
		}
	}
	// in each: to begin and to complete, twice
	for key, posts := range map[string]int{"one": 0, "two": 4, "three": 4} {
		if n := way.sent("POST /" + bucket + "/" + key); n != posts {
			t.Errorf("%q: %d requests, want %d", key, n, posts)
		}
	}
	if n := uploads(t, endpoint, bucket); n > 0 {
		t.Errorf("%d uploads are left open", n)
	}
}

// TestMultipartPartFails has the second part refused: nothing of the first is left.
func TestMultipartPartFails(t *testing.T) {
	endpoint := separate(t)
	bucket := newBucket(t, endpoint)
	options := through(&wire{before: func(request *http.Request) *http.Response {
		if request.URL.Query().Get("partNumber") == "2" {
			return answer(http.StatusForbidden, "AccessDenied")
		}
		return nil
	}})
	options.PartBytes = partBytes
	objects := open(t, endpoint, options)
	err := objects.Put(t.Context(), "s3://"+bucket+"/x", large())
	if !errors.Is(err, s3.ErrDenied) || errors.Is(err, store.ErrUnknown) {
		t.Errorf("Put: %v, want ErrDenied alone", err)
	}
	if n := uploads(t, endpoint, bucket); n > 0 {
		t.Errorf("%d uploads are left open", n)
	}
	if left := names(t, objects, "s3://"+bucket+"/"); len(left) > 0 {
		t.Errorf("there are %q", left)
	}
}

func TestPartSize(t *testing.T) {
	for _, c := range []struct{ size, asked, want int64 }{
		{0, 5, 5}, {10_000 * 5, 5, 5}, {10_000*5 + 1, 5, 6}, {50_000_000_000, 16 << 20, 16 << 20},
	} {
		if got := s3.PartSize(c.size, c.asked); got != c.want {
			t.Errorf("PartSize(%d, %d) = %d, want %d", c.size, c.asked, got, c.want)
		}
	}
}

func TestContentIsChecked(t *testing.T) {
	endpoint := inProcess(t)
	sums := 0
	objects := open(t, endpoint, through(&wire{before: func(request *http.Request) *http.Response {
		if request.Method == http.MethodPut && request.Header.Get("Content-Md5") != "" {
			sums++
		}
		if strings.Contains(request.Header.Get("Content-Encoding"), "aws-chunked") || len(request.Trailer) > 0 {
			t.Errorf("the content is framed: %v", request.Header)
		}
		return nil
	}}))
	if err := objects.Put(t.Context(), "s3://"+newBucket(t, endpoint)+"/x", []byte("data")); err != nil {
		t.Error(err)
	}
	if sums != 3 {
		t.Errorf("%d of 3 writes have a checksum", sums)
	}
}
