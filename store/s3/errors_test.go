package s3_test

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/aws/smithy-go"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/s3"
)

// calls returns what each call of a store ends with.
func calls(t *testing.T, objects store.Objects, name string) map[string]error {
	_, get := objects.Get(t.Context(), name, 0)
	_, getRange := objects.GetRange(t.Context(), name, 0, make([]byte, 1))
	_, stat := objects.Stat(t.Context(), name)
	var list error
	for _, err := range objects.List(t.Context(), name) {
		list = err
	}
	return map[string]error{
		"put": objects.Put(t.Context(), name, nil), "get": get, "range": getRange, "stat": stat, "list": list,
		"delete": objects.Delete(t.Context(), name),
	}
}

// TestErrorsOfTheEnvironment has every call fail for one reason. Each error is of the reason's kind, names the object,
// says what to do, and looks like nothing that has to do with the object.
func TestErrorsOfTheEnvironment(t *testing.T) {
	const name = "s3://bucket/folder/x"
	for _, c := range []struct {
		name   string
		answer fate
		kind   error
		advice string
	}{
		{"expired", says(403, "ExpiredToken"), s3.ErrCredentials, "get new ones"},
		{"invalid", says(403, "InvalidAccessKeyId"), s3.ErrCredentials, "check the keys"},
		{"clock", says(403, "RequestTimeTooSkewed"), s3.ErrCredentials, "set this machine's clock"},
		{"denied", says(403, "AccessDenied"), s3.ErrDenied, "the credentials need s3:"},
		{"bucket", says(404, "NoSuchBucket"), s3.ErrNoBucket, "make it"},
		{"region", says(301, "PermanentRedirect"), s3.ErrRegion, "set AWS_REGION"},
		{"signature", says(400, "AuthorizationHeaderMalformed"), s3.ErrRegion, "set AWS_REGION"},
		{"unreachable", refusedConnection, s3.ErrUnreachable, "AWS_ENDPOINT_URL"},
		{"reset", dropped, s3.ErrUnreachable, "check the network"},
	} {
		objects := open(t, "http://127.0.0.1:1", through(&wire{all: c.answer}))
		for call, err := range calls(t, objects, name) {
			if !errors.Is(err, c.kind) {
				t.Errorf("%s: %s: %v, want %v", c.name, call, err, c.kind)
			}
			if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), c.advice) {
				t.Errorf("%s: %s: %v: no name, or no advice %q", c.name, call, err, c.advice)
			}
			for _, wrong := range []error{store.ErrNotFound, store.ErrExists, io.EOF, io.ErrUnexpectedEOF, fs.ErrNotExist} {
				if errors.Is(err, wrong) {
					t.Errorf("%s: %s: %v is %v", c.name, call, err, wrong)
				}
			}
		}
	}
}

func TestMissingBucket(t *testing.T) {
	for kind, server := range servers {
		objects := open(t, server(t), s3.Options{})
		for call, err := range calls(t, objects, "s3://firn-no-such-bucket/x") {
			if !errors.Is(err, s3.ErrNoBucket) || errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s: %s: %v, want ErrNoBucket", kind, call, err)
			}
		}
	}
}

func TestServersErrorIsInTheChain(t *testing.T) {
	objects := open(t, "http://127.0.0.1:1", through(&wire{all: says(400, "KeyTooLongError")}))
	_, err := objects.Get(t.Context(), "s3://bucket/x", 0)
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != "KeyTooLongError" {
		t.Errorf("%v has no error of the server", err)
	}
	if want := "get s3://bucket/x: the server answers KeyTooLongError: in words (HTTP 400)"; err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestWrongRegionNamesTheRightOne(t *testing.T) {
	objects := open(t, "http://127.0.0.1:1", through(&wire{before: func(*http.Request) *http.Response {
		return plainAnswer(http.StatusBadRequest, "", "X-Amz-Bucket-Region", "eu-central-1")
	}}))
	_, err := objects.Stat(t.Context(), "s3://bucket/x")
	if !errors.Is(err, s3.ErrRegion) || !strings.Contains(err.Error(), `the bucket is in "eu-central-1"`) {
		t.Errorf("Stat: %v, want ErrRegion and the region", err)
	}
}

func TestNoCredentials(t *testing.T) {
	environ(t)
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		os.Unsetenv(name)
	}
	objects, err := s3.Open(t.Context(), s3.Options{Endpoint: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	for call, err := range calls(t, objects, "s3://bucket/x") {
		if !errors.Is(err, s3.ErrCredentials) || !strings.Contains(err.Error(), "set AWS_ACCESS_KEY_ID") {
			t.Errorf("%s: %v, want ErrCredentials and advice", call, err)
		}
		if errors.Is(err, store.ErrUnknown) {
			t.Errorf("%s: %v, but nothing was sent", call, err)
		}
	}
}

// TestServerGone goes to a port where nobody listens any more, over a true network.
func TestServerGone(t *testing.T) {
	objects := open(t, "http://127.0.0.1:1", s3.Options{})
	for call, err := range calls(t, objects, "s3://bucket/x") {
		if !errors.Is(err, s3.ErrUnreachable) || errors.Is(err, store.ErrUnknown) {
			t.Errorf("%s: %v, want ErrUnreachable alone", call, err)
		}
	}
}
