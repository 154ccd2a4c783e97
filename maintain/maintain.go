package maintain

import (
	"context"
	"fmt"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/policy"
)

// MaintainOptions are the settings of [Maintain]. The zero MaintainOptions are good.
type MaintainOptions struct {
	// Branch is the branch to tidy up; default is main.
	Branch string
	// Policy decides what is done; default is the one that the table's properties choose.
	Policy policy.Policy
	// Limits bound what the commit may write.
	Limits policy.Limits
	// MaxAttempts bounds the attempts; the default is that of [commit.TxnOptions].
	MaxAttempts int
	// DryRun commits nothing: the result holds the plan alone.
	DryRun bool
}

// Maintain lets the policy tidy up the tree, in a commit of its own that changes no file: it moves loose files into
// leaves, merges leaves, folds those of which much is masked, and leaves statistics out of a full root. If the policy sees nothing to do, nothing is
// committed, and the result says so.
func Maintain(ctx context.Context, table *commit.Table, o MaintainOptions) (commit.Result, error) {
	x, err := table.Begin(ctx, commit.TxnOptions{
		Branch: o.Branch, Mode: policy.Maintenance, Policy: o.Policy, Limits: o.Limits, MaxAttempts: o.MaxAttempts,
	})
	if err != nil {
		return commit.Result{}, fmt.Errorf("maintain: %w", err)
	}
	if o.DryRun {
		plan, err := x.Plan(ctx)
		return commit.Result{NoOp: true, Plan: plan}, err
	}
	return x.Commit(ctx)
}
