// Package manifestio is the bytes of a v4 manifest: a Parquet file whose rows are entries of a metadata tree
// (rules 2 to 4). It writes and reads single files and knows neither other files nor whether one is a root or a
// leaf: what may stand where is the business of packages above.
//
// # Field ids
//
// Columns are told apart by field id and never by name (rules 3.2, 4.8). The ids of tracked_file are fixed;
// partition fields and statistics columns have ids that follow from the table, so that the row type is built
// anew for each manifest, see [Schema].
//
// # Writing
//
// [Encode] writes what the format needs and no more: columns without a value are left out, and codec and
// Parquet statistics are chosen column by column. It checks what a file needs to be readable.
//
// # Reading
//
// [Open] reads the footer, checks that what it claims can be true, and resolves its columns once:
//
//   - Reordered and renamed columns, other repetition types where no row is null, and columns that this version
//     does not know are fine; missing optional columns read as null.
//   - Unknown columns of the entry and of the structs tracking and manifest_info, and column_files, are carried
//     as [tree.ForeignField] (S45, rules 15.3); a non-null equality_ids is carried too (Q1). Elsewhere they are
//     passed over.
//   - Ids that are missing, doubled or out of place, and the numbering of August 2026, are refused by name (B51, Q3).
//
// [Reader.Rows] decodes batches of rows, one column after the other, and reads the pages of projected columns
// only. It takes from a page what the Parquet format says and checks it against the rest: lengths, counts of
// values and levels, checksums where there are some.
//
// # Hostile bytes
//
// A manifest may come from anybody. The footer, the page headers and what stands in front of run lengths and deltas
// are read by internal/parquetguard, which believes no length that the input does not pay for, because the decoders of
// Parquet libraries make room for whatever a list, a struct or a page claims to hold; its reader also tells field id
// 0, which tracking.status has, from none. Pages are decompressed into buffers of the size that their header says,
// within [DecodeOptions]. Values are decoded by parquet-go where it stays within its input. What still panics is
// caught and is an error of its own.
package manifestio
