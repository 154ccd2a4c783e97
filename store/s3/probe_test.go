package s3_test

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/s3"
)

// ignorant is a server that passes over conditions.
func ignorant(request *http.Request) *http.Response {
	request.Header.Del("If-None-Match")
	return nil
}

// names lists what is in a bucket.
func names(t *testing.T, objects store.Objects, prefix string) []string {
	t.Helper()
	var found []string
	for info, err := range objects.List(t.Context(), prefix) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, strings.TrimPrefix(info.Name, prefix))
	}
	return found
}

func TestProbeRefusesServerWithoutConditions(t *testing.T) {
	endpoint := inProcess(t)
	prefix := "s3://" + newBucket(t, endpoint) + "/"
	refuses := func(*http.Request) *http.Response { return answer(http.StatusNotImplemented, "NotImplemented") }
	for name, before := range map[string]func(*http.Request) *http.Response{"ignores": ignorant, "refuses": refuses} {
		objects := open(t, endpoint, through(&wire{before: before}))
		for range 2 {
			err := objects.Put(t.Context(), prefix+"x", nil)
			if !errors.Is(err, s3.ErrNoConditionalWrites) || !strings.Contains(err.Error(), "honors If-None-Match") {
				t.Errorf("%s: Put: %v, want ErrNoConditionalWrites and advice", name, err)
			}
		}
		if err := objects.Probe(t.Context(), prefix); !errors.Is(err, s3.ErrNoConditionalWrites) {
			t.Errorf("%s: Probe: %v, want ErrNoConditionalWrites", name, err)
		}
	}
	if left := names(t, open(t, endpoint, s3.Options{}), prefix); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestProbeRefusesMultipartWithoutConditions goes to a server that honors conditions on PutObject alone.
func TestProbeRefusesMultipartWithoutConditions(t *testing.T) {
	endpoint := inProcess(t)
	prefix := "s3://" + newBucket(t, endpoint) + "/"
	large := bytes.Repeat([]byte("large"), 17<<20/5)
	objects := open(t, endpoint, s3.Options{})
	err := objects.Put(t.Context(), prefix+"large", large)
	if !errors.Is(err, s3.ErrNoConditionalWrites) || !strings.Contains(err.Error(), "PartBytes to -1") {
		t.Errorf("Put in parts: %v, want ErrNoConditionalWrites and advice", err)
	}
	whole := open(t, endpoint, s3.Options{PartBytes: -1})
	for _, err := range []error{
		objects.Put(t.Context(), prefix+"small", nil), whole.Probe(t.Context(), prefix),
		whole.Put(t.Context(), prefix+"whole", large),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if left := names(t, whole, prefix); !slices.Equal(left, []string{"small", "whole"}) {
		t.Errorf("there are %q", left)
	}
}

func TestProbeOncePerBucket(t *testing.T) {
	endpoint := separate(t)
	way := &wire{}
	objects := open(t, endpoint, through(way))
	for _, bucket := range []string{newBucket(t, endpoint), newBucket(t, endpoint)} {
		for _, key := range []string{"a/b/1", "a/b/2", "c/3"} {
			if err := objects.Put(t.Context(), "s3://"+bucket+"/"+key, nil); err != nil {
				t.Fatal(err)
			}
		}
		if n := way.sent("PUT /" + bucket + "/a/b/.firn-probe-"); n != 2 {
			t.Errorf("%d writes of probe objects, want 2", n)
		}
		if n := way.sent("/" + bucket + "/c/.firn-probe-"); n > 0 {
			t.Errorf("%d more probes", n)
		}
		if left := names(t, objects, "s3://"+bucket+"/"); !slices.Equal(left, []string{"a/b/1", "a/b/2", "c/3"}) {
			t.Errorf("there are %q", left)
		}
	}
	if err := objects.Probe(t.Context(), "s3://"+newBucket(t, endpoint)+"/p/"); err != nil {
		t.Error(err)
	}
}

func TestSkipProbe(t *testing.T) {
	endpoint := inProcess(t)
	way := &wire{}
	options := through(way)
	options.SkipProbe = true
	if err := open(t, endpoint, options).Put(t.Context(), "s3://"+newBucket(t, endpoint)+"/x", nil); err != nil {
		t.Error(err)
	}
	if n := way.sent("firn-probe"); n > 0 {
		t.Errorf("%d requests of a probe", n)
	}
}

// TestProbeErrorIsNotRemembered has a probe fail for a reason that passes.
func TestProbeErrorIsNotRemembered(t *testing.T) {
	endpoint := inProcess(t)
	denied := true
	objects := open(t, endpoint, through(&wire{before: func(*http.Request) *http.Response {
		if denied {
			return answer(http.StatusForbidden, "AccessDenied")
		}
		return nil
	}}))
	name := "s3://" + newBucket(t, endpoint) + "/x"
	if err := objects.Put(t.Context(), name, nil); !errors.Is(err, s3.ErrDenied) {
		t.Errorf("Put: %v, want ErrDenied", err)
	}
	denied = false
	if err := objects.Put(t.Context(), name, nil); err != nil {
		t.Error(err)
	}
}
