package treetext_test

import (
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/internal/treetext"
	"github.com/firn-io/firn/tree"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var equal = cmp.Options{
	cmp.Comparer(func(a, b tree.Value) bool { return a == b }),
	// Whether rows are nil or none is not printed.
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Rows" }, cmpopts.EquateEmpty()),
}

// What was printed reads back, whatever the tree and whatever is hidden.
func TestParseIsTheInverseOfFormat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := genDoc.Draw(t, "doc")
		o := treetext.Options{Hide: rapid.SampledFrom([]treetext.Hide{0, treetext.Short, treetext.HideCounts,
			treetext.HideHeader | treetext.HideNumbers, treetext.HideFile | treetext.HideForeign}).Draw(t, "hide")}
		text := d.Format(o)
		got, err := treetext.Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(d.Shown(o), got, equal); diff != "" {
			t.Fatalf("tree (-printed +parsed):\n%s\n%s", diff, text)
		}
	})
}

func TestShownHidesNothingByDefault(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := genDoc.Draw(t, "doc")
		if diff := cmp.Diff(d.Tree, d.Shown(treetext.Options{}).Tree, equal); diff != "" {
			t.Errorf("tree (-given +shown):\n%s", diff)
		}
	})
}

const story = `tree snapshot=9 seq=9 timestamp=5000 first_row_id=100 added_rows=10 parent=8 schema=1 table=s3://b/t root=s3://b/t/r.parquet
loose ADDED data/a.parquet rows=10 dv=d.puffin@4+40#2 snapshot=9 modified=9 seq=9 file_seq=9 first_row_id=100 size=1000 spec=1 partition={1000:"eu",1001:date(20000)} stats={1:{lower=int(1),upper=int(5),tight=true,values=10,nulls=0}}
loose DELETED "data/b c.parquet" rows=10 snapshot=9 seq=2 file_seq=2 first_row_id=0 size=1000
leaf MODIFIED m1.parquet live=2/4 dv={0-1} del={1} rep={0} snapshot=5 modified=9 seq=5 file_seq=5 first_row_id=10 counts={added:4/40} min_seq=5 size=4000
  0 masked ADDED data/c.parquet rows=10
  1 masked ADDED data/d.parquet rows=10
  2 ADDED data/e.parquet rows=10
  3 ADDED data/f.parquet rows=10
legacy EXISTING s3://b/t/m2.avro live=3/3 snapshot=1 seq=0 file_seq=0 counts={added:2/20,existing:1/10} format=avro size=4000
deletes EXISTING s3://b/t/m3.avro live=1/1 snapshot=1 seq=0 file_seq=0 counts={added:1/10} format=avro size=4000
`

func TestFullForm(t *testing.T) {
	d, err := treetext.Parse(story)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(story, d.Format(treetext.Options{})); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	if m := d.Tree.Rows[2].Manifest; !m.Valid || m.Val.FormatVersion != 4 || m.Val.AddedFiles != 4 || m.Val.MinSequenceNumber != 5 {
		t.Errorf("manifest info is %+v", m)
	}
	if m := d.Tree.Rows[3]; m.Content != tree.DataManifest || !m.Manifest.Valid || m.Manifest.Val.FormatVersion != 0 {
		t.Errorf("legacy manifest is %+v", m)
	}
}

// The short form reads as R[...] and L[live/physical, status, del, rep] of the scenarios.
func TestShortForm(t *testing.T) {
	d, err := treetext.Parse(story)
	if err != nil {
		t.Fatal(err)
	}
	want := `loose ADDED data/a.parquet rows=10 dv=#2
loose DELETED "data/b c.parquet" rows=10
leaf MODIFIED m1.parquet live=2/4 dv={0-1} del={1} rep={0}
  0 masked ADDED data/c.parquet rows=10
  1 masked ADDED data/d.parquet rows=10
  2 ADDED data/e.parquet rows=10
  3 ADDED data/f.parquet rows=10
legacy EXISTING s3://b/t/m2.avro live=3/3
deletes EXISTING s3://b/t/m3.avro live=1/1
`
	if diff := cmp.Diff(want, d.Format(treetext.Options{Hide: treetext.Short})); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// Rows of a leaf tell better than counts how many live.
func TestLiveRows(t *testing.T) {
	ref := tree.Entry{Content: tree.DataManifest, Location: "m", RecordCount: 3, FileFormat: "parquet",
		Tracking: tree.Tracking{Status: tree.Added},
		Manifest: iceberg.Optional[tree.ManifestInfo]{Valid: true, Val: tree.ManifestInfo{FormatVersion: 4, AddedFiles: 1}}}
	row := func(position int64, status tree.Status) tree.Row {
		return tree.Row{Position: position, Entry: tree.Entry{Content: tree.Data, Tracking: tree.Tracking{Status: status}}}
	}
	d := treetext.Doc{Tree: tree.Tree{Rows: []tree.Entry{ref}}}
	short := treetext.Options{Hide: treetext.Short}
	if got := d.Format(short); got != "leaf ADDED m live=1/3\n" {
		t.Errorf("by counts: %s", got)
	}
	d.Leaves = map[string][]tree.Row{"m": {row(0, tree.Existing), row(1, tree.Deleted), row(2, tree.Modified)}}
	if got := d.Format(short); !strings.HasPrefix(got, "leaf ADDED m live=2/3\n") {
		t.Errorf("by rows: %s", got)
	}
	d.Tree.Rows[0].Manifest.Val.DV = []byte{9}
	if got := d.Format(short); !strings.HasPrefix(got, "leaf ADDED m live=?/3 dv=0x09\n") {
		t.Errorf("below a broken bitmap: %s", got)
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ text, want string }{
		{"loose ADDED", "line 1: want kind, status and location"},
		{"loose", "line 1: want kind, status and location"},
		{"\n# a comment\nloose GONE a", `line 3: tree: there is no status "GONE"`},
		{"heap ADDED a", `line 1: "heap" is no kind of row`},
		{"loose ADDED a\ntree snapshot=1", "line 2: the snapshot's line comes first"},
		{"tree snapshot=x", "line 1: snapshot: want a number"},
		{"tree snapshot=1 snapshot=2", "line 1: snapshot is given twice"},
		{"tree size=1", "line 1: size: there is no such field"},
		{`loose ADDED "a`, "line 1: a quote is not closed"},
		{`loose ADDED "\q"`, `line 1: "\q" is not quoted rightly`},
		{"loose ADDED a rows=1 rows=2", "line 1: rows is given twice"},
		{"loose ADDED a rows=99999999999999999999", "line 1: rows: the number is too large"},
		{"loose ADDED a rows=", "line 1: rows: want a number"},
		{"loose ADDED a spec=3000000000", "line 1: spec: the number is too large"},
		{"loose ADDED a color=red", "line 1: color: there is no such field"},
		{"loose ADDED a dv={1}", "line 1: a row without manifest info has fields of it"},
		{"loose ADDED a dv=d.puffin", "line 1: dv: want location@offset+size#cardinality, or positions in braces"},
		{"loose ADDED a dv=d.puffin@4#2", "line 1: dv: want location@offset+size#cardinality, or positions in braces"},
		{"loose ADDED a key=12", "line 1: key: want bytes as in 0x00ff"},
		{"loose ADDED a splits=4", `line 1: splits: "4" does not stand between [ and ]`},
		{"loose ADDED a splits=[4", "line 1: ] is missing"},
		{"loose ADDED a splits=4]", "line 1: ] closes nothing"},
		{"loose ADDED a partition={1000}", `line 1: partition: "1000" is no name and text, or a second one`},
		{"loose ADDED a partition={1:null,1:null}", `line 1: partition: "1:null" is no name and text, or a second one`},
		{"loose ADDED a partition={2:null,1:null}", "line 1: partition: 1: ids must ascend"},
		{"loose ADDED a stats={2:{},02:{}}", "line 1: stats: 02: ids must ascend"},
		{"loose ADDED a partition={1:int(x)}", `line 1: partition: 1: "x" is no int`},
		{"loose ADDED a partition={1:decimal(1)}", `line 1: partition: 1: "1" is no decimal`},
		{"loose ADDED a partition={1:geo(1,2)}", `line 1: partition: 1: "1,2" is no geo`},
		{"loose ADDED a partition={1:uuid(zz)}", `line 1: partition: 1: "zz" is no uuid`},
		{"loose ADDED a partition={1:string(a)}", `line 1: partition: 1: "string(a)" is no value: want null, a quoted string, or ` +
			"a kind and its content as in int(5)"},
		{"loose ADDED a stats={1:{median=5}}", "line 1: stats: 1: median: there is no such statistic"},
		{"loose ADDED a foreign=[{cells=[1/2]}]", "line 1: foreign: cells: want leaf/rep/def and a value"},
		{"loose ADDED a foreign=[{at=1}]", "line 1: foreign: at: there is no such member"},
		{"loose ADDED a foreign=[{type={kind=1}}]", "line 1: foreign: type: kind: there is no such member"},
		{"loose ADDED a foreign=[{type=" + strings.Repeat("{children=[", 101) + "{}" + strings.Repeat("]}", 101) + "}]",
			"line 1: foreign: type: " + strings.Repeat("children: ", 100) + "the type is nested too deeply"},
		{"leaf ADDED m live=x/1", "line 1: live: want the number of live rows, or ?, and the number of rows"},
		{"leaf ADDED m live=1/2 counts={added:2/2}", "line 1: live: it says 1 rows, but there are 2"},
		{"leaf ADDED m live=0/1\n  0 ADDED a", "line 1: live: it says 0 rows, but there are 1"},
		{"leaf ADDED m counts={lost:2/2}", "line 1: counts: lost: there is no such status"},
		{"leaf ADDED m dv={5-3}", "line 1: dv: bitmap positions at byte 0: range 5-3 ends before it begins"},
		{"  0 ADDED a", "line 1: an indented row belongs to a manifest, and there is none above it"},
		{"loose ADDED a\n  0 ADDED b", "line 2: an indented row belongs to a manifest, and there is none above it"},
		{"leaf ADDED m\n  a ADDED b", "line 2: position: want a number"},
		{"leaf ADDED m\n  0 masked", "line 2: want kind, status and location"},
		{"leaf ADDED m dv={0}\n  0 ADDED a", "line 2: row 0 is marked as masked, or not, against the deletion vector of its manifest"},
		{"leaf ADDED m\n  0 ADDED a\nleaf ADDED m\n  0 ADDED a", "line 4: the rows of this leaf stand above already"},
		{strings.Repeat("leaf ADDED m dv={0-2097151}\n", 200), "line 128: the bitmaps take more than 33554432 bytes"},
	}
	for _, test := range tests {
		if _, err := treetext.Parse(test.text); err == nil || err.Error() != "treetext: "+test.want {
			t.Errorf("%.80q:\n\t%v\nwant\n\ttreetext: %s", test.text, err, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(story)
	f.Add("leaf ADDED m noinfo\n  0 posdel ? \"a b\" dv=0x00 foreign=[{in=147,type={id=900,rep=2},cells=[0/0/1/0xff]}]\n")
	f.Add("loose ADDED a info version=4 dv={} dv=#0 splits=[] partition={1:double(0x7ff8000000000002),2:geo(1,2,NaN,NaN)}\n")
	f.Add("unknown ? \"\" stats={1:{upper=decimal(-5,2),tight=false,avg=1}} key=0x format=\"\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := treetext.Parse(text)
		if err != nil {
			return
		}
		again, err := treetext.Parse(d.Format(treetext.Options{}))
		if err != nil {
			t.Fatalf("%v\n%s", err, d.Format(treetext.Options{}))
		}
		if diff := cmp.Diff(d, again, equal); diff != "" {
			t.Errorf("tree (-first +again):\n%s", diff)
		}
	})
}
