package dv_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
	"github.com/google/go-cmp/cmp"
)

// recorder notes the ranges that are asked for; every other call fails.
type recorder struct {
	store.Objects
	ranges [][2]int64
}

func (r *recorder) GetRange(ctx context.Context, name string, offset int64, p []byte) (int, error) {
	r.ranges = append(r.ranges, [2]int64{offset, int64(len(p))})
	return r.Objects.GetRange(ctx, name, offset, p)
}

func (r *recorder) Get(context.Context, string, int64) ([]byte, error) { return nil, errUnexpected }

func (r *recorder) Stat(context.Context, string) (store.Info, error) {
	return store.Info{}, errUnexpected
}

var errUnexpected = errors.New("unexpected call")

// TestReadAsksForTheBlobAlone counts what is read: the bytes of the entry's range, once, of the blob that (location,
// offset, size) name and of no other in the file (B13).
func TestReadAsksForTheBlobAlone(t *testing.T) {
	first, second := mustOf(t, 1, 2), mustOf(t, 3)
	p, err := dv.Build(b43Location, []dv.Named{{b43First, first}, {b43Second, second}}, dv.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	objects := &recorder{Objects: put(t, b43Location, p.Data)}
	for i, want := range []dv.Vector{first, second} {
		objects.ranges = nil
		got, err := dv.Read(t.Context(), objects, p.Vectors[i], b43Location, 100, dv.Limits{})
		if err != nil || !got.Equal(want) {
			t.Errorf("blob %d: %v, %v, want %v", i, got, err, want)
		}
		ranges := [][2]int64{{p.Vectors[i].OffsetBytes, p.Vectors[i].SizeBytes}}
		if diff := cmp.Diff(ranges, objects.ranges); diff != "" {
			t.Errorf("blob %d: %s", i, diff)
		}
	}
}

// TestReadRefusesBeforeReading has entries that nothing is read for.
func TestReadRefusesBeforeReading(t *testing.T) {
	objects := &recorder{Objects: put(t, b43Location, make([]byte, 1000))}
	for _, c := range []struct {
		name  string
		entry tree.DeletionVector
		fault dv.Fault
		err   error
	}{
		{"encrypted", tree.DeletionVector{SizeBytes: 20, KeyMetadata: []byte{}}, 0, dv.ErrEncrypted},
		{"negative size", tree.DeletionVector{SizeBytes: -1}, dv.FaultRange, nil},
		{"negative offset", tree.DeletionVector{OffsetBytes: -1, SizeBytes: 20}, dv.FaultRange, nil},
		{"end beyond 64 bits", tree.DeletionVector{OffsetBytes: math.MaxInt64, SizeBytes: 20}, dv.FaultRange, nil},
		{"size null, read as 0", tree.DeletionVector{OffsetBytes: 4}, dv.FaultSize, nil},
		{"shorter than the frame", tree.DeletionVector{OffsetBytes: 4, SizeBytes: 11}, dv.FaultSize, nil},
		{"above the limit", tree.DeletionVector{OffsetBytes: 4, SizeBytes: 101}, 0, store.ErrTooLarge},
	} {
		_, err := dv.Read(t.Context(), objects, c.entry, b43Location, 100, dv.Limits{BlobBytes: 100})
		var fault *dv.FaultError
		switch {
		case err == nil || !strings.HasPrefix(err.Error(), "deletion vector "+b43Location+"@"):
			t.Errorf("%s: %v", c.name, err)
		case c.err != nil && !errors.Is(err, c.err):
			t.Errorf("%s: %v, want %v", c.name, err, c.err)
		case c.err == nil && (!errors.As(err, &fault) || fault.Fault != c.fault):
			t.Errorf("%s: %v, want %v", c.name, err, c.fault)
		}
	}
	huge := tree.DeletionVector{SizeBytes: 257 << 20}
	if _, err := dv.Read(t.Context(), objects, huge, b43Location, 1, dv.Limits{}); !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("257 MiB: %v", err)
	}
	if len(objects.ranges) > 0 {
		t.Errorf("read %v", objects.ranges)
	}
}

// TestStoreErrors are passed on as they are, and are no faults of the vector.
func TestStoreErrors(t *testing.T) {
	entry := tree.DeletionVector{OffsetBytes: 4, SizeBytes: 20, Cardinality: 1}
	objects := put(t, b43Location, []byte("PFA1"))
	var fault *dv.FaultError
	_, err := dv.Read(t.Context(), objects, entry, "s3://b/none", 100, dv.Limits{})
	if !errors.Is(err, store.ErrNotFound) || errors.As(err, &fault) {
		t.Errorf("Read: %v", err)
	}
	if _, err = dv.Inspect(t.Context(), objects, "s3://b/none", dv.Limits{}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Inspect: %v", err)
	}
	faults, err := dv.CheckBlob(t.Context(), objects, entry, "s3://b/none", 100, dv.Limits{})
	if !errors.Is(err, store.ErrNotFound) || len(faults) > 0 {
		t.Errorf("CheckBlob: %v, %v", faults, err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dv.Read(done, objects, entry, b43Location, 100, dv.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done: %v", err)
	}
}
