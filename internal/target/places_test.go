package target_test

import (
	"errors"
	"os"
	"testing"

	"github.com/firn-io/firn/internal/s3test"
	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/store"
)

// TestBuckets reads and writes objects in S3, under their own names and under those of an older scheme.
func TestBuckets(t *testing.T) {
	s3test.Server(t)
	a, folder := access(t, target.Options{
		Maps: []string{"s3a://old=s3://" + s3test.Bucket + "/old"}, Warehouse: "s3://" + s3test.Bucket + "/w/",
	})
	if got, want := a.NewTableLocation(store.TableID{Namespace: "a", Name: "b"}), "s3://"+s3test.Bucket+"/w/a/b"; got != want {
		t.Errorf("location %q, want %q", got, want)
	}
	ctx := t.Context()
	for _, name := range []string{"s3a://old/f", "s3://" + s3test.Bucket + "/g", "file://" + folder + "/h"} {
		if err := a.Objects.Put(ctx, name, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := a.Objects.Put(ctx, name, []byte("y")); !errors.Is(err, store.ErrExists) {
			t.Errorf("%s again: %v", name, err)
		}
		if data, err := a.Objects.Get(ctx, name, 0); err != nil || string(data) != "x" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if _, err := a.Objects.Stat(ctx, "s3://"+s3test.Bucket+"/old/f"); err != nil {
		t.Error(err)
	}
}

// TestBucketsOpenLazily needs no configuration of S3 as long as no bucket is named, and asks for it again after it failed.
func TestBucketsOpenLazily(t *testing.T) {
	s3test.Server(t)
	endpoint := os.Getenv("AWS_ENDPOINT_URL")
	os.Unsetenv("AWS_REGION")
	os.Unsetenv("AWS_ENDPOINT_URL")
	a, folder := access(t, target.Options{})
	if err := a.Objects.Put(t.Context(), "file://"+folder+"/h", nil); err != nil {
		t.Fatal(err)
	}
	name := "s3://" + s3test.Bucket + "/g"
	if err := a.Objects.Put(t.Context(), name, nil); err == nil {
		t.Error("no region is no error")
	}
	t.Setenv("AWS_ENDPOINT_URL", endpoint)
	if err := a.Objects.Put(t.Context(), name, nil); err != nil {
		t.Error(err)
	}
}
