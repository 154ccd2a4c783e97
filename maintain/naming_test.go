package maintain_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

// spelled makes a table at s3://b/t that spells its data files in many ways, and puts what a listing shows.
func spelled(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, Store: testtable.Store{Objects: &mem.Objects{}, Catalog: &mem.Catalog{}}}
	m, err := metadata.New(metadata.NewTable{
		UUID: uuid.MustParse("11111111-2222-3333-4444-555555555555"), Location: "s3://b/t",
		Schema: iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64, Required: true}),
	})
	if err != nil {
		t.Fatal(err)
	}
	w.table, err = commit.Create(t.Context(), testtable.ID, w.Catalog, w.Objects, m, commit.Options{Env: testtable.Env(1)})
	if err != nil {
		t.Fatal(err)
	}
	var files []tree.File
	for _, name := range []string{
		"s3a://b/t/data/f1.parquet", "hdfs:/wh/t/f2.parquet", "s3://b/t/data/f3.parquet", "s3://b/t/data//f4.parquet",
		"s3://b/t/data/f 5.parquet",
	} {
		f := testtable.File(1)
		f.Location = name
		files = append(files, f)
	}
	w.commit(commit.TxnOptions{Policy: push}, func(x *commit.Txn) { x.Append(files...) })
	w.put("s3://b/t/data/f1.parquet", "hdfs://nn:8020/wh/t/f2.parquet", "s3://b/t/data/f3.parquet",
		"s3://b/t/data//f4.parquet", "s3://b/t/data/f4.parquet", "s3://b/t/data/f 5.parquet", "s3://b2/t/data/f1.parquet")
	w.commit(commit.TxnOptions{Policy: simple.Never{}}, func(x *commit.Txn) {
		x.ExtendDV(commit.Target{Location: "s3://b/t/data/f3.parquet"}, rows(t, 1), commit.DVOptions{})
	})
	w.Objects.Now = func() time.Time { return time.UnixMilli(w.table.NowMillis()) }
	w.put("s3://b/t/data/young.parquet", "s3://b/t/metadata/staged-m0.parquet")
	return w
}

// TestB42 holds the spellings of metadata against those of a listing.
func TestB42(t *testing.T) {
	everywhere := []string{"hdfs://nn:8020/wh/t/", "s3://b2/t/"}
	namenode := map[string]string{"nn:8020": ""}
	both := map[string]string{"nn:8020": "", "b2": "b"}
	const orphan = "s3://b/t/data/f4.parquet"
	f1 := maintain.Mismatch{Object: "s3://b2/t/data/f1.parquet", Reached: "s3a://b/t/data/f1.parquet"}
	f2 := maintain.Mismatch{Object: "hdfs://nn:8020/wh/t/f2.parquet", Reached: "hdfs:/wh/t/f2.parquet"}
	here := maintain.Mismatch{Object: "s3://b/t/data/f1.parquet", Reached: "s3a://b/t/data/f1.parquet"}
	for _, c := range []struct {
		name     string
		prefixes []string
		naming   maintain.Naming
		orphans  []string
		doubtful []maintain.Mismatch
	}{
		{"the table's location alone", nil, maintain.Naming{}, []string{orphan}, nil},
		{"nothing declared", everywhere, maintain.Naming{}, nil, []maintain.Mismatch{f2, f1}},
		{"the name node declared", everywhere, maintain.Naming{EqualAuthorities: namenode}, nil, []maintain.Mismatch{f1}},
		{"all declared", everywhere, maintain.Naming{EqualAuthorities: both}, []string{orphan}, nil},
		{"no schemes equal", nil, maintain.Naming{EqualSchemes: map[string]string{}}, nil, []maintain.Mismatch{here}},
		{"mismatches kept", everywhere, maintain.Naming{KeepMismatched: true}, []string{orphan}, []maintain.Mismatch{f2, f1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := spelled(t)
			before := w.Objects.Names()
			r, err := maintain.Orphans(t.Context(), w.table, maintain.OrphanOptions{Delete: true, Prefixes: c.prefixes, Naming: c.naming})
			var mismatch *maintain.MismatchError
			doubtful := r.Mismatched
			if errors.As(err, &mismatch) {
				doubtful = mismatch.Mismatches
			}
			if stops := c.doubtful != nil && !c.naming.KeepMismatched; stops != (err != nil) {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(c.doubtful, doubtful); diff != "" {
				t.Errorf("mismatches (-want +got):\n%s", diff)
			}
			same(t, "deleted", locations(r.Deleted), c.orphans...)
			after := slices.DeleteFunc(before, func(name string) bool { return slices.Contains(c.orphans, name) })
			if diff := cmp.Diff(after, w.Objects.Names()); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
}

// TestExpireOtherSpelling: a file that an expired snapshot spells in another way than a retained one stays, and a
// spelling that may mean the same stops the run before the metadata changes.
func TestExpireOtherSpelling(t *testing.T) {
	for _, c := range []struct {
		spelling string
		stops    bool
	}{{"s3a://b/x/f1.parquet", false}, {"s3://b2/x/f1.parquet", true}, {"s3://b/x/f%31.parquet", false}} {
		t.Run(c.spelling, func(t *testing.T) {
			w := spelled(t)
			f := testtable.File(1)
			f.Location = "s3://b/x/f1.parquet"
			w.put(f.Location)
			w.commit(commit.TxnOptions{Policy: simple.Never{}}, func(x *commit.Txn) { x.Append(f) })
			w.commit(commit.TxnOptions{Policy: simple.Never{}}, func(x *commit.Txn) { x.Remove(commit.Target{Location: f.Location}) })
			g := f
			g.Location = c.spelling
			w.commit(commit.TxnOptions{Policy: simple.Never{}}, func(x *commit.Txn) { x.Append(g) })
			before := w.head().MetadataLocation
			_, err := maintain.Expire(t.Context(), w.table, maintain.ExpireOptions{Policy: keep(1), Prefixes: []string{"s3://b/x/"}})
			var mismatch *maintain.MismatchError
			if errors.As(err, &mismatch) != c.stops || (w.head().MetadataLocation == before) != c.stops {
				t.Errorf("got %v", err)
			}
			there := slices.Contains(w.Objects.Names(), f.Location)
			if want := c.spelling != "s3://b/x/f%31.parquet"; there != want {
				t.Errorf("the file is there: %t", there)
			}
		})
	}
}

// TestExpireOutside: a file that lies outside of the table's folder stays and is reported, unless its place is given.
func TestExpireOutside(t *testing.T) {
	for _, prefixes := range [][]string{nil, {"s3://b/other/"}, {"s3://b/x/"}} {
		w := spelled(t)
		f := testtable.File(1)
		f.Location = "s3://b/x/f1.parquet"
		w.put(f.Location)
		w.commit(commit.TxnOptions{Policy: simple.Never{}}, func(x *commit.Txn) { x.Append(f) })
		w.commit(commit.TxnOptions{Policy: simple.Never{}}, func(x *commit.Txn) { x.Remove(commit.Target{Location: f.Location}) })
		w.commit(commit.TxnOptions{Policy: simple.Never{}}, func(*commit.Txn) {})
		for _, dry := range []bool{true, false} {
			r, err := maintain.Expire(t.Context(), w.table, maintain.ExpireOptions{Policy: keep(1), Prefixes: prefixes, DryRun: dry})
			if err != nil {
				t.Fatal(err)
			}
			stays := len(prefixes) == 0 || prefixes[0] != "s3://b/x/"
			told := len(r.Outside) == 1 && r.Outside[0].Location == f.Location
			if told != stays || slices.Contains(w.Objects.Names(), f.Location) != (stays || dry) {
				t.Errorf("%q, dry run %t: outside %v", prefixes, dry, r.Outside)
			}
		}
	}
}
