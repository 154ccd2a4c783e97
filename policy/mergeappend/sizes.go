package mergeappend

// Sizes are what the manifests and the manifest lists of a table take, in bytes. Both are lines: Avro writes row after row, so that
// little is shared between rows.
type Sizes struct {
	// ManifestBytes is a manifest without entries: its schemas, one of Avro and the table's own.
	ManifestBytes int64
	// EntryBytes is an entry of a file that the commit adds, and CarriedBytes what one takes more that a merge carries: its snapshot,
	// its sequence numbers and its first row id are no longer inherited.
	EntryBytes, CarriedBytes int64
	// ListBytes is a manifest list without rows, RowBytes one row of it, and MergedRowBytes what the row of a merged manifest takes more.
	ListBytes, RowBytes, MergedRowBytes int64
}

// What the writers of iceberg-go make of format version 3, with the columns of each entry in order, as other writers have them (its
// own data files have them in any order, which takes up to an eighth more). A test holds the sizes to it.
const (
	manifestBytes, manifestColumnTenths = 4150, 616
	entryTenths, entryColumnTenths      = 336, 224
	carriedBytes                        = 10
	listBytes, rowBytes, mergedRowBytes = 2260, 57, 5
)

// Estimate returns the sizes of a table with statistics for a number of columns: sizes, counts and both bounds of each.
func Estimate(columns int) Sizes {
	c := int64(max(0, columns))
	return Sizes{
		ManifestBytes: manifestBytes + (manifestColumnTenths*c+5)/10,
		EntryBytes:    (entryTenths + entryColumnTenths*c + 5) / 10, CarriedBytes: carriedBytes,
		ListBytes: listBytes, RowBytes: rowBytes, MergedRowBytes: mergedRowBytes,
	}
}

// Manifest returns the length of a manifest of so many added and carried files.
func (s Sizes) Manifest(added, carried int64) int64 {
	return s.ManifestBytes + s.EntryBytes*(added+carried) + s.CarriedBytes*carried
}

// List returns the length of a list of so many manifests, some of them merged.
func (s Sizes) List(manifests, merged int) int64 {
	return s.ListBytes + s.RowBytes*int64(manifests) + s.MergedRowBytes*int64(merged)
}
