// Package simple has the policies that follow one rule each: to compare with, and for tables that they fit.
package simple

import (
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/internal/draft"
)

// Never keeps every data file in the root. The root grows with the table: it is here as the base line that the
// others are measured against, and for tables that stay small.
type Never struct{}

// Name implements [policy.Policy].
func (Never) Name() string { return "never" }

// Plan implements [policy.Policy].
func (Never) Plan(in policy.Input) (policy.Plan, error) { return draft.New(in).Plan, nil }
