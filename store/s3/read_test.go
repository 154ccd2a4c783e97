package s3_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/firn-io/firn/store"
)

// cutting lets answers with content end after some bytes, as often as times says.
type cutting struct {
	after int64
	times int
}

// RoundTrip implements [http.RoundTripper].
func (c *cutting) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil && request.Method == http.MethodGet && c.times > 0 {
		c.times--
		response.Body = cutBody{io.LimitReader(response.Body, c.after), response.Body}
	}
	return response, err
}

// cutBody ends as the body of a connection that was cut.
type cutBody struct {
	io.Reader
	io.Closer
}

// Read implements [io.Reader].
func (b cutBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func TestCutBodies(t *testing.T) {
	endpoint := inProcess(t)
	name, data := "s3://"+newBucket(t, endpoint)+"/x", large()[:10_000]
	if err := open(t, endpoint, through(&wire{})).Put(t.Context(), name, data); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		times int
		fails bool
	}{{0, false}, {1, false}, {2, false}, {3, true}} {
		options := through(nil)
		options.HTTPClient = &http.Client{Transport: &cutting{after: 999, times: c.times}}
		got, err := open(t, endpoint, options).Get(t.Context(), name, 0)
		if (err != nil) != c.fails || err == nil && !bytes.Equal(got, data) || err != nil && got != nil {
			t.Errorf("Get, cut %d times: %d bytes and %v", c.times, len(got), err)
		}
		options.HTTPClient = &http.Client{Transport: &cutting{after: 999, times: c.times}}
		p := make([]byte, 5000)
		n, err := open(t, endpoint, options).GetRange(t.Context(), name, 2000, p)
		if (err != nil) != c.fails || err == nil && (n != len(p) || !bytes.Equal(p, data[2000:7000])) {
			t.Errorf("GetRange, cut %d times: %d bytes and %v", c.times, n, err)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("GetRange, cut %d times: %v looks like the end of the object", c.times, err)
		}
	}
}

// TestRangesOfOddServers answers a read of 4 bytes from 10.
func TestRangesOfOddServers(t *testing.T) {
	for name, c := range map[string]struct {
		response *http.Response
		n        int
		want     error // nil for an error of another kind
	}{
		"whole object":    {response: plainAnswer(200, "0123456789abcdef")},
		"other range":     {response: plainAnswer(206, "0123", "Content-Range", "bytes 0-3/16")},
		"no total":        {response: plainAnswer(206, "abcd", "Content-Range", "bytes 10-13/*")},
		"nonsense":        {response: plainAnswer(206, "abcd", "Content-Range", "abc")},
		"total too small": {response: plainAnswer(206, "abcd", "Content-Range", "bytes 10-13/3")},
		"end":             {plainAnswer(206, "abc", "Content-Range", "bytes 10-12/13"), 3, io.EOF},
		"too short":       {response: plainAnswer(206, "a", "Content-Range", "bytes 10-13/16"), n: 1},
	} {
		objects := open(t, "http://127.0.0.1:1", through(&wire{before: func(request *http.Request) *http.Response {
			copied := *c.response
			if body, ok := c.response.Body.(io.ReadSeeker); ok {
				_, _ = body.Seek(0, io.SeekStart)
			}
			return &copied
		}}))
		n, err := objects.GetRange(t.Context(), "s3://bucket/x", 10, make([]byte, 4))
		ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err == nil || n > c.n || ended != (c.want != nil) {
			t.Errorf("%s: %d bytes and %v", name, n, err)
		}
	}
}

func TestSizeOfTheAnswerIsNotTrusted(t *testing.T) {
	objects := open(t, "http://127.0.0.1:1", through(&wire{before: func(request *http.Request) *http.Response {
		response := plainAnswer(200, "short", "Content-Length", "4611686018427387904")
		response.ContentLength = 1 << 62
		return response
	}}))
	if _, err := objects.Get(t.Context(), "s3://bucket/x", 0); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("Get: %v, want an error", err)
	}
	if _, err := objects.Get(t.Context(), "s3://bucket/x", 1<<20); !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("Get: %v, want ErrTooLarge", err)
	}
}

func TestEmptyRange(t *testing.T) {
	endpoint := inProcess(t)
	prefix := "s3://" + newBucket(t, endpoint) + "/"
	objects := open(t, endpoint, through(&wire{}))
	if err := objects.Put(t.Context(), prefix+"x", nil); err != nil {
		t.Fatal(err)
	}
	if n, err := objects.GetRange(t.Context(), prefix+"x", 5, nil); n != 0 || err != nil {
		t.Errorf("empty range: %d, %v", n, err)
	}
	if _, err := objects.GetRange(t.Context(), prefix+"y", 0, nil); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("empty range of a missing object: %v, want ErrNotFound", err)
	}
	if n, err := objects.GetRange(t.Context(), prefix+"x", 1<<63-1, make([]byte, 9)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("range at the largest offset: %d, %v", n, err)
	}
}
