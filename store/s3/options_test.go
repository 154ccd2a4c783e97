package s3_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/firn-io/firn/store/s3"
)

func TestOptionsRefused(t *testing.T) {
	environ(t)
	for want, options := range map[string]s3.Options{
		"PartBytes is 1:":               {PartBytes: 1},
		"PartBytes is 5368709121:":      {PartBytes: 5<<30 + 1},
		"MaxAttempts -1":                {MaxAttempts: -1},
		"MaxDelay -1ns must":            {MaxDelay: -time.Nanosecond},
		"no region: set AWS_REGION, or": {},
		"Options.Region":                {PartBytes: -1},
	} {
		if _, err := s3.Open(t.Context(), options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%+v): %v, want %s", options, err, want)
		}
	}
}

func TestBadProfile(t *testing.T) {
	environ(t)
	t.Setenv("AWS_PROFILE", "no-such-profile")
	if _, err := s3.Open(t.Context(), s3.Options{Region: "eu-west-1"}); err == nil || !strings.Contains(err.Error(), "no-such-profile") {
		t.Errorf("Open: %v, want an error that names the profile", err)
	}
}

func TestEndpoints(t *testing.T) {
	const general, special, given = "http://general.test", "http://special.test", "http://given.test"
	for name, c := range map[string]struct {
		environ   map[string]string
		options   s3.Options
		endpoint  string
		pathStyle bool
	}{
		"Amazon":         {options: s3.Options{Region: "eu-west-1"}},
		"Amazon by path": {options: s3.Options{Region: "eu-west-1", Addressing: s3.PathStyle}, pathStyle: true},
		"environment":    {environ: map[string]string{"AWS_ENDPOINT_URL": general}, endpoint: general, pathStyle: true},
		"environment of the service": {
			environ:  map[string]string{"AWS_ENDPOINT_URL": general, "AWS_ENDPOINT_URL_S3": special},
			endpoint: special, pathStyle: true,
		},
		"options": {
			environ: map[string]string{"AWS_ENDPOINT_URL_S3": special}, options: s3.Options{Endpoint: given},
			endpoint: given, pathStyle: true,
		},
		"by host": {
			options:  s3.Options{Endpoint: given, Addressing: s3.VirtualHostStyle},
			endpoint: given,
		},
	} {
		t.Run(name, func(t *testing.T) {
			environ(t)
			for key, value := range c.environ {
				if err := os.Setenv(key, value); err != nil { // environ restores it
					t.Fatal(err)
				}
			}
			objects, err := s3.Open(t.Context(), c.options)
			if err != nil {
				t.Fatal(err)
			}
			if endpoint, pathStyle := objects.Endpoint(); endpoint != c.endpoint || pathStyle != c.pathStyle {
				t.Errorf("endpoint %q, path style %v", endpoint, pathStyle)
			}
		})
	}
}
