package store_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/mem"
)

func TestCheckSwap(t *testing.T) {
	id := store.TableID{Namespace: "a.b", Name: "c"}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		new  string
		want string
	}{
		{t.Context(), "x", ""},
		{t.Context(), "", "swap a.b.c: refused by the catalog: the new location is empty"},
		{done, "x", "swap a.b.c: refused by the catalog: context canceled"},
	} {
		err := store.CheckSwap(c.ctx, id, c.new)
		if (err == nil) != (c.want == "") || err != nil && (err.Error() != c.want || !errors.Is(err, store.ErrRefused)) {
			t.Errorf("CheckSwap(%q): %v, want %s", c.new, err, c.want)
		}
	}
}

func TestNameError(t *testing.T) {
	if err := store.NameError("get", "s3://b/x", nil); err != nil {
		t.Errorf("without an error: %v", err)
	}
	err := store.NameError("get", "s3://b/x", store.ErrNotFound)
	if err.Error() != "get s3://b/x: not found" || !errors.Is(err, store.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestTableIDCompare(t *testing.T) {
	want := []store.TableID{
		{Namespace: "", Name: "z"}, {Namespace: "B", Name: "a"}, {Namespace: "a", Name: "B"}, {Namespace: "a", Name: "a"},
		{Namespace: "a", Name: "a.b"}, {Namespace: "a.b", Name: "a"},
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, store.TableID.Compare)
	if !slices.Equal(got, want) {
		t.Errorf("sorted: %q, want %q", got, want)
	}
}

func TestReaderAt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	objects := new(mem.Objects)
	if err := objects.Put(ctx, "x", []byte("0123456789")); err != nil {
		t.Fatal(err)
	}
	reader := store.NewReaderAt(ctx, objects, "x")
	p := make([]byte, 4)
	if n, err := reader.ReadAt(p, 3); n != 4 || err != nil || string(p) != "3456" {
		t.Errorf("ReadAt(3) = %d, %v, %q", n, err, p)
	}
	if n, err := reader.ReadAt(p, 8); n != 2 || !errors.Is(err, io.EOF) || string(p[:n]) != "89" {
		t.Errorf("ReadAt(8) = %d, %v, %q", n, err, p[:n])
	}
	cancel()
	if _, err := reader.ReadAt(p, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("ReadAt after the context's end: %v", err)
	}
}
