package policy_test

import (
	"context"
	"fmt"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

// Batches writes loose files into leaves of Size files as soon as there are as many.
type Batches struct{ Size int }

// Name is what errors call the policy.
func (Batches) Name() string { return "batches" }

// Plan begins with what an earlier attempt of the commit wrote: that is paid for, and must be kept.
func (p Batches) Plan(in policy.Input) (policy.Plan, error) {
	plan, rest := policy.Keep(in)
	var live []policy.Ref
	for _, ref := range rest {
		if ref.Source != policy.FromTombstones { // they stay in the root
			live = append(live, ref)
		}
	}
	size := max(1, p.Size)
	for len(live) >= size {
		plan.Steps = append(plan.Steps, policy.Step{
			Kind: policy.Push, Members: live[:size], Written: -1,
			Reason: fmt.Sprintf("%d loose files are a batch", size),
		})
		live = live[size:]
	}
	return plan, nil
}

// A policy of one's own is a type with a name and a plan. A transaction takes it in place of the one that the table chooses, and every
// plan of it is checked before anything is written.
func Example_custom() {
	ctx := context.Background()
	schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64})
	m, err := metadata.New(metadata.NewTable{UUID: uuid.New(), Location: "mem://warehouse/events", Schema: schema})
	if err != nil {
		fmt.Println(err)
		return
	}
	id := store.TableID{Namespace: "demo", Name: "events"}
	table, err := commit.Create(ctx, id, &mem.Catalog{}, &mem.Objects{}, m, commit.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for n := range 5 {
		txn, err := table.Begin(ctx, commit.TxnOptions{Policy: Batches{Size: 2}})
		if err != nil {
			fmt.Println(err)
			return
		}
		txn.Append(tree.File{
			Location: fmt.Sprintf("mem://warehouse/events/data/%d.parquet", n), Format: "parquet", RecordCount: 10, FileSizeBytes: 700,
		})
		result, err := txn.Commit(ctx)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("commit", n, "wrote", result.LeavesWritten, "leaves")
		for _, step := range result.Plan.Steps {
			fmt.Println(" ", step.Kind, len(step.Members), "entries:", step.Reason)
		}
	}
	// Output:
	// commit 0 wrote 0 leaves
	// commit 1 wrote 1 leaves
	//   push 2 entries: 2 loose files are a batch
	// commit 2 wrote 0 leaves
	// commit 3 wrote 1 leaves
	//   push 2 entries: 2 loose files are a batch
	// commit 4 wrote 0 leaves
}
