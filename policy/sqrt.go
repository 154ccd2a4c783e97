package policy

import "math"

// Sqrt pushes all loose files into a leaf once they are twice the square root of the live files of the table, and merges nothing:
// the best that is done without rewriting leaves and without knowing how far the table grows, within a factor of 1.41.
type Sqrt struct{}

// Name implements [Policy].
func (Sqrt) Name() string { return "sqrt" }

// Plan implements [Policy].
func (Sqrt) Plan(in Input) (Plan, error) {
	d := newDraft(in)
	loose, files := d.count(d.live), d.files()
	if loose == 0 || float64(loose) < 2*math.Sqrt(float64(files)) {
		return d.plan, nil
	}
	for len(d.live) > 0 {
		d.push(in.Limits.MostRows(), "%d of %d files are loose, twice the square root or more", loose, files)
	}
	return d.plan, nil
}

// files counts the live files of the table.
func (d *draft) files() int64 {
	n := d.count(d.live)
	for i, pointer := range d.in.Pointers {
		if !d.rewritten[i] {
			n += pointer.LiveEntries
		}
	}
	for _, step := range d.plan.Steps {
		if step.Kind != Bury {
			n += d.count(step.Members)
		}
	}
	return n
}
