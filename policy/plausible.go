package policy

import (
	"slices"

	"github.com/firn-io/firn/policy/internal/bounded"
)

// Plausible returns an input whose numbers are within what tables have: none is below zero, none beyond the most. What a table says of
// itself may be anything. The caller's slices stay as they are.
func (in Input) Plausible() Input {
	for _, price := range []*int64{&in.Prices.LooseBytes, &in.Prices.PointerBytes, &in.Prices.ThinPointerBytes, &in.Prices.LeafEntryBytes} {
		*price = bounded.Within(*price, bounded.MostRowBytes)
	}
	in.Prices.RootFixedBytes = bounded.Within(in.Prices.RootFixedBytes, bounded.MostManifestBytes)
	in.Prices.LeafFixedBytes = bounded.Within(in.Prices.LeafFixedBytes, bounded.MostManifestBytes)
	for _, list := range []*[]Item{&in.Loose, &in.New, &in.Tombstones} {
		*list = plausibleItems(*list)
	}
	in.Pointers = plausiblePointers(in.Pointers)
	in.RootBytes, in.RootRows = bounded.Within(in.RootBytes, bounded.MostManifestBytes), bounded.Within(in.RootRows, bounded.MostEntries)
	return in
}

func plausibleItems(list []Item) []Item {
	for i := range list {
		if uint64(list[i].Count) > bounded.MostEntries { // below zero, too
			list = slices.Clone(list)
			for i := range list {
				list[i].Count = bounded.Within(list[i].Count, bounded.MostEntries)
			}
			break
		}
	}
	return list
}

func plausiblePointers(list []Pointer) []Pointer {
	for i := range list {
		p := &list[i]
		if uint64(p.LiveEntries)|uint64(p.Entries)|uint64(p.Changed) > bounded.MostEntries || uint64(p.DVBytes)|uint64(p.FileSizeBytes) > bounded.MostManifestBytes {
			list = slices.Clone(list)
			for i := range list {
				p := &list[i]
				p.LiveEntries, p.Entries = bounded.Within(p.LiveEntries, bounded.MostEntries), bounded.Within(p.Entries, bounded.MostEntries)
				p.Changed = bounded.Within(p.Changed, bounded.MostEntries)
				p.DVBytes, p.FileSizeBytes = bounded.Within(p.DVBytes, bounded.MostManifestBytes), bounded.Within(p.FileSizeBytes, bounded.MostManifestBytes)
			}
			break
		}
	}
	return list
}
