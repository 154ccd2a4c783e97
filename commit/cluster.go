package commit

import (
	"cmp"
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// cluster is the order in which the files of a table stand in leaves that are cut: by a partition field that keeps the order of its
// source column, and within a partition by that column. The zero cluster has none.
type cluster struct{ field, source int }

// clusterOf returns the order of a partition spec: that of its first field with such a transform.
func clusterOf(spec iceberg.PartitionSpec) cluster {
	for _, f := range spec.Fields() {
		if f.Transform.PreservesOrder() {
			return cluster{f.FieldID, f.SourceID()}
		}
	}
	return cluster{}
}

// rankBounds tells of each pointer where its lowest and highest partition stand in the order of all such bounds. Those of the source
// column will do: its order is that of the partitions.
func (p *placement) rankBounds() {
	lower, upper := make([]tree.Value, len(p.pointers)), make([]tree.Value, len(p.pointers))
	var all []tree.Value
	for i, row := range p.pointers {
		bounds, known := p.base.Tree.Rows[row].Stats.Field(p.cluster.source)
		if known && !bounds.Lower.IsNull() && !bounds.Upper.IsNull() {
			lower[i], upper[i] = bounds.Lower, bounds.Upper
			all = append(all, bounds.Lower, bounds.Upper)
		}
	}
	slices.SortFunc(all, tree.Compare)
	all = slices.CompactFunc(all, func(a, b tree.Value) bool { return tree.Compare(a, b) == 0 })
	rank := func(v tree.Value) int64 {
		at, _ := slices.BinarySearchFunc(all, v, tree.Compare)
		return int64(at) + 1
	}
	for i := range p.pointers {
		if !lower[i].IsNull() {
			p.input.Pointers[i].First, p.input.Pointers[i].Last = rank(lower[i]), rank(upper[i])
		}
	}
}

// cut spreads the rows of a step over so many leaves: by the order of their partitions, as evenly as can be. In each leaf the rows stand
// in the order of the members.
func (p *placement) cut(members []member, leaves int) [][]member {
	if leaves <= 1 {
		return [][]member{members}
	}
	type place struct{ member, row int }
	var places []place
	for i, m := range members {
		for row := range m.rows {
			places = append(places, place{i, row})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int {
		return p.cluster.byPartition(&members[a.member].rows[a.row], &members[b.member].rows[b.row])
	})
	parts := make([][]member, 0, leaves)
	for part := range leaves {
		own := places[part*len(places)/leaves : (part+1)*len(places)/leaves]
		slices.SortFunc(own, func(a, b place) int { return cmp.Or(a.member-b.member, a.row-b.row) })
		var some []member
		last := -1
		for _, at := range own {
			m := members[at.member]
			if at.member != last {
				some, last = append(some, member{key: m.key, leaf: m.leaf}), at.member
			}
			to := &some[len(some)-1]
			to.rows = append(to.rows, m.rows[at.row])
			if m.leaf != "" {
				to.positions = append(to.positions, m.positions[at.row])
			}
		}
		parts = append(parts, some)
	}
	return parts
}

// byPartition orders rows by the field by which the table is clustered, those of other partition specs first, then by their whole
// partition, then by the lower bounds of its source column.
func (c cluster) byPartition(a, b *tree.Entry) int {
	lower := func(e *tree.Entry) tree.Value {
		bounds, _ := e.Stats.Field(c.source)
		return bounds.Lower
	}
	return cmp.Or(
		tree.Compare(a.Partition.Value(c.field), b.Partition.Value(c.field)),
		cmp.Compare(a.SpecID.Val, b.SpecID.Val),
		slices.CompareFunc(a.Partition, b.Partition, func(a, b tree.PartitionValue) int {
			return cmp.Or(cmp.Compare(a.FieldID, b.FieldID), tree.Compare(a.Value, b.Value))
		}),
		tree.Compare(lower(a), lower(b)),
	)
}
