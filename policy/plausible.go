package policy

import "slices"

// What policies take for the most that a number of an input can be, so that no sum or product of them leaves 64 bits: entries of an item or
// a leaf, bytes of a row, and bytes of a manifest.
const (
	mostEntries       = 1<<32 - 1
	mostRowBytes      = 1<<20 - 1
	mostManifestBytes = 1<<44 - 1
)

// plausible returns an input whose numbers are within what tables have: none is below zero, none beyond the most. What a table says of
// itself may be anything. The caller's slices stay as they are.
func plausible(in Input) Input {
	for _, price := range []*int64{&in.Prices.LooseBytes, &in.Prices.PointerBytes, &in.Prices.ThinPointerBytes, &in.Prices.LeafEntryBytes} {
		*price = within(*price, mostRowBytes)
	}
	in.Prices.RootFixedBytes = within(in.Prices.RootFixedBytes, mostManifestBytes)
	in.Prices.LeafFixedBytes = within(in.Prices.LeafFixedBytes, mostManifestBytes)
	for _, list := range []*[]Item{&in.Loose, &in.New, &in.Tombstones} {
		*list = plausibleItems(*list)
	}
	in.Pointers = plausiblePointers(in.Pointers)
	in.RootBytes, in.RootRows = within(in.RootBytes, mostManifestBytes), within(in.RootRows, mostEntries)
	return in
}

func plausibleItems(list []Item) []Item {
	for i := range list {
		if uint64(list[i].Count) > mostEntries { // below zero, too
			list = slices.Clone(list)
			for i := range list {
				list[i].Count = within(list[i].Count, mostEntries)
			}
			break
		}
	}
	return list
}

func plausiblePointers(list []Pointer) []Pointer {
	for i := range list {
		p := &list[i]
		if uint64(p.LiveEntries)|uint64(p.Entries)|uint64(p.Changed) > mostEntries || uint64(p.DVBytes)|uint64(p.FileSizeBytes) > mostManifestBytes {
			list = slices.Clone(list)
			for i := range list {
				p := &list[i]
				p.LiveEntries, p.Entries = within(p.LiveEntries, mostEntries), within(p.Entries, mostEntries)
				p.Changed = within(p.Changed, mostEntries)
				p.DVBytes, p.FileSizeBytes = within(p.DVBytes, mostManifestBytes), within(p.FileSizeBytes, mostManifestBytes)
			}
			break
		}
	}
	return list
}

func within(n, most int64) int64 { return min(max(0, n), most) }
