package policy

// Never keeps every data file in the root. The root grows with the table: it is here as the base line that the
// others are measured against, and for tables that stay small.
type Never struct{}

// Name implements [Policy].
func (Never) Name() string { return "never" }

// Plan implements [Policy].
func (Never) Plan(in Input) (Plan, error) { return newDraft(in).plan, nil }
