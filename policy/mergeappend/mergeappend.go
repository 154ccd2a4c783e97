// Package mergeappend counts what appends write in format version 3, as a peer to hold the policies of version 4 against: a manifest
// of the files that a commit adds, and a list of all manifests.
//
// The rules are those of the table properties commit.manifest-merge.enabled, commit.manifest.min-count-to-merge and
// commit.manifest.target-size-bytes, as Iceberg's Java library and iceberg-go follow them. Neither writes a manifest list in parts, and
// neither plans ahead. The package is pure: a table of it is only numbers.
package mergeappend

// Name is what the policy of Java's library is called where policies are compared, and FastName the one that merges nothing.
const (
	Name     = "v3-merge-append"
	FastName = "v3-fast-append"
)

// Defaults of the table properties.
const (
	DefaultMinCount    = 100
	DefaultTargetBytes = 8 << 20
)

// Table is a table of version 3 that only grows. The zero Table lacks its sizes.
type Table struct {
	Sizes Sizes
	// Fast says that manifests are never merged.
	Fast bool
	// MinCount is how many manifests the newest bin needs to be merged; default [DefaultMinCount].
	MinCount int
	// TargetBytes is the size of a full bin; default [DefaultTargetBytes].
	TargetBytes int64
	// Files are all files of the table.
	Files int64

	// manifests are the table's, the oldest first.
	manifests []manifest
	// merged counts those of them that a merge has written.
	merged int
}

// manifest is an Avro manifest: the files that the commit which wrote it added, and those that it carried.
type manifest struct{ added, carried, bytes int64 }

// Cost is what a commit wrote. The table's metadata file, which every version writes, is not counted.
type Cost struct {
	// ListBytes are those of the manifest list, and ManifestBytes those of all manifests, the merged ones and the one that a merge takes
	// in at once too.
	ListBytes, ManifestBytes int64
	// Objects counts the list and the manifests.
	Objects int
	// Merged counts the manifests that became part of others.
	Merged int
}

// Bytes are those of the list and the manifests.
func (c Cost) Bytes() int64 { return c.ListBytes + c.ManifestBytes }

// Manifests counts the manifests of the table.
func (t *Table) Manifests() int { return len(t.manifests) }

// ManifestFiles returns the files of each manifest, the oldest first.
func (t *Table) ManifestFiles() []int64 {
	all := make([]int64, len(t.manifests))
	for i, m := range t.manifests {
		all[i] = m.added + m.carried
	}
	return all
}

// LiveBytes are those of the manifests of the table, without its list.
func (t *Table) LiveBytes() int64 {
	var n int64
	for _, m := range t.manifests {
		n += m.bytes
	}
	return n
}

// Listed counts the files that the manifests list: all of them, unless a merge lost some.
func (t *Table) Listed() int64 {
	var n int64
	for _, m := range t.manifests {
		n += m.added + m.carried
	}
	return n
}

// Append adds files in one commit. Nothing is written where there are none to add.
func (t *Table) Append(files int64) Cost {
	if files <= 0 {
		return Cost{}
	}
	t.Files += files
	fresh := manifest{added: files, bytes: t.Sizes.Manifest(files, 0)}
	t.manifests = append(t.manifests, fresh)
	cost := Cost{ManifestBytes: fresh.bytes, Objects: 2}
	if !t.Fast {
		t.merge(&cost)
	}
	cost.ListBytes = t.Sizes.List(len(t.manifests), t.merged)
	return cost
}

// merge packs the manifests into bins, the oldest first: a bin takes one after the other until the next does not fit. Each bin
// becomes one manifest, but the newest, in which the commit's own manifest is, only once it has enough of them.
func (t *Table) merge(cost *Cost) {
	least, target := t.MinCount, t.TargetBytes
	if least <= 0 {
		least = DefaultMinCount
	}
	if target <= 0 {
		target = DefaultTargetBytes
	}
	t.merged = 0
	kept := 0 // manifests that are packed already, in place
	for begin := 0; begin < len(t.manifests); {
		end, bytes := begin, int64(0)
		for end < len(t.manifests) && (end == begin || bytes+t.manifests[end].bytes <= target) {
			bytes += t.manifests[end].bytes
			end++
		}
		bin := t.manifests[begin:end]
		begin = end
		if len(bin) > 1 && (end < len(t.manifests) || len(bin) >= least) {
			one := t.mergedOf(bin, end == len(t.manifests))
			cost.ManifestBytes += one.bytes
			cost.Objects++
			cost.Merged += len(bin)
			bin = []manifest{one}
		}
		for _, m := range bin {
			if m.carried > 0 {
				t.merged++
			}
		}
		kept += copy(t.manifests[kept:], bin)
	}
	t.manifests = t.manifests[:kept]
}

// mergedOf returns the manifest of a bin. The last one of the newest bin is the commit's own.
func (t *Table) mergedOf(bin []manifest, newest bool) manifest {
	var all manifest
	for i, m := range bin {
		if newest && i == len(bin)-1 {
			all.added += m.added
		} else {
			all.carried += m.added
		}
		all.carried += m.carried
	}
	all.bytes = t.Sizes.Manifest(all.added, all.carried)
	return all
}
