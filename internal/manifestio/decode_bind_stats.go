package manifestio

import (
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/tree"
)

// boundStats is the statistics struct of one table column.
type boundStats struct {
	column  StatsColumn
	node    *fileNode
	bounds  []boundBound
	members []boundMember
	// marker is a leaf whose levels tell where the struct is null, for a struct without known members.
	marker *fileNode
}

// boundBound is a lower or upper bound: one leaf, or the corner of a bounding box with up to four.
type boundBound struct {
	id     int
	upper  bool
	form   valueForm
	node   *fileNode
	leaves [4]*fileNode // only the first unless the bound is a corner
}

// boundMember is a member of a statistics struct other than the bounds.
type boundMember struct {
	id   int
	leaf *fileNode
	set  statsSetter
}

// statsSetter stores one member of the statistics of a run of rows; slots says where in the slab those of
// each row are.
type statsSetter func(slab tree.Stats, slots []int32, v *vector)

// memberField describes a member of a statistics struct (rules 3.1).
type memberField struct {
	offset   int
	name     string
	physical format.Type
	set      statsSetter
}

var memberFields = []memberField{
	{offTight, "tight_bounds", format.Boolean, func(slab tree.Stats, slots []int32, v *vector) {
		for i := range v.n {
			if v.has(i) {
				slab[slots[i]].Tight = iceberg.Optional[bool]{Val: v.nums[i] != 0, Valid: true}
			}
		}
	}},
	{offValues, "value_count", format.Int64,
		setStat(func(s *tree.FieldStats) *iceberg.Optional[int64] { return &s.ValueCount })},
	{offNulls, "null_value_count", format.Int64,
		setStat(func(s *tree.FieldStats) *iceberg.Optional[int64] { return &s.NullCount })},
	{offNaNs, "nan_value_count", format.Int64,
		setStat(func(s *tree.FieldStats) *iceberg.Optional[int64] { return &s.NaNCount })},
	{offAvgSize, "avg_value_size_in_bytes", format.Int32,
		setStat(func(s *tree.FieldStats) *iceberg.Optional[int32] { return &s.AvgSizeBytes })},
}

// setStat stores an optional number.
func setStat[T int32 | int64](at func(*tree.FieldStats) *iceberg.Optional[T]) statsSetter {
	return func(slab tree.Stats, slots []int32, v *vector) {
		for i := range v.n {
			if v.has(i) {
				*at(&slab[slots[i]]) = iceberg.Optional[T]{Val: T(v.nums[i]), Valid: true}
			}
		}
	}
}

// bindStats resolves the statistics structs. A struct whose id is no base id is left alone, and so is a
// member with an unknown offset (rules 3.2).
func (b *binder) bindStats() error {
	n := b.root.child(idContentStats)
	if n == nil {
		return nil
	}
	if err := checkStruct(n, "content_stats"); err != nil {
		return err
	}
	for _, c := range n.children {
		id, ok := StatsColumnID(c.id)
		if !ok {
			continue
		}
		s, err := bindColumnStats(id, c)
		if err != nil {
			return err
		}
		b.out.stats = append(b.out.stats, s)
	}
	slices.SortFunc(b.out.stats, func(x, y boundStats) int { return x.column.FieldID - y.column.FieldID })
	return nil
}

// bindColumnStats resolves the members of one statistics struct.
func bindColumnStats(id int, n *fileNode) (boundStats, error) {
	s := boundStats{column: StatsColumn{FieldID: id, Name: n.name}, node: n, marker: firstFlatLeaf(n)}
	name := fmt.Sprintf("content_stats.%d", n.id)
	if err := checkStruct(n, name); err != nil {
		return s, err
	}
	if err := checkMembers(n, fmt.Sprintf("content_stats (%d).%d", idContentStats, n.id)); err != nil {
		return s, err
	}
	for _, c := range n.children {
		offset := c.id - n.id
		if offset <= 0 || offset >= statsStride {
			return s, kindf(ErrFieldIDs, "field %d stands in the statistics struct %d", c.id, n.id)
		}
		if offset == offLower || offset == offUpper {
			if err := s.bindBound(c, offset == offUpper); err != nil {
				return s, err
			}
			continue
		}
		i := slices.IndexFunc(memberFields, func(m memberField) bool { return m.offset == offset })
		if i < 0 {
			continue
		}
		m := memberFields[i]
		if !c.isLeaf() || c.repetition == tree.Repeated || c.physical != m.physical || c.annotation.name != "" {
			return s, kindf(ErrFieldIDs, "%s is %s, not %s", c.label(), c.describe(), m.physical)
		}
		s.members = append(s.members, boundMember{id: c.id, leaf: c, set: m.set})
	}
	return s, nil
}

// bindBound resolves a bound. One of a type that no column with bounds has today, like a variant's, is left
// alone: a bound may always be unknown (rules 3.2).
func (s *boundStats) bindBound(n *fileNode, upper bool) error {
	b := boundBound{id: n.id, upper: upper, node: n}
	if !n.isLeaf() {
		if n.annotation.name != "" || n.repetition == tree.Repeated {
			return nil
		}
		return s.bindCorner(n, b)
	}
	typ, form, ok := valueType(n)
	switch {
	case n.repetition == tree.Repeated:
		return kindf(ErrFieldIDs, "%s is %s", n.label(), n.describe())
	case !ok:
		return nil
	case s.column.Type != nil && !s.column.Type.Equals(typ):
		return kindf(ErrFieldIDs, "the bounds of content_stats.%d are %s and %s", s.node.id, s.column.Type, typ)
	}
	s.column.Type = typ
	b.form, b.leaves[0] = form, n
	s.bounds = append(s.bounds, b)
	return nil
}

// bindCorner resolves the bound of a geometry or geography column (rules 3.1, offsets 10 to 17). The file
// does not tell which of the two the column is.
func (s *boundStats) bindCorner(n *fileNode, b boundBound) error {
	first := s.node.id + offGeoLower
	if b.upper {
		first = s.node.id + offGeoUpper
	}
	if err := checkMembers(n, n.label()); err != nil {
		return err
	}
	for _, c := range n.children {
		i := c.id - first
		if i < 0 || i >= len(b.leaves) || c.physical != format.Double || !c.isLeaf() || c.repetition == tree.Repeated {
			return kindf(ErrFieldIDs, "field %d, %s, stands in %s", c.id, c.describe(), n.label())
		}
		b.leaves[i] = c
	}
	if b.leaves[0] == nil || b.leaves[1] == nil {
		return kindf(ErrFieldIDs, "%s has no x or no y", n.label())
	}
	b.form.kind = tree.KindGeo
	if s.column.Type == nil {
		s.column.Type = geoType
	}
	s.bounds = append(s.bounds, b)
	return nil
}

// firstFlatLeaf returns the first column of a struct that does not repeat, or nil.
func firstFlatLeaf(n *fileNode) *fileNode {
	if n.rep > 0 {
		return nil
	}
	if n.isLeaf() {
		return n
	}
	for _, c := range n.children {
		if leaf := firstFlatLeaf(c); leaf != nil {
			return leaf
		}
	}
	return nil
}
