package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Profile is a workload: how often writers start which programs, and on which files. Weights are relative to each other;
// what has weight 0 does not happen.
type Profile struct {
	Name string `json:"name"`
	// Append adds files, from MinFiles to MaxFiles of them; Several puts more than one step into a transaction.
	Append   int   `json:"append"`
	MinFiles int64 `json:"min-files"`
	MaxFiles int64 `json:"max-files"`
	// MostFiles is from how many live files on programs remove files instead of adding some, 0 for no bound.
	MostFiles int64 `json:"most-files"`
	Several   int   `json:"several"`
	// Remove, Replace, Compact, Delete (of rows), Refresh, Where and Restore are those of the verbs; Again adds a file that
	// was removed before.
	Remove  int `json:"remove"`
	Replace int `json:"replace"`
	Compact int `json:"compact"`
	Delete  int `json:"delete"`
	Refresh int `json:"refresh"`
	Where   int `json:"where"`
	Restore int `json:"restore"`
	Again   int `json:"again"`
	// Maintain folds and merges leaves, by the policy of the table in the share Own, in percent, and else by [Tidy]; Idle commits
	// without a change.
	Maintain int `json:"maintain"`
	Own      int `json:"own"`
	Idle     int `json:"idle"`
	// Expire keeps Retain snapshots of each branch, and CleanUp deletes what nothing references.
	Expire  int   `json:"expire"`
	Retain  int64 `json:"retain"`
	CleanUp int   `json:"clean-up"`
	// Schema adds and drops columns, Branches creates and drops branches, and Caps changes the cap of the root.
	Schema   int `json:"schema"`
	Branches int `json:"branches"`
	Caps     int `json:"caps"`
	// RollBacks points main at an older snapshot, and Policies gives the table another policy.
	RollBacks int `json:"roll-backs"`
	Policies  int `json:"policies"`
	// Specs changes the partition spec. Columns are added, and the spec Spec is chosen, before the workload begins. Files have
	// statistics of the first Measured columns of the table, 0 for all.
	Specs    int   `json:"specs"`
	Columns  int   `json:"columns"`
	Measured int   `json:"measured"`
	Spec     int64 `json:"spec"`
	// Victims says where the files live that programs remove and change.
	Victims Victims `json:"victims"`
	// OnBranch is the share of transactions, in percent, that go to a branch; Hinted that of those that name files as a
	// scan found them, and Creeping that of the steps that stop before any call.
	OnBranch int `json:"on-branch"`
	Hinted   int `json:"hinted"`
	Creeping int `json:"creeping"`
	// Hot is the share of victims, in percent, that are among those chosen last.
	Hot int `json:"hot"`
	// Unchecked is the share of transactions, in percent, that add new files without looking whether they are live.
	Unchecked int `json:"unchecked"`
}

// Victims are weights of the places where a file can live.
type Victims struct {
	// LooseOld and LooseNew are in the root; the new ones were added by the last few snapshots.
	LooseOld int `json:"loose-old"`
	LooseNew int `json:"loose-new"`
	// Leaf is in a leaf without a mask, Masked in one with, and Last is the last live file of a leaf.
	Leaf   int `json:"leaf"`
	Masked int `json:"masked"`
	Last   int `json:"last"`
}

var everywhere = Victims{LooseOld: 2, LooseNew: 2, Leaf: 2, Masked: 3, Last: 3}

// Profiles returns the named profiles.
func Profiles() []Profile {
	return []Profile{
		{
			Name: "stream", Append: 100, MinFiles: 1, MaxFiles: 3, Maintain: 10, Own: 50, Expire: 5, Retain: 5,
			Refresh: 2, Victims: everywhere, Unchecked: 100,
		},
		{
			Name: "cdc", Append: 20, MinFiles: 1, MaxFiles: 2, Delete: 60, Replace: 10, Several: 10, Compact: 10, Maintain: 10, Own: 50,
			Expire: 5, Retain: 5, Victims: Victims{LooseOld: 2, LooseNew: 4, Leaf: 3, Masked: 3, Last: 1}, Hinted: 30, Hot: 50, Unchecked: 90,
		},
		{
			Name: "batch", Append: 10, MinFiles: 10, MaxFiles: 200, Replace: 5, Compact: 10, Where: 10, Remove: 5,
			Maintain: 5, Own: 50, Expire: 3, Retain: 5, Victims: everywhere, Hinted: 30, Unchecked: 50, Columns: 2, Spec: 1,
		},
		{
			Name: "mixed", Append: 20, MinFiles: 1, MaxFiles: 8, Several: 10, Remove: 10, Replace: 8, Compact: 8, Delete: 12,
			Refresh: 6, Where: 5, Restore: 2, Again: 3, Maintain: 10, Own: 50, Idle: 2, Expire: 3, Retain: 8, CleanUp: 2, Schema: 3,
			Branches: 3, Caps: 3, Specs: 3, RollBacks: 1, Policies: 2, Columns: 1, Victims: everywhere, OnBranch: 15, Hinted: 30, Creeping: 5, Hot: 20, Unchecked: 50,
		},
		{
			Name: "adversarial", Append: 10, MinFiles: 1, MaxFiles: 3, Several: 15, Remove: 15, Replace: 8, Compact: 12,
			Delete: 15, Refresh: 8, Where: 6, Restore: 5, Again: 10, Maintain: 20, Own: 50, Idle: 2, Expire: 8, Retain: 3, CleanUp: 4,
			Schema: 4, Branches: 10, Caps: 5, Specs: 4, RollBacks: 3, Policies: 3, Columns: 3, Victims: Victims{LooseOld: 1, LooseNew: 2, Leaf: 1, Masked: 4, Last: 6},
			OnBranch: 30, Hinted: 40, Creeping: 25, Hot: 30,
		},
	}
}

// ProfileByName returns a named profile.
func ProfileByName(name string) (Profile, error) {
	var names []string
	for _, p := range Profiles() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Profile{}, fmt.Errorf("there is no profile %q: want one of %s", name, strings.Join(names, ", "))
}

// weights are the programs with their weights, in order.
func (p Profile) weights() []int {
	return []int{
		p.Append, p.Several, p.Remove, p.Replace, p.Compact, p.Delete, p.Refresh, p.Where, p.Restore, p.Again, p.Maintain,
		p.Idle, p.Expire, p.CleanUp, p.Schema, p.Branches, p.Caps, p.Specs,
		p.RollBacks, p.Policies,
	}
}

// maxWeight bounds a weight, so that the sum of all can be counted.
const maxWeight = 1_000_000

// problems says what is wrong with a profile.
func (p Profile) problems() []error {
	var problems []error
	v := p.Victims
	for _, n := range append(p.weights(), v.LooseOld, v.LooseNew, v.Leaf, v.Masked, v.Last) {
		if n < 0 || n > maxWeight {
			problems = append(problems, fmt.Errorf("profile %q: a weight of %d: want 0 to %d", p.Name, n, maxWeight))
		}
	}
	for _, share := range []int{p.OnBranch, p.Hinted, p.Creeping, p.Hot, p.Unchecked, p.Own} {
		if share < 0 || share > 100 {
			problems = append(problems, fmt.Errorf("profile %q: a share of %d: want 0 to 100 percent", p.Name, share))
		}
	}
	if !slices.ContainsFunc(p.weights(), func(n int) bool { return n > 0 }) {
		problems = append(problems, fmt.Errorf("profile %q: no program has a weight", p.Name))
	}
	if p.Append+p.Several > 0 && (p.MinFiles < 1 || p.MaxFiles < p.MinFiles || p.MaxFiles > maxFiles) {
		problems = append(problems, fmt.Errorf("profile %q: %d to %d files: want 1 to %d, in order", p.Name, p.MinFiles, p.MaxFiles, maxFiles))
	}
	if p.Columns < 0 || p.Columns >= mostColumns || p.Spec < 0 || p.Spec >= int64(len(specs)) {
		problems = append(problems, fmt.Errorf("profile %q: %d columns and the spec %d: want 0 to %d and 0 to %d", p.Name, p.Columns, p.Spec, mostColumns-1, len(specs)-1))
	}
	if p.Measured < 0 {
		problems = append(problems, fmt.Errorf("profile %q: statistics of %d columns: want 0 or more", p.Name, p.Measured))
	}
	if p.Expire > 0 && p.Retain < 1 {
		problems = append(problems, errors.New("a profile that expires snapshots retains 1 or more"))
	}
	return problems
}
