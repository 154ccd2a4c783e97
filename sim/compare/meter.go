package compare

import (
	"context"
	"fmt"
	"math"

	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/sim/report"
)

// written is what one commit wrote.
type written struct {
	// root are the bytes of the whole root, fresh those of new leaves, and rewritten those of them that came from old leaves.
	root, fresh, rewritten int64
	// leaves is the number of new leaves: pushed, merged and folded by why; read are the old ones that were read for them.
	leaves, pushed, merged, folded, read int
	maintenance                          bool
}

func (w written) bytes() int64 { return w.root + w.fresh }

// requests are those of a commit, in PUTs: the new leaves, the root and the metadata file, and the GETs of the old root and of leaves.
func (w written) requests() float64 { return float64(w.leaves) + 2 + float64(1+w.read)/getShare }

// subject is a table that a policy keeps.
type subject interface {
	// apply makes the commit of a writer and what maintenance follows, and tells see what each wrote.
	apply(ctx context.Context, c count.Change, see func(written)) error
	// size returns the live files, the leaves, and their bytes.
	size() (files, leaves, leafBytes int64)
	// layout returns what scans see.
	layout(ctx context.Context) (layout, error)
}

// mostMoments is how long the timeline is.
const mostMoments = 240

// scans is at how many commits of the last tenth scans are planned.
const scans = 8

// meter measures what a subject does.
type meter struct {
	config  Config
	subject subject
	result  report.Result

	commit, maintenance, rewritten, root count.Spread
	retained                             *count.Retained
	bytes, leaves, leafBytes             int64
	objects, requests                    float64
	lastRoot                             int64
	// moments is a ring of the last ones, and next its next place.
	moments []report.Moment
	next    int
	scanned []scanned
}

// measure runs a workload under a policy.
func (c Config) measure(ctx context.Context, w Workload, p Choice, b bounds) (report.Result, error) {
	s, err := c.subject(ctx, w, p)
	if err != nil {
		return report.Result{}, fmt.Errorf("compare: %s, %s: %w", w.Name, p.Name, err)
	}
	m := &meter{config: c, subject: s, retained: count.NewRetained(c.Window)}
	m.result = report.Result{Policy: p.Name, Settings: p.Settings, Window: int64(c.Window)}
	next, points := w.Start(c.Seed, c.Commits), pointsTo(c.Commits)
	for change, more := next(); more; change, more = next() {
		if m.result.Commits%256 == 0 && ctx.Err() != nil {
			return report.Result{}, context.Cause(ctx)
		}
		if err := s.apply(ctx, change, m.see); err != nil {
			if ctx.Err() != nil {
				return report.Result{}, context.Cause(ctx)
			}
			m.result.Problem = err.Error()
			break
		}
		if len(points) > 0 && m.result.Commits == points[0] {
			m.point()
			points = points[1:]
		}
		if c.scansAt(m.result.Commits) {
			if err := m.scan(ctx); err != nil {
				return report.Result{}, err
			}
		}
	}
	if n := len(m.result.Points); n == 0 || m.result.Points[n-1].Commits != m.result.Commits {
		m.point()
	}
	if len(m.scanned) == 0 {
		if err := m.scan(ctx); err != nil {
			return report.Result{}, err
		}
	}
	m.finish(b)
	return m.result, nil
}

// pointsTo returns the commits of points: ten for each power of ten, and the last one.
func pointsTo(commits int64) []int64 {
	var points []int64
	for x := 1.0; x < float64(commits); x *= math.Pow(10, 0.1) {
		if n := int64(math.Round(x)); (len(points) == 0 || n > points[len(points)-1]) && n < commits {
			points = append(points, n)
		}
	}
	return append(points, commits)
}

// scansAt reports whether scans are planned after so many commits: now and then in the last tenth, for just after a merge all is tidy.
func (c Config) scansAt(commits int64) bool {
	first := c.Commits - c.Commits/10
	step := max(1, (c.Commits-first)/scans)
	return commits >= first && (c.Commits-commits)%step == 0
}

// see takes in what a commit wrote.
func (m *meter) see(w written) {
	if w.maintenance {
		m.result.Maintenance++
		m.maintenance.Add(w.bytes())
	} else {
		m.result.Commits++
		m.commit.Add(w.bytes())
		m.rewritten.Add(w.rewritten)
	}
	m.lastRoot = w.root
	m.root.Add(w.root)
	m.bytes += w.bytes()
	m.objects += float64(w.leaves + 1)
	m.requests += w.requests()
	_, m.leaves, m.leafBytes = m.subject.size()
	m.retained.Add(w.root, m.leafBytes, w.fresh)
	moment := report.Moment{
		Commit: m.result.Commits, Bytes: w.bytes(), RootBytes: w.root, Pushed: w.pushed, Merged: w.merged, Folded: w.folded, Maintenance: w.maintenance,
	}
	if len(m.moments) < mostMoments {
		m.moments = append(m.moments, moment)
		return
	}
	m.moments[m.next] = moment
	m.next = (m.next + 1) % mostMoments
}

// point notes what the table is like.
func (m *meter) point() {
	files, leaves, leafBytes := m.subject.size()
	m.result.Points = append(m.result.Points, report.Point{
		Commits: m.result.Commits, Files: files, CommitBytes: m.perCommit(float64(m.bytes)), RootBytes: m.lastRoot, Leaves: leaves,
		ScanBytes: m.lastRoot + leafBytes, RetainedBytes: m.retained.Bytes(),
	})
}

func (m *meter) perCommit(sum float64) float64 { return sum / float64(max(1, m.result.Commits)) }

// scan plans scans of the table as it is.
func (m *meter) scan(ctx context.Context) error {
	l, err := m.subject.layout(ctx)
	if err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	l.root = m.lastRoot
	found, err := l.scan()
	m.scanned = append(m.scanned, found)
	return err
}

// finish fills in what is known at the end.
func (m *meter) finish(b bounds) {
	r := &m.result
	r.Files, r.Leaves, _ = m.subject.size()
	r.CommitBytes, r.MaintenanceBytes = spreadOf(&m.commit), spreadOf(&m.maintenance)
	r.CommitBytes.Mean = m.perCommit(float64(m.bytes))
	r.RewrittenBytes, r.RootBytes = spreadOf(&m.rewritten), spreadOf(&m.root)
	r.Objects = m.perCommit(m.objects)
	r.Objective = m.perCommit(float64(m.bytes) + m.requests*float64(m.config.RequestBytes))
	r.RetainedBytes = m.retained.Bytes()
	if beyond := float64(m.bytes) - float64(b.rootFixed*(r.Commits+r.Maintenance)); b.beyond > 0 && r.Problem == "" {
		r.RatioToBound = beyond / b.beyond
	}
	for _, s := range m.scanned {
		for _, sum := range []struct{ to, from *report.Scan }{{&r.Everything, &s.everything}, {&r.OnePartition, &s.partition}, {&r.Lookup, &s.lookup}} {
			sum.to.LeavesOpened += sum.from.LeavesOpened / float64(len(m.scanned))
			sum.to.BytesRead += sum.from.BytesRead / float64(len(m.scanned))
		}
	}
	r.Contention = contention(r.RootBytes.Mean)
	r.Exponents = exponents(r.Points)
	r.Timeline = append(m.moments[m.next:len(m.moments):len(m.moments)], m.moments[:m.next]...)
}

func spreadOf(s *count.Spread) report.Spread {
	return report.Spread{Mean: s.Mean(), P50: s.Quantile(0.5), P99: s.Quantile(0.99), Max: s.Max()}
}
