package commit

import (
	"cmp"
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/tree"
)

// cluster is the order in which the files of a table stand in leaves that are cut: by a partition field that keeps the order of its
// source column, and within a partition by that column. The zero cluster has none.
type cluster struct {
	field, source int
	transform     iceberg.Transform
}

// clusterOf returns the order of a partition spec: that of its first field with such a transform.
func clusterOf(spec iceberg.PartitionSpec) cluster {
	for _, f := range spec.Fields() {
		if f.Transform.PreservesOrder() {
			return cluster{f.FieldID, f.SourceID(), f.Transform}
		}
	}
	return cluster{}
}

// partition returns the value of the field by which the table is clustered.
func (c cluster) partition(e *tree.Entry) tree.Value { return e.Partition.Value(c.field) }

// partitions returns the lowest and the highest partition that a row may have, both null if they are not known: those of the bounds of
// the source column, unless the row says its own.
func (c cluster) partitions(e *tree.Entry) (lower, upper tree.Value) {
	if own := c.partition(e); !own.IsNull() {
		return own, own
	}
	bounds, _ := e.Stats.Field(c.source)
	lower, upper = c.of(bounds.Lower), c.of(bounds.Upper)
	if lower.IsNull() || upper.IsNull() || tree.Compare(lower, upper) > 0 { // numbers near the ends of their type wrap around
		return tree.Value{}, tree.Value{}
	}
	return lower, upper
}

// of returns the partition of a value of the source column.
func (c cluster) of(v tree.Value) tree.Value {
	literal, ok := v.Literal()
	if !ok {
		return tree.Value{}
	}
	result := c.transform.Apply(iceberg.Optional[iceberg.Literal]{Val: literal, Valid: true})
	if !result.Valid || result.Val == nil {
		return tree.Value{}
	}
	partition, err := tree.FromLiteral(result.Val)
	if err != nil {
		return tree.Value{}
	}
	return partition
}

// order is the order of partitions. It gives each a number from 1 on: periods of time theirs, from the first one on, and of others those
// that are bounds of leaves.
type order struct {
	bounds []tree.Value
	// periods says that partitions are periods of time, begin is the first one.
	periods bool
	begin   int64
}

func newOrder(c cluster, bounds []tree.Value) order {
	slices.SortFunc(bounds, tree.Compare)
	o := order{bounds: slices.CompactFunc(bounds, func(a, b tree.Value) bool { return tree.Compare(a, b) == 0 })}
	if _, o.periods = c.transform.(iceberg.TimeTransform); o.periods && len(bounds) > 0 {
		o.begin = bounds[0].Number()
	}
	return o
}

// around returns the numbers of the nearest partitions that have one: of the first that is not higher, 0 if there is none, and of the
// last that is not lower.
func (o order) around(lower, upper tree.Value) (first, last int64) {
	if o.periods {
		return max(0, lower.Number()-o.begin+1), max(1, upper.Number()-o.begin+1)
	}
	at, exact := slices.BinarySearchFunc(o.bounds, lower, tree.Compare)
	if first = int64(at); exact {
		first++
	}
	at, _ = slices.BinarySearchFunc(o.bounds, upper, tree.Compare)
	return first, int64(at) + 1
}

// rankPartitions tells of each pointer and of each item where its partitions stand.
func (p *placement) rankPartitions() {
	var bounds []tree.Value
	lower, upper := make([]tree.Value, len(p.pointers)), make([]tree.Value, len(p.pointers))
	for i, row := range p.pointers {
		if lower[i], upper[i] = p.cluster.partitions(&p.base.Tree.Rows[row]); !lower[i].IsNull() {
			bounds = append(bounds, lower[i], upper[i])
		}
	}
	o := newOrder(p.cluster, bounds)
	for i := range p.pointers {
		if !lower[i].IsNull() {
			p.input.Pointers[i].First, p.input.Pointers[i].Last = o.around(lower[i], upper[i])
		}
	}
	for _, list := range []struct {
		items []policy.Item
		rows  []row
	}{{p.input.Loose, p.loose}, {p.input.New, p.added}} {
		for i := range list.rows {
			if lower, upper := p.cluster.partitions(&list.rows[i].entry); !lower.IsNull() {
				list.items[i].First, list.items[i].Last = o.around(lower, upper)
			}
		}
	}
}

// cut spreads the rows of a step over so many leaves, by the order of their partitions, see [placement.cuts]. In each leaf the rows stand
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
	entry := func(at place) *tree.Entry { return &members[at.member].rows[at.row] }
	slices.SortStableFunc(places, func(a, b place) int { return p.cluster.byPartition(entry(a), entry(b)) })
	cuts := p.cuts(len(places), leaves, func(i int) bool {
		return tree.Compare(p.cluster.partition(entry(places[i-1])), p.cluster.partition(entry(places[i]))) != 0
	})
	parts := make([][]member, 0, leaves)
	for part := range leaves {
		own := places[cuts[part]:cuts[part+1]]
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

// cuts returns between which rows there is a cut: where it makes equal parts, or where a partition begins near there, so that a partition
// is in one leaf if it can. Nearer than one part in [policy.CutPart] of a leaf is near, and no leaf is beyond its limit.
func (p *placement) cuts(rows, leaves int, begins func(row int) bool) []int {
	limit := p.input.Limits.MostRows()
	cuts := []int{0}
	for part := 1; part < leaves; part++ {
		least, most := int(max(0, int64(rows)-int64(leaves-part)*limit)), int(min(int64(rows), int64(cuts[part-1])+limit))
		even := min(max(part*rows/leaves, least), most)
		at := even
		for away := range rows/leaves/policy.CutPart + 1 {
			if before := even - away; before >= least && before > 0 && begins(before) {
				at = before
				break
			}
			if after := even + away; after <= most && begins(after) {
				at = after
				break
			}
		}
		cuts = append(cuts, at)
	}
	return append(cuts, rows)
}

// byPartition orders rows by the field by which the table is clustered, those of other partition specs first, then by their whole
// partition, then by the lower bounds of its source column.
func (c cluster) byPartition(a, b *tree.Entry) int {
	lower := func(e *tree.Entry) tree.Value {
		bounds, _ := e.Stats.Field(c.source)
		return bounds.Lower
	}
	return cmp.Or(
		tree.Compare(c.partition(a), c.partition(b)),
		cmp.Compare(a.SpecID.Val, b.SpecID.Val),
		slices.CompareFunc(a.Partition, b.Partition, func(a, b tree.PartitionValue) int {
			return cmp.Or(cmp.Compare(a.FieldID, b.FieldID), tree.Compare(a.Value, b.Value))
		}),
		tree.Compare(lower(a), lower(b)),
	)
}
