package s3_test

import (
	"testing"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/s3"
	"github.com/firn-io/firn/store/storetest"
)

func TestObjects(t *testing.T) {
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			endpoint := server(t)
			storetest.TestObjects(t, func(t *testing.T) (store.Objects, string) {
				return open(t, endpoint, s3.Options{}), "s3://" + newBucket(t, endpoint) + "/warehouse/"
			})
		})
	}
}

// TestObjectsInParts goes to the one server that honors the condition on multipart uploads.
func TestObjectsInParts(t *testing.T) {
	endpoint := separate(t)
	storetest.TestObjects(t, func(t *testing.T) (store.Objects, string) {
		objects := open(t, endpoint, s3.Options{})
		objects.AlwaysInParts()
		return objects, "s3://" + newBucket(t, endpoint) + "/warehouse/"
	})
}

// TestObjectsInPages makes every listing go over many pages.
func TestObjectsInPages(t *testing.T) {
	endpoint := inProcess(t)
	storetest.TestObjects(t, func(t *testing.T) (store.Objects, string) {
		objects := open(t, endpoint, s3.Options{})
		objects.PageKeys(2)
		return objects, "s3://" + newBucket(t, endpoint) + "/"
	})
}
