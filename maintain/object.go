package maintain

import (
	"cmp"
	"fmt"
)

// Kind says what an object is. The zero Kind is invalid. Objects are deleted in the order of their kinds: what leads to
// other objects goes after them, so that an interrupted run can be taken up again (MN4).
type Kind uint8

// The kinds of objects.
const (
	DataFile Kind = iota + 1
	// PuffinFile holds deletion vectors.
	PuffinFile
	StatisticsFile
	LeafManifest
	RootManifest
	MetadataFile
	// OtherObject is an object of which only the name is known.
	OtherObject
)

var kindNames = [...]string{
	DataFile: "data file", PuffinFile: "Puffin file", StatisticsFile: "statistics file",
	LeafManifest: "leaf manifest", RootManifest: "root manifest", MetadataFile: "metadata file", OtherObject: "object",
}

// String returns the kind in words.
func (k Kind) String() string {
	if k >= DataFile && k <= OtherObject {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Object is an object of a table.
type Object struct {
	Kind     Kind
	Location string
	// SizeBytes is its length, 0 where that is not known.
	SizeBytes int64
}

func (o Object) compare(other Object) int {
	return cmp.Or(cmp.Compare(o.Kind, other.Kind), cmp.Compare(o.Location, other.Location))
}

// Sweep says what became of the objects that a run was to delete, each list in the order of deletion.
type Sweep struct {
	Deleted []Object
	// Failed are objects whose deletion failed, or may have.
	Failed []Failure
	// Remaining are objects that the run did not come to: all of them in a dry run, else those beyond the limit, or
	// behind the failure that ended the run, and manifests that are needed to find one that failed.
	Remaining []Object
	// Mismatched are objects that [Naming.KeepMismatched] keeps.
	Mismatched []Mismatch
	// Outside are objects that nothing reaches any more and that stay, for they lie outside of the table's folder.
	Outside []Object
}

// Failure is an object that could not be deleted.
type Failure struct {
	Object
	Err error
}

// Total counts objects of one kind.
type Total struct {
	Kind    Kind
	Objects int
	// SizeBytes adds up the lengths that are known.
	SizeBytes int64
}

// Totals counts objects by kind, in the order of the kinds; kinds without objects are left out.
func Totals(objects []Object) []Total {
	var sums [OtherObject + 1]Total
	for _, o := range objects {
		sums[o.Kind].Objects++
		sums[o.Kind].SizeBytes += o.SizeBytes
	}
	var totals []Total
	for kind, sum := range sums {
		if sum.Objects > 0 {
			sum.Kind = Kind(kind)
			totals = append(totals, sum)
		}
	}
	return totals
}
