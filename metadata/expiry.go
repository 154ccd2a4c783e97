package metadata

import (
	"errors"
	"fmt"
	"math"

	"github.com/apache/iceberg-go"
)

// ExpiryPolicy says what [Table.Expired] lets go, where branches and tags do not say it themselves. Its zero
// value goes by the properties of the table.
type ExpiryPolicy struct {
	// KeepLast is how many snapshots of each branch stay whatever their age, head included; 0 means the
	// property history.expire.min-snapshots-to-keep, default [DefaultMinSnapshotsToKeep].
	KeepLast int
	// OlderThanMillis lets go what is older than this time, in milliseconds since 1970 UTC; null means the time
	// now less the property history.expire.max-snapshot-age-ms, default [DefaultMaxSnapshotAgeMillis]. To keep
	// KeepLast snapshots and no more, set it to [math.MaxInt64].
	OlderThanMillis iceberg.Optional[int64]
	// MaxRefAgeMillis is how old a branch's head or a tag's snapshot may become; 0 means the property
	// history.expire.max-ref-age-ms, default [DefaultMaxRefAgeMillis].
	MaxRefAgeMillis int64
}

// Expiry is what may go.
type Expiry struct {
	// Refs are names of branches and tags, in order.
	Refs []string
	// Snapshots are the ids of snapshots, in the order of the table.
	Snapshots []int64
}

// Expired works out what may go at a time, in milliseconds since 1970 UTC (MD19):
//
//   - A branch or tag goes if its snapshot is older than its own or the policy's age of refs; main never does.
//   - Of a branch that stays, the head stays, and from it back through the parents every snapshot until one is
//     neither among those to keep nor young enough. What lies behind that one goes, whatever its time says: the
//     parents give the order, and clocks lie (B50).
//   - Of a tag that stays, its snapshot stays.
//   - A snapshot that no remaining branch or tag comes from goes if it is older than the policy's time.
//
// The property gc.enabled set to false, a property that is no positive number, a ref without its snapshot and
// parents in a cycle are errors: who deletes must not guess.
func (t Table) Expired(p ExpiryPolicy, nowMillis int64) (Expiry, error) {
	x, err := t.expiration(p, nowMillis)
	if err != nil {
		return Expiry{}, fmt.Errorf("metadata: expiry: %w", err)
	}
	var e Expiry
	for ref := range t.AllRefs() {
		head, ok := x.index[ref.SnapshotID]
		if !ok {
			return Expiry{}, fmt.Errorf("metadata: expiry: ref %q: snapshot %d is not among the snapshots", ref.Name, ref.SnapshotID)
		}
		maxAge := x.maxRefAge
		if ref.MaxAgeMillis.Valid {
			maxAge = ref.MaxAgeMillis.Val
		}
		if ref.Name != MainBranch && head.TimestampMillis < before(nowMillis, maxAge) {
			e.Refs = append(e.Refs, ref.Name)
			continue
		}
		x.kept[ref.SnapshotID] = struct{}{}
		if ref.Type != Branch {
			continue
		}
		if err := x.keepBranch(ref); err != nil {
			return Expiry{}, fmt.Errorf("metadata: expiry: ref %q: %w", ref.Name, err)
		}
	}
	for _, s := range t.Snapshots {
		_, kept := x.kept[s.ID]
		_, passed := x.passed[s.ID]
		if !kept && (passed || s.TimestampMillis < x.cutoff) {
			e.Snapshots = append(e.Snapshots, s.ID)
		}
	}
	return e, nil
}

// Expire returns the table without what an expiry lists.
func (t Table) Expire(e Expiry) (Table, error) {
	var err error
	for _, name := range e.Refs {
		if t, err = t.WithoutRef(name); err != nil {
			return Table{}, err
		}
	}
	return t.WithoutSnapshots(e.Snapshots...)
}

// expiration is a policy applied to a table.
type expiration struct {
	now       int64
	keep      int
	cutoff    int64
	maxRefAge int64
	index     map[int64]Snapshot
	// kept are the snapshots that stay, passed those of remaining branches that do not.
	kept, passed map[int64]struct{}
}

func (t Table) expiration(p ExpiryPolicy, now int64) (expiration, error) {
	if !t.switchProperty(PropertyGCEnabled, true) {
		return expiration{}, fmt.Errorf("the table's property %s is false: other tables may share its files", PropertyGCEnabled)
	}
	if p.KeepLast < 0 || p.MaxRefAgeMillis < 0 {
		return expiration{}, errors.New("a number of snapshots or an age to keep is negative")
	}
	maxAge, err := t.numberProperty(PropertyMaxSnapshotAge, DefaultMaxSnapshotAgeMillis)
	if err != nil {
		return expiration{}, err
	}
	keep, err := t.numberProperty(PropertyMinSnapshotsToKeep, DefaultMinSnapshotsToKeep)
	if err != nil {
		return expiration{}, err
	}
	maxRefAge, err := t.numberProperty(PropertyMaxRefAge, DefaultMaxRefAgeMillis)
	if err != nil {
		return expiration{}, err
	}
	x := expiration{
		now: now, keep: positiveOr(p.KeepLast, int(keep)),
		cutoff: before(now, maxAge), maxRefAge: positiveOr(p.MaxRefAgeMillis, maxRefAge),
		index: t.SnapshotsByID(), kept: map[int64]struct{}{}, passed: map[int64]struct{}{},
	}
	if p.OlderThanMillis.Valid {
		x.cutoff = p.OlderThanMillis.Val
	}
	return x, nil
}

// keepBranch sorts the snapshots of a branch into those that stay and the others.
func (x expiration) keepBranch(ref Ref) error {
	line, err := lineage(x.index, ref.SnapshotID)
	if err != nil {
		return err
	}
	keep, cutoff := x.keep, x.cutoff
	if ref.MinSnapshotsToKeep.Valid {
		keep = ref.MinSnapshotsToKeep.Val
	}
	if ref.MaxSnapshotAgeMillis.Valid {
		cutoff = before(x.now, ref.MaxSnapshotAgeMillis.Val)
	}
	stays := true
	for i, s := range line {
		stays = stays && (i < max(keep, 1) || s.TimestampMillis >= cutoff)
		if stays {
			x.kept[s.ID] = struct{}{}
		} else {
			x.passed[s.ID] = struct{}{}
		}
	}
	return nil
}

// before returns the time that lies an age before now, or the earliest time there is.
func before(now, age int64) int64 {
	age = max(age, 0)
	if now < math.MinInt64+age {
		return math.MinInt64
	}
	return now - age
}
