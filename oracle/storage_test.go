package oracle_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/oracle"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

// stored returns a table all of whose files are there: some in leaves, two with deletion vectors, one removed.
func stored(t *testing.T) (testtable.Store, oracle.Target) {
	t.Helper()
	s, err := testtable.New(t.Context(), map[string]string{choose.PropertyPolicy: "cap", choose.PropertyRows: "4"})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 10 {
		f := testtable.File(n)
		if err := s.Objects.Put(t.Context(), f.Location, make([]byte, f.FileSizeBytes)); err != nil {
			t.Fatal(err)
		}
		change(t, s, int64(10+n), func(x *commit.Txn) { x.Append(f) })
	}
	change(t, s, 30, func(x *commit.Txn) { x.ExtendDV(testtable.Target(1), rowsOf(t, "3,7-9"), commit.DVOptions{}) })
	change(t, s, 31, func(x *commit.Txn) { x.ExtendDV(testtable.Target(9), rowsOf(t, "0"), commit.DVOptions{}) })
	change(t, s, 32, func(x *commit.Txn) { x.Remove(testtable.Target(2)) })
	return s, targetOf(t, s)
}

func rowsOf(t *testing.T, text string) dv.Vector {
	t.Helper()
	rows, err := dv.ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// change commits one change.
func change(t *testing.T, s testtable.Store, seed int64, what func(x *commit.Txn)) {
	t.Helper()
	x, err := s.Open(seed, nil).Begin(t.Context(), commit.TxnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	what(x)
	if _, err := x.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func targetOf(t *testing.T, s testtable.Store) oracle.Target {
	t.Helper()
	name, err := s.Catalog.Load(t.Context(), testtable.ID)
	if err != nil {
		t.Fatal(err)
	}
	return oracle.Target{Objects: s.Objects, Metadata: name}
}

// puffins returns the names of the Puffin files.
func puffins(s testtable.Store) []string {
	return slices.DeleteFunc(s.Objects.Names(), func(name string) bool { return !strings.HasSuffix(name, ".puffin") })
}

// TestStorage damages a table whose objects are all there, in one way at a time.
func TestStorage(t *testing.T) {
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, s testtable.Store)
		want   []string
		object string
	}{
		{"whole", func(*testing.T, testtable.Store) {}, nil, ""},
		{"a live file is gone", func(t *testing.T, s testtable.Store) { drop(t, s.Objects, testtable.File(0).Location) },
			[]string{"S-MISSING"}, "f0000.parquet"},
		{"a file of an older snapshot is gone", func(t *testing.T, s testtable.Store) { drop(t, s.Objects, testtable.File(2).Location) },
			[]string{"S-MISSING"}, "f0002.parquet"},
		{"a file is gone that only one of two snapshots masks", func(t *testing.T, s testtable.Store) {
			expire(t, s, 2, false)
			drop(t, s.Objects, testtable.File(2).Location)
		}, []string{"S-MISSING"}, "f0002.parquet"},
		{"a Puffin file is gone", func(t *testing.T, s testtable.Store) { drop(t, s.Objects, puffins(s)[0]) },
			[]string{"S-MISSING"}, ".puffin"},
		{"a file is cut", func(t *testing.T, s testtable.Store) { replace(t, s.Objects, testtable.File(5).Location, nil) },
			[]string{"S-SIZE"}, "f0005.parquet"},
		{"a blob is damaged", func(t *testing.T, s testtable.Store) {
			name := puffins(s)[0]
			data, err := s.Objects.Get(t.Context(), name, 0)
			if err != nil {
				t.Fatal(err)
			}
			data[4+8+4]++ // behind the file's magic, and the blob's length and magic
			replace(t, s.Objects, name, data)
		}, []string{"S-DV-BLOB"}, ".puffin"},
		{"a footer names another file", func(t *testing.T, s testtable.Store) {
			for _, name := range puffins(s) {
				data, err := s.Objects.Get(t.Context(), name, 0)
				if err != nil {
					t.Fatal(err)
				}
				replace(t, s.Objects, name, bytes.ReplaceAll(data, []byte("f0001.parquet"), []byte("f0003.parquet")))
			}
		}, []string{"S-DV-FOOTER"}, ".puffin"},
		{"a footer is cut", func(t *testing.T, s testtable.Store) {
			name := puffins(s)[0]
			data, err := s.Objects.Get(t.Context(), name, 0)
			if err != nil {
				t.Fatal(err)
			}
			replace(t, s.Objects, name, data[:len(data)-1])
		}, []string{"S-DV-FOOTER"}, ".puffin"},
		{"an object is left over", func(t *testing.T, s testtable.Store) {
			put(t, s.Objects, testtable.Location+"/data/left.parquet", "x")
		}, []string{"S-ORPHAN"}, "left.parquet"},
		{"another spelling is no orphan", func(t *testing.T, s testtable.Store) {
			put(t, s.Objects, testtable.Location+"/data//f0001.parquet", "x")
		}, nil, ""},
		{"another table lies below", func(t *testing.T, s testtable.Store) {
			put(t, s.Objects, testtable.Location+"/sub/metadata/00000-x.metadata.json", "x")
		}, []string{"SKIP-STORAGE"}, ""},
		{"a root cannot be read", func(t *testing.T, s testtable.Store) {
			put(t, s.Objects, testtable.Location+"/data/left.parquet", "x")
			drop(t, s.Objects, tree.Resolve(testtable.Location, metadataOf(t, s).Snapshots[0].RootManifest.Val))
		}, []string{"READ-ROOT", "SKIP-STORAGE"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, _ := stored(t)
			test.damage(t, s)
			target := targetOf(t, s)
			findings, err := collect(t.Context(), target, oracle.Options{Storage: true})
			if err != nil || !slices.Equal(rules(findings), test.want) {
				t.Fatalf("%+v, %v, want %v", findings, err, test.want)
			}
			if len(findings) > 0 && !strings.HasSuffix(findings[0].Object, test.object) {
				t.Errorf("object %s, want %s", findings[0].Object, test.object)
			}
			quiet, err := collect(t.Context(), target, oracle.Options{})
			if err != nil || len(quiet) > 0 {
				t.Errorf("without Storage: %+v, %v", quiet, err)
			}
		})
	}
}

func drop(t *testing.T, objects *mem.Objects, name string) {
	t.Helper()
	if err := objects.Delete(t.Context(), name); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, objects *mem.Objects, name, text string) {
	t.Helper()
	if err := objects.Put(t.Context(), name, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func metadataOf(t *testing.T, s testtable.Store) metadata.Table {
	t.Helper()
	head, err := s.Open(1, nil).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return head.Metadata
}

// TestYoungOrphan is no warning: a commit may be under way.
func TestYoungOrphan(t *testing.T) {
	s, target := stored(t)
	name := testtable.Location + "/data/left.parquet"
	put(t, s.Objects, name, "x")
	info, err := s.Objects.Stat(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	const age = 72 * 60 * 60 * 1000
	for now, want := range map[int64]string{
		info.Modified.UnixMilli() + age: "S-ORPHAN-NEW", info.Modified.UnixMilli() + age + 1: "S-ORPHAN", 0: "S-ORPHAN",
	} {
		findings, err := collect(t.Context(), target, oracle.Options{Storage: true, NowMillis: now, Skip: []string{"M-FUTURE"}})
		if err != nil || !slices.Equal(rules(findings), []string{want}) {
			t.Errorf("at %d: %+v, %v, want %s", now, findings, err, want)
		}
	}
}

// TestStatisticsFiles asks for the files that the metadata lists.
func TestStatisticsFiles(t *testing.T) {
	objects, target := loaded(t, "leaves")
	edit(t, objects, target, func(m map[string]any) {
		m["statistics"] = []any{map[string]any{"snapshot-id": 1, "statistics-path": "s3://firn-fixtures/leaves/metadata/a.stats"}}
		m["partition-statistics"] = []any{map[string]any{"snapshot-id": 1, "statistics-path": "metadata/b.stats"}}
	})
	put(t, objects, "s3://firn-fixtures/leaves/metadata/b.stats", "x")
	findings, err := collect(t.Context(), target, oracle.Options{Storage: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if strings.HasSuffix(f.Object, "b.stats") {
			t.Errorf("%+v", f)
		}
	}
	if !slices.ContainsFunc(findings, func(f oracle.Finding) bool {
		return f.Rule == "S-MISSING" && strings.HasSuffix(f.Object, "/a.stats")
	}) {
		t.Errorf("the missing file is not reported: %+v", findings)
	}
}

// TestJavaVectors finds the deletion vectors of a table that Java wrote in order; its data files were never made.
func TestJavaVectors(t *testing.T) {
	_, target := loaded(t, "mdv")
	findings, err := collect(t.Context(), target, oracle.Options{Storage: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if f.Rule != "S-MISSING" || !strings.HasSuffix(f.Object, ".parquet") {
			if !strings.HasSuffix(f.Object, ".tsv") { // what the fixture says of the table lies beside it
				t.Errorf("%+v", f)
			}
		}
	}
}

// expire lets all snapshots go but the newest ones.
func expire(t *testing.T, s testtable.Store, keep int, keepFiles bool) *commit.Table {
	t.Helper()
	table := s.Open(int64(50+keep), nil)
	p := metadata.ExpiryPolicy{KeepLast: keep, OlderThanMillis: iceberg.Optional[int64]{Val: 1 << 60, Valid: true}}
	if _, err := maintain.Expire(t.Context(), table, maintain.ExpireOptions{Policy: p, KeepFiles: keepFiles}); err != nil {
		t.Fatal(err)
	}
	return table
}

// TestOrphansAgree finds the same orphans as the engine that deletes them, after changes of many kinds.
func TestOrphansAgree(t *testing.T) {
	s, _ := stored(t)
	change(t, s, 40, func(x *commit.Txn) { x.Restore(metadataOf(t, s).Snapshots[5].ID) })
	change(t, s, 41, func(x *commit.Txn) { x.Remove(testtable.Target(0), testtable.Target(4)) })
	if _, err := maintain.Maintain(t.Context(), s.Open(42, nil), maintain.MaintainOptions{}); err != nil {
		t.Fatal(err)
	}
	f := testtable.File(12)
	put(t, s.Objects, f.Location, strings.Repeat("x", int(f.FileSizeBytes)))
	change(t, s, 43, func(x *commit.Txn) { x.Append(f) })
	change(t, s, 44, func(x *commit.Txn) { x.Remove(testtable.Target(12)) })
	for _, keep := range []int{8, 4, 2, 1} {
		table := expire(t, s, keep, true)
		report, err := maintain.Orphans(t.Context(), table, maintain.OrphanOptions{
			AgeMillis: iceberg.Optional[int64]{Val: 0, Valid: true}, Force: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for _, o := range report.Remaining {
			want = append(want, o.Location)
		}
		slices.Sort(want)
		findings, err := collect(t.Context(), targetOf(t, s), oracle.Options{Storage: true, History: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			switch {
			case f.Rule == "S-ORPHAN":
				got = append(got, f.Object)
			case f.Rule != "X-READDED": // the restored state of a file whose deletes had changed (F24)
				t.Errorf("keep %d: %+v", keep, f)
			}
		}
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("keep %d: orphans %q, the engine finds %q", keep, got, want)
		}
	}
}
