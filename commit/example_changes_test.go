package commit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// exampleTable returns a table with the data files 0 to 4, three of them in a leaf.
func exampleTable(ctx context.Context) *commit.Table {
	s, err := testtable.New(ctx, map[string]string{"firn.policy": "cap", "firn.policy.rows": "3"})
	if err != nil {
		panic(err)
	}
	table := s.Open(1, nil)
	for _, files := range [][]tree.File{testtable.Files(0, 3), testtable.Files(3, 5)} {
		txn, err := table.Begin(ctx, commit.TxnOptions{})
		if err != nil {
			panic(err)
		}
		txn.Append(files...)
		if _, err := txn.Commit(ctx); err != nil {
			panic(err)
		}
	}
	return table
}

func base(location string) string { return location[strings.LastIndexByte(location, '/')+1:] }

// What a scan found is the best name of a file: nothing has to be looked up again.
func ExampleAt() {
	ctx := context.Background()
	table := exampleTable(ctx)
	txn, err := table.Begin(ctx, commit.TxnOptions{CheckDuplicates: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for file, err := range table.Files(ctx, txn.Base(), tree.Full) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if file.Entry.Tracking.SequenceNumber.Val == 1 { // whatever a scan selects
			txn.Remove(commit.At(file))
		}
	}
	txn.Append(testtable.File(10))
	result, err := txn.Commit(ctx)
	fmt.Println("leaves opened to find the files:", result.LeavesOpened, err)
	// Output:
	// leaves opened to find the files: 0 <nil>
}

// Rows of a file are deleted by their positions; two deletes of one file join into one deletion vector.
func ExampleTxn_ExtendDV() {
	ctx := context.Background()
	table := exampleTable(ctx)
	for _, text := range []string{"3,7-9", "8-11"} {
		rows, err := dv.ParseText(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		txn, err := table.Begin(ctx, commit.TxnOptions{})
		if err != nil {
			fmt.Println(err)
			return
		}
		txn.ExtendDV(testtable.Target(1), rows, commit.DVOptions{MergeRaced: true})
		if _, err := txn.Commit(ctx); err != nil {
			fmt.Println(err)
			return
		}
	}
	head, err := table.Head(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for change, err := range table.Changes(ctx, head, tree.Full) {
		if err != nil {
			fmt.Println(err)
			return
		}
		before, after := change.Before.Val.Entry.DeletionVector.Val, change.After.Val.Entry.DeletionVector.Val
		fmt.Println(change.Kind, base(change.Location), "from", before.Cardinality, "to", after.Cardinality)
	}
	// Output:
	// deletes f0001.parquet from 4 to 6
}

// A compaction gives up where another writer changed what it rewrote, and is planned anew.
func ExampleTxn_Rewrite() {
	ctx := context.Background()
	table := exampleTable(ctx)
	txn, err := table.Begin(ctx, commit.TxnOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	// The rows of 0 and 1, without those deleted as of the snapshot that was read, are in file 20.
	asOf := txn.Base().Tree.Origin.SnapshotID
	txn.Rewrite([]commit.Target{testtable.Target(0), testtable.Target(1)}, testtable.Files(20, 21), asOf)

	other, err := table.Begin(ctx, commit.TxnOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, _ := dv.Of(5)
	other.ExtendDV(testtable.Target(1), rows, commit.DVOptions{})
	if _, err := other.Commit(ctx); err != nil {
		fmt.Println(err)
		return
	}

	_, err = txn.Commit(ctx)
	var conflict *commit.ConflictError
	if errors.As(err, &conflict) {
		fmt.Println(conflict.Rule, base(conflict.Location))
	}
	// Output:
	// remove-dv-raced f0001.parquet
}

// everyTen is a policy: ten loose files make a leaf.
type everyTen struct{}

// Name implements [policy.Policy].
func (everyTen) Name() string { return "every-ten" }

// Plan implements [policy.Policy].
func (everyTen) Plan(in policy.Input) (policy.Plan, error) {
	plan, rest := policy.Keep(in)
	for len(rest) >= 10 && rest[9].Source != policy.FromTombstones {
		plan.Steps = append(plan.Steps, policy.Step{Kind: policy.Push, Members: rest[:10], Written: -1, Reason: "ten files"})
		rest = rest[10:]
	}
	return plan, nil
}

// A policy is any pure function from what the root holds to what is to move.
func ExampleTxnOptions_policy() {
	ctx := context.Background()
	table := exampleTable(ctx)
	txn, err := table.Begin(ctx, commit.TxnOptions{Policy: everyTen{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	txn.Append(testtable.Files(10, 25)...)
	result, err := txn.Commit(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, step := range result.Plan.Steps {
		fmt.Println(step.Kind, len(step.Members), "files:", step.Reason)
	}
	// Output:
	// push 10 files: ten files
}

// counting is a store that counts what is written.
type counting struct {
	store.Objects
	puts int
}

// Put implements [store.Objects].
func (c *counting) Put(ctx context.Context, name string, data []byte) error {
	c.puts++
	return c.Objects.Put(ctx, name, data)
}

// A store is any implementation of its interface; package storetest holds it to the contract.
func ExampleOpen() {
	ctx := context.Background()
	s, err := testtable.New(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	objects := &counting{Objects: s.Objects}
	table := commit.Open(testtable.ID, s.Catalog, objects, commit.Options{})
	txn, err := table.Begin(ctx, commit.TxnOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	txn.Append(testtable.File(1))
	if _, err := txn.Commit(ctx); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("objects written:", objects.puts)
	// Output:
	// objects written: 2
}
