package metadata

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/apache/iceberg-go"
)

// AllRefs yields the branches and tags by name.
func (t Table) AllRefs() iter.Seq[Ref] {
	return slices.Values(slices.SortedStableFunc(slices.Values(t.Refs), func(a, b Ref) int {
		return cmp.Compare(a.Name, b.Name)
	}))
}

// WithRef returns the table with a branch or tag set. Its snapshot must be there, and a ref keeps its type.
// Moving main moves current-snapshot-id and goes into the snapshot log with the time last-updated-ms, so
// [Table.Successor] comes first.
func (t Table) WithRef(ref Ref) (Table, error) {
	old, exists := t.Ref(ref.Name)
	_, retained := t.Snapshot(ref.SnapshotID)
	var err error
	switch {
	case ref.Name == "":
		err = errors.New("it has no name")
	case ref.Type != Branch && ref.Type != Tag:
		err = fmt.Errorf("its type is %q", ref.Type)
	case ref.Name == MainBranch && ref.Type != Branch:
		err = errors.New("it must be a branch")
	case exists && old.Type != ref.Type:
		err = fmt.Errorf("it is a %s already", old.Type)
	case !retained:
		err = fmt.Errorf("snapshot %d is not among the snapshots", ref.SnapshotID)
	default:
		err = ref.checkRetention()
	}
	if err != nil {
		return Table{}, fmt.Errorf("metadata: ref %q: %w", ref.Name, err)
	}
	return t.pointed(ref), nil
}

// WithoutRef returns the table without a branch or tag; main cannot go.
func (t Table) WithoutRef(name string) (Table, error) {
	if _, ok := t.Ref(name); !ok {
		return Table{}, fmt.Errorf("metadata: ref %q: there is none", name)
	}
	if name == MainBranch {
		return Table{}, fmt.Errorf("metadata: ref %q: it cannot be dropped", name)
	}
	t.Refs = slices.DeleteFunc(slices.Clone(t.Refs), func(r Ref) bool { return r.Name == name })
	return t, nil
}

// CreateRef returns the table with a new branch or tag; the rules of [Table.WithRef] hold.
func (t Table) CreateRef(ref Ref) (Table, error) {
	if old, exists := t.Ref(ref.Name); exists {
		return Table{}, fmt.Errorf("metadata: ref %q: there is a %s of this name at snapshot %d", ref.Name, old.Type, old.SnapshotID)
	}
	return t.WithRef(ref)
}

// MoveRef returns the table with a branch or tag at another snapshot, in whatever direction; its retention
// settings stay.
func (t Table) MoveRef(name string, snapshotID int64) (Table, error) {
	ref, exists := t.Ref(name)
	if !exists {
		return Table{}, fmt.Errorf("metadata: ref %q: there is none", name)
	}
	ref.SnapshotID = snapshotID
	return t.WithRef(ref)
}

// ErrNotDescendant says that a branch cannot be moved forward to a snapshot, for its head is no ancestor of it.
var ErrNotDescendant = errors.New("the snapshot does not descend from the head of the branch")

// FastForward returns the table with a branch moved to a snapshot that descends from its head, or is its head;
// any other snapshot is [ErrNotDescendant]. The retention settings stay. [Table.MoveRef] moves without asking.
func (t Table) FastForward(branch string, snapshotID int64) (Table, error) {
	ref, exists := t.Ref(branch)
	line, err := t.Lineage(snapshotID)
	switch {
	case !exists:
		err = errors.New("there is none")
	case ref.Type != Branch:
		err = fmt.Errorf("it is a %s", ref.Type)
	case err != nil:
	case !slices.ContainsFunc(line, func(s Snapshot) bool { return s.ID == ref.SnapshotID }):
		err = fmt.Errorf("%w: snapshot %d, head %d", ErrNotDescendant, snapshotID, ref.SnapshotID)
	}
	if err != nil {
		return Table{}, fmt.Errorf("metadata: ref %q: %w", branch, err)
	}
	return t.MoveRef(branch, snapshotID)
}

// Retention is what a branch or tag says about expiry; null means the table's default. Values are positive
// (MD20).
type Retention struct {
	// MinSnapshotsToKeep and MaxSnapshotAgeMillis are for branches alone.
	MinSnapshotsToKeep   iceberg.Optional[int]
	MaxSnapshotAgeMillis iceberg.Optional[int64]
	// MaxAgeMillis is how old the ref's snapshot may become before the ref itself goes; main never goes.
	MaxAgeMillis iceberg.Optional[int64]
}

// WithRetention returns the table with all retention settings of a branch or tag replaced.
func (t Table) WithRetention(name string, r Retention) (Table, error) {
	ref, exists := t.Ref(name)
	if !exists {
		return Table{}, fmt.Errorf("metadata: ref %q: there is none", name)
	}
	ref.MinSnapshotsToKeep, ref.MaxSnapshotAgeMillis, ref.MaxAgeMillis = r.MinSnapshotsToKeep, r.MaxSnapshotAgeMillis, r.MaxAgeMillis
	return t.WithRef(ref)
}

// checkRetention says what is wrong with the retention settings of a ref.
func (r Ref) checkRetention() error {
	for _, setting := range []struct {
		name     string
		value    iceberg.Optional[int64]
		branches bool
	}{
		{"min-snapshots-to-keep", iceberg.Optional[int64]{Val: int64(r.MinSnapshotsToKeep.Val), Valid: r.MinSnapshotsToKeep.Valid}, true},
		{"max-snapshot-age-ms", r.MaxSnapshotAgeMillis, true},
		{"max-ref-age-ms", r.MaxAgeMillis, false},
	} {
		switch {
		case !setting.value.Valid:
		case setting.value.Val <= 0:
			return fmt.Errorf("%s must be positive, not %d", setting.name, setting.value.Val)
		case setting.branches && r.Type != Branch:
			return fmt.Errorf("%s is for branches, not for a %s", setting.name, r.Type)
		}
	}
	return nil
}
