package policy

import "fmt"

// Shape is what a root has in it.
type Shape struct {
	// Pointers are those to leaves, Loose the data files, and Tombstones the files that the commit removes or replaces.
	Pointers, Loose, Tombstones int64
	// Bytes is the estimated size of the root, with the bitmaps of the pointers.
	Bytes int64
}

// Shape estimates the root of a commit that takes these steps and thins these pointers, by the prices of the input. Without steps everything
// stays in the root.
func (in Input) Shape(steps []Step, thinned []int) (Shape, error) {
	in = in.Plausible()
	gone, thin := make(map[Ref]bool), make(map[int]bool)
	for _, step := range steps {
		for _, ref := range step.Members {
			if _, err := in.Item(ref); err != nil {
				return Shape{}, err
			}
			gone[ref] = true
		}
	}
	for _, i := range thinned {
		if i < 0 || i >= len(in.Pointers) {
			return Shape{}, fmt.Errorf("policy: no pointer %d in the input", i)
		}
		thin[i] = true
	}
	left := func(source Source, list []Item) (n int64) {
		for i, item := range list {
			if !gone[Ref{source, i}] {
				n += item.Count
			}
		}
		return n
	}
	leaves := Plan{Steps: steps}.Leaves()
	s := Shape{Pointers: leaves, Loose: left(FromLoose, in.Loose) + left(FromNew, in.New), Tombstones: left(FromTombstones, in.Tombstones)}
	s.Bytes = in.Prices.RootFixedBytes + leaves*in.Prices.PointerBytes + (s.Loose+s.Tombstones)*in.Prices.LooseBytes
	for i, p := range in.Pointers {
		if gone[Ref{FromPointers, i}] {
			s.Bytes += p.Changed * in.Prices.LooseBytes
			continue
		}
		s.Pointers++
		s.Bytes += in.Prices.Pointer(p.Thin || thin[i]) + p.DVBytes
	}
	return s, nil
}
