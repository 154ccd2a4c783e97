package oracle_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/parquet-go/parquet-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/datafile"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/oracle"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// sample is a table whose data files are real, and the time at which it is checked.
type sample struct {
	testtable.Store
	t         *testing.T
	now, seed int64
	// modified is when the objects were written.
	modified time.Time
}

// goodTable has four snapshots: files of rows 0 to 9 and 10 to 19, rows of the first deleted twice, and a file of rows
// 20 to 29.
func goodTable(t *testing.T) *sample { return tableOf(t, "1,3,5", "7") }

// tableOf is that table with these rows deleted. The rows apart two such tables are equal.
func tableOf(t *testing.T, deleted ...string) *sample {
	s, err := testtable.New(t.Context(), map[string]string{choose.PropertyPolicy: "cap", choose.PropertyRows: "1"})
	if err != nil {
		t.Fatal(err)
	}
	x := &sample{Store: s, t: t}
	x.commit(func(c *commit.Txn) { c.Append(x.dataFile(0), x.dataFile(1)) })
	for _, rows := range deleted {
		x.commit(func(c *commit.Txn) {
			c.ExtendDV(commit.Target{Location: name(0)}, rowsOf(t, rows), commit.DVOptions{})
		})
	}
	x.commit(func(c *commit.Txn) { c.Append(x.dataFile(2)) })
	return x
}

func name(n int) string { return fmt.Sprintf("%s/data/%d.parquet", testtable.Location, n) }

// parquetOf returns a Parquet file of rows.
func parquetOf(t *testing.T, values ...int64) []byte {
	t.Helper()
	type row struct {
		ID int64 `parquet:"id"`
	}
	var rows []row
	for _, n := range values {
		rows = append(rows, row{n})
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// ten returns the numbers from one on.
func ten(first int64) []int64 {
	var numbers []int64
	for n := range int64(10) {
		numbers = append(numbers, first+n)
	}
	return numbers
}

// dataFile stores file n and returns what its entry says.
func (s *sample) dataFile(n int) tree.File {
	s.t.Helper()
	data := parquetOf(s.t, ten(int64(10*n))...)
	if err := s.Objects.Put(s.t.Context(), name(n), data); err != nil {
		s.t.Fatal(err)
	}
	table := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64, Required: true})
	f, err := datafile.Inspect(bytes.NewReader(data), int64(len(data)), name(n), table, *iceberg.UnpartitionedSpec, datafile.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	f.Stats[0].Tight = iceberg.Optional[bool]{Val: true, Valid: true}
	return f
}

func (s *sample) commit(what func(*commit.Txn)) {
	s.t.Helper()
	s.seed++
	change(s.t, s.Store, s.seed, what)
}

func (s *sample) target() oracle.Target {
	target := targetOf(s.t, s.Store)
	target.Objects = dated{target.Objects, s.modified}
	return target
}

// edit puts another metadata file in the place of the current one.
func (s *sample) edit(change func(m map[string]any)) {
	edit(s.t, s.Objects, s.target(), change)
}

// object returns the data of an object and its name, the only one that ends so.
func (s *sample) object(end string) (string, []byte) {
	s.t.Helper()
	for _, name := range s.Objects.Names() {
		if strings.HasSuffix(name, end) {
			data, err := s.Objects.Get(s.t.Context(), name, 0)
			if err != nil {
				s.t.Fatal(err)
			}
			return name, data
		}
	}
	s.t.Fatalf("no object %s", end)
	return "", nil
}

// alter puts other data in the place of an object.
func (s *sample) alter(end string, change func(data []byte) []byte) {
	s.t.Helper()
	name, data := s.object(end)
	replace(s.t, s.Objects, name, change(data))
}

// rootOf returns the root of a snapshot, or a leaf of the current one.
func (s *sample) rootOf(n int) string {
	return tree.Resolve(testtable.Location, metadataOf(s.t, s.Store).Snapshots[n].RootManifest.Val)
}

func (s *sample) leaf() string {
	head, err := s.Open(1, nil).Head(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	i := slices.IndexFunc(head.Tree.Rows, func(e tree.Entry) bool { return e.Content == tree.DataManifest })
	return tree.Resolve(testtable.Location, head.Tree.Rows[i].Location)
}

const hours72 = 72 * 60 * 60 * 1000

// checkExamples are smallest violations of the rules that are not invariants, for only a check can tell.
var checkExamples = []struct {
	id    string
	spoil func(s *sample)
}{
	{"M-FUTURE", func(s *sample) { s.now = metadataOf(s.t, s.Store).Snapshots[3].TimestampMillis - 60_001 }},
	{"READ-ROOT", func(s *sample) { drop(s.t, s.Objects, s.rootOf(1)) }},
	{"READ-ROOT", func(s *sample) { replace(s.t, s.Objects, s.rootOf(3), []byte("PAR1")) }},
	{"READ-LEAF", func(s *sample) { drop(s.t, s.Objects, s.leaf()) }},
	{"READ-LEAF", func(s *sample) { replace(s.t, s.Objects, s.leaf(), nil) }},
	{"SKIP-LEGACY", func(s *sample) {
		s.edit(func(m map[string]any) {
			m["snapshots"] = append(m["snapshots"].([]any), map[string]any{
				"snapshot-id": 7, "sequence-number": 0, "timestamp-ms": 1_600_000_000_000, "manifest-list": "metadata/snap-7.avro",
				"summary": map[string]any{"operation": "append"}, "schema-id": 0})
		})
	}},
	{"READ-DATA", func(s *sample) {
		s.alter("2.parquet", func(data []byte) []byte { return make([]byte, len(data)) })
	}},
	{"READ-DATA", func(s *sample) {
		s.alter("0.parquet", func(data []byte) []byte { data[5] ^= 0xff; return data })
	}},
	{"SKIP-DATA", func(s *sample) {
		f := tree.File{Location: testtable.Location + "/data/x.orc", Format: "orc", RecordCount: 1, FileSizeBytes: 1}
		put(s.t, s.Objects, f.Location, "x")
		s.commit(func(c *commit.Txn) { c.Append(f) })
	}},
	{"S-MISSING", func(s *sample) { drop(s.t, s.Objects, name(1)) }},
	{"S-SIZE", func(s *sample) {
		s.alter("2.parquet", func(data []byte) []byte { // still the same file to a reader
			footer := len(data) - 8 - int(binary.LittleEndian.Uint32(data[len(data)-8:]))
			return slices.Insert(data, footer, 0)
		})
	}},
	{"S-DV-BLOB", func(s *sample) {
		s.alter(".puffin", func(data []byte) []byte { data[4+8+4]++; return data })
	}},
	{"S-DV-FOOTER", func(s *sample) {
		s.alter(".puffin", func(data []byte) []byte { return bytes.ReplaceAll(data, []byte("/0.parquet"), []byte("/1.parquet")) })
	}},
	{"S-DV-PROPERTY", func(s *sample) {
		s.alter(".puffin", func(data []byte) []byte {
			return bytes.ReplaceAll(data, []byte(`"cardinality"`), []byte(`"cardinalitx"`))
		})
	}},
	{"S-DV-GROWS", func(s *sample) {
		last := s.puffins()[1]
		_, data := tableOf(s.t, "0,2,4", "6").object(last)
		replace(s.t, s.Objects, last, data)
	}},
	{"S-ORPHAN", func(s *sample) { s.leaveOver(hours72 + 1) }},
	{"S-ORPHAN-NEW", func(s *sample) { s.leaveOver(hours72) }},
	{"SKIP-STORAGE", func(s *sample) { put(s.t, s.Objects, testtable.Location+"/sub/metadata/00000-x.metadata.json", "x") }},
}

// puffins returns the Puffin files in the order in which they were written.
func (s *sample) puffins() []string {
	names := puffins(s.Store)
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(s.written(a), s.written(b)) })
	return names
}

func (s *sample) written(name string) int64 {
	info, err := s.Objects.Stat(s.t.Context(), name)
	if err != nil {
		s.t.Fatal(err)
	}
	return info.Modified.UnixMilli()
}

// leaveOver leaves an object over that is so old when the table is checked.
func (s *sample) leaveOver(ageMillis int64) {
	put(s.t, s.Objects, testtable.Location+"/data/left.parquet", "x")
	s.now = 1_800_000_000_000
	s.modified = time.UnixMilli(s.now - ageMillis)
}

// dated are objects of one age.
type dated struct {
	store.Objects
	modified time.Time
}

func (d dated) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		for info, err := range d.Objects.List(ctx, prefix) {
			info.Modified = d.modified
			if !yield(info, err) {
				return
			}
		}
	}
}

// findings checks all that can be checked.
func (s *sample) findings() []oracle.Finding {
	s.t.Helper()
	findings, err := collect(s.t.Context(), s.target(), oracle.Options{History: true, Storage: true, Data: true, NowMillis: s.now})
	if err != nil {
		s.t.Fatal(err)
	}
	return findings
}

// TestRegistry: each example violates its rule and, beside it, exactly those that the registry says it implies; its twin
// violates none. Every rule that is no invariant has an example; those of invariants have theirs in their package.
func TestRegistry(t *testing.T) {
	proved := make(map[string]bool)
	for _, x := range checkExamples {
		proved[x.id] = true
		t.Run(x.id, func(t *testing.T) {
			t.Run("repaired", func(t *testing.T) {
				s := goodTable(t)
				if found := s.findings(); len(found) > 0 {
					t.Errorf("not clean: %+v", found)
				}
			})
			t.Run("broken", func(t *testing.T) {
				s := goodTable(t)
				x.spoil(s)
				rule, _ := oracle.Lookup(x.id)
				want := slices.Sorted(slices.Values(append([]string{x.id}, rule.Implies...)))
				found := rules(s.findings())
				if slices.Sort(found); !slices.Equal(slices.Compact(found), want) {
					t.Errorf("found %v, want %v: %+v", found, want, s.findings())
				}
			})
		})
	}
	for _, rule := range oracle.Rules() {
		if _, invariant := invariants.Lookup(rule.ID); !invariant && !proved[rule.ID] {
			t.Errorf("%s has no example", rule.ID)
		}
	}
}

// TestData finds what each rule of scope data says, in files that were exchanged for others, with Data alone.
func TestData(t *testing.T) {
	for title, test := range map[string]struct {
		change func(s *sample)
		want   []string
	}{
		"as it was":  {func(*sample) {}, nil},
		"other rows": {func(s *sample) { s.alter("1.parquet", func([]byte) []byte { return parquetOf(t, ten(11)...) }) }, []string{"D-BOUNDS", "D-TIGHT"}},
		"fewer rows": {func(s *sample) { s.alter("2.parquet", func([]byte) []byte { return parquetOf(t, 20, 29) }) }, []string{"D-COUNTS", "D-RECORDS"}},
		"missing":    {func(s *sample) { drop(t, s.Objects, name(1)) }, []string{"READ-DATA"}},
	} {
		s := goodTable(t)
		test.change(s)
		for _, history := range []bool{false, true} {
			findings, err := collect(t.Context(), s.target(), oracle.Options{Data: true, History: history})
			if err != nil {
				t.Fatal(err)
			}
			found := rules(findings)
			if slices.Sort(found); !slices.Equal(slices.Compact(found), test.want) {
				t.Errorf("%s: %+v, want %v", title, findings, test.want)
			}
			for _, f := range findings {
				if !strings.Contains(f.Message, ".parquet") || f.Severity != oracle.Error || f.Snapshot == 0 {
					t.Errorf("%+v", f)
				}
			}
			if quiet, err := collect(t.Context(), s.target(), oracle.Options{History: history}); err != nil || len(quiet) > 0 {
				t.Errorf("without Data: %+v, %v", quiet, err)
			}
		}
	}
}

// TestDataOnce reads each data file once, also where many snapshots have it.
func TestDataOnce(t *testing.T) {
	s := goodTable(t)
	for n := 3; n < 6; n++ {
		s.commit(func(c *commit.Txn) { c.Append(s.dataFile(n)) })
	}
	target := s.target()
	reads := make(map[string]int)
	target.Objects = countedStats{s.Objects, reads}
	if _, err := collect(t.Context(), target, oracle.Options{Data: true, History: true}); err != nil {
		t.Fatal(err)
	}
	for n := range 6 {
		if reads[name(n)] != 1 {
			t.Errorf("%s was asked for %d times", name(n), reads[name(n)])
		}
	}
}

// countedStats counts how often an object is asked for.
type countedStats struct {
	store.Objects
	n map[string]int
}

func (c countedStats) Stat(ctx context.Context, name string) (store.Info, error) {
	c.n[name]++
	return c.Objects.Stat(ctx, name)
}
