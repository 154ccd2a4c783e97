// Package policytest makes inputs of policies for the tests of several packages, and describes plans.
package policytest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firn-io/firn/policy"
)

// Items returns so many files, of which the keys begin with a kind.
func Items(kind string, n int) []policy.Item {
	var list []policy.Item
	for i := range n {
		list = append(list, policy.Item{Key: fmt.Sprintf("%s%d", kind, i), Count: 1, RecordCount: 100})
	}
	return list
}

// Rate is a history of commits of so many files.
func Rate(files string) []policy.Snapshot {
	return []policy.Snapshot{{ID: 1, Summary: map[string]string{"firn.policy.files-per-commit": files}}}
}

// Prices are those of the theory, of a table with 20 columns with statistics.
var Prices = policy.Prices{
	RootFixedBytes: 19_000, LeafFixedBytes: 19_000, LooseBytes: 276, PointerBytes: 340, LeafEntryBytes: 276,
}

// RootOf estimates the root that a plan leaves.
func RootOf(prices policy.Prices, in policy.Input, plan *policy.Plan) int64 {
	bytes := prices.RootFixedBytes + int64(len(in.Loose)+len(in.New)+len(in.Tombstones))*prices.LooseBytes
	for _, p := range in.Pointers {
		bytes += prices.Pointer(p.Thin) + p.DVBytes
	}
	if plan == nil {
		return bytes
	}
	for _, i := range plan.Thinning.Pointers {
		bytes -= prices.Pointer(in.Pointers[i].Thin) - prices.Pointer(true)
	}
	for _, step := range plan.Steps {
		bytes += int64(max(1, step.Leaves)) * prices.PointerBytes
		for _, ref := range step.Members {
			if ref.Source == policy.FromPointers {
				bytes -= prices.Pointer(in.Pointers[ref.Index].Thin) + in.Pointers[ref.Index].DVBytes
			} else {
				bytes -= prices.LooseBytes
			}
		}
	}
	return bytes
}

// Members says what each step of a plan writes, in order.
func Members(in policy.Input, plan policy.Plan) []string {
	var all []string
	for _, step := range plan.Steps {
		var keys []string
		for _, ref := range step.Members {
			item, _ := in.Item(ref)
			keys = append(keys, item.Key)
		}
		slices.Sort(keys)
		all = append(all, step.Kind.String()+" "+strings.Join(keys, ", "))
	}
	return all
}
