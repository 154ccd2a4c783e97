package commit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/store"
)

// ask lets a policy plan, and checks the plan. The policy may be the caller's own: it sees a copy of the input, keeps no part of the
// plan that is followed, and if it panics or plans badly the commit is refused, so that what earlier attempts wrote is removed.
// Nothing ends a policy that does not return.
func ask(chosen policy.Policy, in policy.Input) (plan policy.Plan, err error) {
	name := "without a name"
	defer func() {
		if p := recover(); p != nil {
			err = badPolicy(name, fmt.Errorf("it panicked: %v", p))
		}
	}()
	name = chosen.Name()
	plan, err = chosen.Plan(copyOf(in))
	if err != nil {
		return policy.Plan{}, badPolicy(name, err)
	}
	plan = ownPlan(plan)
	if err := plan.Validate(in); err != nil {
		return policy.Plan{}, badPolicy(name, err)
	}
	return plan, nil
}

// badPolicy tells the cause, and keeps it unless it would be taken for an answer of the store or the catalog, or for an end of another
// kind.
func badPolicy(name string, err error) error {
	refused := &RefusedError{Reasons: []string{fmt.Sprintf("policy %s: %v", name, err)}, Err: err}
	for _, mistaken := range []error{
		ErrConflict, ErrSelfCheck, ErrExhausted, ErrUnknown, errDropped, context.Canceled, context.DeadlineExceeded,
		store.ErrNotFound, store.ErrExists, store.ErrConflict, store.ErrThrottled, store.ErrRefused, store.ErrUnknown, treeio.ErrMetadata,
	} {
		if errors.Is(err, mistaken) {
			refused.Err = nil
		}
	}
	return refused
}

// ownPlan returns a plan of which nobody else holds a part.
func ownPlan(p policy.Plan) policy.Plan {
	p.Steps, p.Deferred, p.Summary = slices.Clone(p.Steps), slices.Clone(p.Deferred), maps.Clone(p.Summary)
	p.Thinning.Pointers = slices.Clone(p.Thinning.Pointers)
	for i := range p.Steps {
		p.Steps[i].Members = slices.Clone(p.Steps[i].Members)
	}
	return p
}
