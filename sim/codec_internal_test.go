package sim

import (
	"strings"
	"testing"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

// TestCodecKeeps: the codec forgets what was in the store and is gone, and nothing that a put may still bring.
func TestCodecKeeps(t *testing.T) {
	c, objects := NewCodec(), new(mem.Objects)
	there := map[string]bool{"deleted": true, "kept": true}
	for _, name := range []string{"deleted", "kept", "late"} {
		if _, err := c.PutRoot(t.Context(), objects, "root-"+name, manifestio.Schema{}, []tree.Entry{{Location: name}}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.PutMetadata(t.Context(), objects, "metadata-"+name, metadata.Table{}); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) bool {
		_, after, _ := strings.Cut(name, "-")
		return there[after]
	}
	always := func(string) bool { return true }
	c.keep(in, always)
	delete(there, "deleted")
	c.keep(in, always)
	for name, want := range map[string]bool{"deleted": false, "kept": true, "late": true} {
		_, root := c.manifests["root-"+name]
		_, table := c.metadata["metadata-"+name]
		if root != want || table != want {
			t.Errorf("%s: root %v, metadata %v, want %v", name, root, table, want)
		}
	}
	there["late"] = true
	c.keep(in, always)
	if _, err := c.Root(t.Context(), objects, "root-late"); err != nil {
		t.Error(err)
	}
	if _, err := c.PutRoot(t.Context(), objects, "root-lost", manifestio.Schema{}, nil); err != nil {
		t.Fatal(err)
	}
	c.keep(in, func(string) bool { return false })
	if c.manifests["root-lost"] != nil || len(c.seen) != 4 {
		t.Errorf("what was put and deleted between two looks is kept: %v", c.seen)
	}
}
