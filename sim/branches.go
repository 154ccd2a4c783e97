package sim

import "slices"

// branchNames are the branches that a workload makes.
var branchNames = []string{"b1", "b2"}

func (g *Workload) branch() Op {
	op := Op{Verb: Branch, Name: branchNames[g.random.IntN(len(branchNames))]}
	if _, there := g.world.metadata.Ref(op.Name); there {
		op.Verb = DropBranch
		if g.percent(40) {
			op.Verb = MoveBranch
		}
	}
	return op
}

// branches are those that are there, besides main.
func (g *Workload) branches() []string {
	return slices.DeleteFunc(slices.Clone(branchNames), func(name string) bool {
		_, there := g.world.metadata.Ref(name)
		return !there
	})
}
