package dir_test

import (
	"testing"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/dir"
	"github.com/firn-io/firn/store/storetest"
)

func TestObjects(t *testing.T) {
	for _, scheme := range []string{"file:", "file://"} {
		t.Run(scheme, func(t *testing.T) {
			storetest.TestObjects(t, func(t *testing.T) (store.Objects, string) {
				return dir.New(), scheme + t.TempDir() + "/"
			})
		})
	}
}

func TestCatalog(t *testing.T) {
	storetest.TestCatalog(t, func(t *testing.T) store.Catalog {
		catalog, err := dir.OpenCatalog("dir:" + t.TempDir() + "/not/there yet")
		if err != nil {
			t.Fatal(err)
		}
		return catalog
	})
}

func TestCatalogKilled(t *testing.T) {
	storetest.TestCatalogKilled(t, func(folder string) (store.Catalog, error) { return dir.OpenCatalog(folder) })
}
