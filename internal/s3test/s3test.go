// Package s3test gives tests an S3 server in their own process, and a store over it.
package s3test

import (
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/firn-io/firn/store/s3"
)

// Bucket is the bucket that every server has.
const Bucket = "firn-test"

// Environ points the environment of the SDK at an endpoint, with keys that a test server takes, and at nothing of the
// machine's.
func Environ(t testing.TB, endpoint string) {
	t.Helper()
	none := t.TempDir() + "/none"
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "firn", "AWS_SECRET_ACCESS_KEY": "firn-secret", "AWS_REGION": "us-east-1",
		"AWS_ENDPOINT_URL": endpoint, "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": none, "AWS_SHARED_CREDENTIALS_FILE": none,
	} {
		t.Setenv(name, value)
	}
	for _, name := range []string{"AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_S3", "AWS_MAX_ATTEMPTS"} {
		t.Setenv(name, "") // so that it is there again after the test
		os.Unsetenv(name)
	}
}

// Server starts a server with an empty bucket, sets the environment for it, and returns its endpoint.
func Server(t testing.TB) string {
	t.Helper()
	server := httptest.NewServer(gofakes3.New(s3mem.New()).Server())
	t.Cleanup(server.Close)
	Environ(t, server.URL)
	c, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client := sdk.NewFromConfig(c, func(o *sdk.Options) { o.UsePathStyle = true })
	if _, err := client.CreateBucket(t.Context(), &sdk.CreateBucketInput{Bucket: aws.String(Bucket)}); err != nil {
		t.Fatal(err)
	}
	return server.URL
}

// Store starts a server and returns a store over it, and a location below which nothing is yet. The server does not
// honor conditions of multipart uploads, so every object goes in one request.
func Store(t testing.TB) (*s3.Store, string) {
	t.Helper()
	Server(t)
	store, err := s3.Open(t.Context(), s3.Options{PartBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	return store, "s3://" + Bucket + "/" + strings.ReplaceAll(t.Name(), "/", "-")
}
