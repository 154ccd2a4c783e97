package maintain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/metadata"
)

// DefaultOrphanAgeMillis is the default of [OrphanOptions.AgeMillis], 72 hours.
const DefaultOrphanAgeMillis = 72 * 60 * 60 * 1000

// OrphanOptions are the settings of [Orphans]. The zero OrphanOptions list and delete nothing.
type OrphanOptions struct {
	// Delete deletes the orphans; without it they are reported as remaining.
	Delete bool
	// AgeMillis is how old an object must be to be an orphan; null means [DefaultOrphanAgeMillis]. It must be longer
	// than any commit takes, from the first object that is written for it: what a commit that is under way has
	// written is not reached yet.
	AgeMillis iceberg.Optional[int64]
	// Force allows an age of 0, for a table to which nobody writes.
	Force bool
	// Prefixes are where to look besides the table's location, each with a slash at its end.
	Prefixes []string
	// MaxDeletes bounds the objects deleted in one run; 0 means no bound.
	MaxDeletes int
	// Naming says which spellings of a location mean one object.
	Naming Naming
}

func (o OrphanOptions) check() error {
	var problems []error
	if o.AgeMillis.Valid && o.AgeMillis.Val < 0 {
		problems = append(problems, fmt.Errorf("the age is %d ms", o.AgeMillis.Val))
	}
	if o.AgeMillis.Valid && o.AgeMillis.Val == 0 && !o.Force {
		problems = append(problems, errors.New("an age of 0 takes the objects of commits that are under way, and must be forced"))
	}
	if o.MaxDeletes < 0 {
		problems = append(problems, fmt.Errorf("the limit of deletions is %d", o.MaxDeletes))
	}
	problems = append(problems, checkPrefixes(o.Prefixes)...)
	if len(problems) > 0 {
		return fmt.Errorf("maintain: orphans: %w", errors.Join(problems...))
	}
	return nil
}

// checkPrefixes refuses prefixes that would take in what only begins like them.
func checkPrefixes(prefixes []string) []error {
	var problems []error
	for _, prefix := range prefixes {
		if !strings.HasSuffix(prefix, "/") {
			problems = append(problems, fmt.Errorf("the prefix %q does not end in a slash", prefix))
		}
	}
	return problems
}

// ageMillis is the age that an object must have.
func (o OrphanOptions) ageMillis() int64 {
	if o.AgeMillis.Valid {
		return o.AgeMillis.Val
	}
	return DefaultOrphanAgeMillis
}

// OrphanReport says what was found.
type OrphanReport struct {
	// Listed counts the objects below the prefixes, and Young those of them that are too young to be looked at.
	Listed, Young int
	Sweep
}

// ErrOtherTable says that metadata files below a prefix are not in a folder of the table's own ones: objects of another
// table would be taken for orphans.
var ErrOtherTable = errors.New("metadata files of another table")

// Orphans finds the objects below a table's location that are old enough and that the table does not reach, and deletes
// them if that is asked for (B42, MN2, MN3, MN5).
//
// The listing comes first and the table's state after it. Before each deletion the table is looked at again, and what
// a commit refers to since stays. The age is that of the store's time for the object by the table's clock. The names of
// the objects that are old enough are kept in memory until each is known to be reached.
//
// The report is valid with an error too. A run that stopped or came to MaxDeletes is resumed by running it again.
func Orphans(ctx context.Context, table *commit.Table, o OrphanOptions) (OrphanReport, error) {
	var report OrphanReport
	if err := o.check(); err != nil {
		return report, err
	}
	head, err := open(ctx, table)
	if err != nil {
		return report, err
	}
	l := &listing{sweep: newSweep(table, head, o.Naming), folders: make(map[spelling]string), report: &report}
	l.cutoffMillis = before(table.NowMillis(), o.ageMillis())
	for _, prefix := range append([]string{head.Location + "/"}, o.Prefixes...) {
		if err := l.list(ctx, prefix); err != nil {
			return report, err
		}
	}
	if err := l.checkOwner(head); err != nil {
		return report, err
	}
	if err := l.look(ctx); err != nil {
		return report, err
	}
	if err := l.checkFiles(ctx); err != nil {
		return report, err
	}
	if !o.Delete {
		l.rest(l.unreached(), &report.Sweep)
		return report, nil
	}
	return report, l.run(ctx, o.MaxDeletes, &report.Sweep)
}

// listing makes candidates of listed objects.
type listing struct {
	*sweep
	cutoffMillis int64
	// folders are the folders in which metadata files were listed, with the location of one in each.
	folders map[spelling]string
	report  *OrphanReport
}

// list makes candidates of the objects of a prefix that are old enough.
func (l *listing) list(ctx context.Context, prefix string) error {
	for info, err := range l.table.Objects().List(ctx, prefix) {
		if err != nil {
			return fmt.Errorf("maintain: list %s: %w", prefix, err)
		}
		l.report.Listed++
		kind := OtherObject
		if metadata.IsFileName(info.Name) {
			kind = MetadataFile
			l.folders[l.folderOf(info.Name)] = info.Name
		}
		if !tamper.Stage(seamOlder, l, isOlder(info.Modified, l.cutoffMillis)) {
			l.report.Young++
			continue
		}
		l.add(Object{Kind: kind, Location: info.Name, SizeBytes: info.SizeBytes})
	}
	return nil
}

// folderOf returns the folder of a location.
func (l *listing) folderOf(location string) spelling {
	s := l.naming.spell(location)
	s.path = s.path[:strings.LastIndexByte(s.path, '/')+1]
	return s
}

// checkOwner refuses to go on where metadata files lie in other folders than those of the table.
func (l *listing) checkOwner(head *commit.Head) error {
	objects, err := listed(head)
	if err != nil {
		return err
	}
	own := map[spelling]bool{l.folderOf(head.Location + "/metadata/"): true}
	for _, o := range objects {
		own[l.folderOf(o.Location)] = true
	}
	first := ""
	for folder, name := range l.folders {
		if !own[folder] && (first == "" || name < first) {
			first = name
		}
	}
	if first != "" {
		return fmt.Errorf("maintain: orphans of table %s: %w, such as %s", l.table.ID(), ErrOtherTable, first)
	}
	return nil
}

// checkFiles refuses to go on where a metadata file that is to go is another table's: one that was renamed, say, and
// whose place this table took.
func (l *listing) checkFiles(ctx context.Context) error {
	for _, c := range l.unreached() {
		if c.Kind != MetadataFile || c.spared() {
			continue
		}
		m, err := l.table.Metadata(ctx, c.Location)
		if err == nil && m.UUID != l.uuid {
			return fmt.Errorf("maintain: orphans of table %s: %w: %s is of table %s", l.table.ID(), ErrOtherTable, c.Location, m.UUID)
		}
		if ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// isOlder reports whether a time is at or before a cutoff. A time that the store does not know, or that no 64 bits of
// milliseconds hold, tells of no age.
func isOlder(t time.Time, cutoffMillis int64) bool {
	millis := t.UnixMilli()
	return !t.IsZero() && time.UnixMilli(millis).Sub(t).Abs() < time.Second && millis <= cutoffMillis
}

// before returns a time less an age, as low as 64 bits go.
func before(nowMillis, ageMillis int64) int64 {
	if nowMillis < math.MinInt64+ageMillis {
		return math.MinInt64
	}
	return nowMillis - ageMillis
}
