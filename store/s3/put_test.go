package s3_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/s3"
)

const own, other = "own content", "another one"

// putCase is a Put under faults.
type putCase struct {
	name string
	// planted is what is there already, if it is not empty.
	planted string
	fates   []fate
	// noMetadata is a server that drops metadata, blind one that does not answer to HEAD.
	noMetadata, blind bool
	// want is the error; nil for success. definite errors must be no ErrUnknown and no ErrExists.
	want     error
	definite bool
	// there is what is there at the end.
	there string
	// wholeOnly is a case whose outcome for multipart uploads is another.
	wholeOnly bool
}

var putCases = []putCase{
	{name: "clear", there: own},
	{name: "taken", planted: other, want: store.ErrExists, there: other},
	{name: "taken by the same content", planted: own, want: store.ErrExists, there: own},
	{name: "answer lost", fates: []fate{lost}, there: own},
	{name: "all answers lost", fates: []fate{lost, lost, lost}, there: own},
	{name: "request lost", fates: []fate{dropped}, there: own},
	{name: "all requests lost", fates: []fate{dropped, dropped, dropped}, want: store.ErrUnknown},
	{name: "lands and says 500", fates: []fate{landsAndSays(500, "InternalError")}, there: own},
	{name: "lands and says 503 for ever", fates: slices.Repeat([]fate{landsAndSays(503, "SlowDown")}, 3), there: own},
	{name: "503 once", fates: []fate{says(503, "SlowDown")}, there: own},
	{name: "503 for ever", fates: slices.Repeat([]fate{says(503, "SlowDown")}, 3), want: store.ErrUnknown},
	{name: "answer lost, taken", planted: other, fates: []fate{lost}, want: store.ErrExists, there: other},
	{name: "answer lost, taken by the same content", planted: own, fates: []fate{lost}, want: store.ErrExists, there: own},
	{name: "all answers lost, taken", planted: other, fates: []fate{lost, lost, lost}, want: store.ErrExists, there: other},
	{name: "denied", fates: []fate{says(403, "AccessDenied")}, want: s3.ErrDenied, definite: true},
	{name: "expired", fates: []fate{says(400, "ExpiredToken")}, want: s3.ErrCredentials, definite: true},
	{name: "expired as 403", fates: []fate{says(403, "ExpiredToken")}, want: s3.ErrCredentials, definite: true},
	{name: "expires after a lost answer", fates: []fate{lost, says(403, "ExpiredToken")}, there: own},
	{name: "expires after a lost request", fates: []fate{dropped, says(403, "ExpiredToken")}, want: store.ErrUnknown},
	{name: "no bucket", fates: []fate{says(404, "NoSuchBucket")}, want: s3.ErrNoBucket, definite: true},
	{name: "no condition", fates: []fate{says(501, "NotImplemented")}, want: s3.ErrNoConditionalWrites, definite: true},
	{name: "no server", fates: slices.Repeat([]fate{refusedConnection}, 3), want: s3.ErrUnreachable, definite: true},
	{name: "server comes back", fates: []fate{refusedConnection}, there: own},
	{name: "answer lost, nobody can look", fates: []fate{lost, lost, lost}, blind: true, want: store.ErrUnknown, there: own},
	{name: "answer lost, no metadata", fates: []fate{lost, lost, lost}, noMetadata: true, there: own},
	{name: "answer lost, no metadata, taken by the same length", planted: other, fates: []fate{lost}, noMetadata: true,
		want: store.ErrExists, there: other},
	{name: "answer lost, no metadata, taken by another length", planted: "long " + other, fates: []fate{lost},
		noMetadata: true, want: store.ErrExists, there: "long " + other},
	{name: "conflict once", fates: []fate{says(409, "ConditionalRequestConflict")}, there: own, wholeOnly: true},
	{name: "conflict for ever", fates: slices.Repeat([]fate{says(409, "ConditionalRequestConflict")}, 3),
		want: store.ErrUnknown},
	{name: "conflict with one that lands", planted: other,
		fates: slices.Repeat([]fate{says(409, "ConditionalRequestConflict")}, 3), want: store.ErrExists, there: other},
}

func TestPutOutcomes(t *testing.T) {
	for _, c := range putCases {
		t.Run(c.name, func(t *testing.T) {
			endpoint := inProcess(t)
			c.run(t, endpoint, newBucket(t, endpoint), func(*s3.Store) {})
		})
	}
}

func TestPutOutcomesInParts(t *testing.T) {
	endpoint := separate(t)
	for _, c := range putCases {
		if !c.wholeOnly {
			t.Run(c.name, func(t *testing.T) {
				bucket := newBucket(t, endpoint)
				c.run(t, endpoint, bucket, (*s3.Store).AlwaysInParts)
				if c.definite && c.want != s3.ErrUnreachable && uploads(t, endpoint, bucket) > 0 {
					t.Error("an upload is left open")
				}
			})
		}
	}
}

// run puts own content under the faults of the case.
func (c putCase) run(t *testing.T, endpoint, bucket string, change func(*s3.Store)) {
	ctx := t.Context()
	name := "s3://" + bucket + "/folder/object"
	way := &wire{fates: c.fates, before: c.before}
	objects := open(t, endpoint, s3.Options{HTTPClient: &http.Client{Transport: way}, SkipProbe: true})
	change(objects)
	clear := open(t, endpoint, through(&wire{before: c.before}))
	if c.planted != "" {
		if err := clear.Put(ctx, name, []byte(c.planted)); err != nil {
			t.Fatal(err)
		}
	}
	err := objects.Put(ctx, name, []byte(own))
	vague := errors.Is(err, store.ErrUnknown) || errors.Is(err, store.ErrExists)
	if !errors.Is(err, c.want) || c.definite && vague || err != nil && !strings.HasPrefix(err.Error(), "put "+name+": ") {
		t.Errorf("Put: %v, want %v", err, c.want)
	}
	got, err := clear.Get(ctx, name, 0)
	if string(got) != c.there || (c.there == "") != errors.Is(err, store.ErrNotFound) {
		t.Errorf("there is %q (%v), want %q", got, err, c.there)
	}
}

// before makes the server what the case says.
func (c putCase) before(request *http.Request) *http.Response {
	if c.noMetadata {
		request.Header.Del("X-Amz-Meta-Firn-Put")
	}
	if c.blind && request.Method == http.MethodHead {
		return plainAnswer(http.StatusServiceUnavailable, "")
	}
	return nil
}

// TestPutRace has writers of the same content, half of them with answers that get lost: one wins.
func TestPutRace(t *testing.T) {
	for kind, server := range servers {
		t.Run(kind, func(t *testing.T) {
			endpoint := server(t)
			name := "s3://" + newBucket(t, endpoint) + "/race"
			const writers = 16
			errs := make([]error, writers)
			var group sync.WaitGroup
			for i := range writers {
				way := &wire{}
				if i%2 == 0 {
					way.fates = []fate{lost}
				}
				objects := open(t, endpoint, through(way))
				group.Go(func() { errs[i] = objects.Put(t.Context(), name, []byte(own)) })
			}
			group.Wait()
			won := 0
			for i, err := range errs {
				if err == nil {
					won++
				} else if !errors.Is(err, store.ErrExists) {
					t.Errorf("writer %d: %v", i, err)
				}
			}
			if won != 1 {
				t.Errorf("%d writers won", won)
			}
		})
	}
}

func TestPutContextEndsInTheMiddle(t *testing.T) {
	endpoint := inProcess(t)
	ctx, cancel := context.WithCancel(t.Context())
	way := &wire{fates: []fate{func(request *http.Request) (*http.Response, error) {
		_, err := lost(request)
		cancel()
		return nil, err
	}}}
	objects := open(t, endpoint, through(way))
	err := objects.Put(ctx, "s3://"+newBucket(t, endpoint)+"/x", nil)
	if !errors.Is(err, store.ErrUnknown) || !errors.Is(err, context.Canceled) {
		t.Errorf("Put: %v, want ErrUnknown and the error of the context", err)
	}
}
