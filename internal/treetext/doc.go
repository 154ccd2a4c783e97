// Package treetext is the text form of a tree: it prints and parses, and serves scenario files, firn tree and failure
// messages. A row is a line:
//
//	tree snapshot=9 parent=8 seq=9 timestamp=5000 schema=0 first_row_id=100 added_rows=10 root=s3://b/t/r.parquet
//	loose ADDED data/a.parquet rows=10 dv=d.puffin@4+40#2 snapshot=9 modified=9 seq=9 file_seq=9 first_row_id=100
//	leaf MODIFIED m1.parquet live=2/4 dv={0-1} del={1} rep={0} snapshot=5 modified=9 seq=5 file_seq=5
//	  0 masked ADDED data/b.parquet rows=10
//	  1 masked ADDED data/c.parquet rows=10
//	  2 ADDED data/d.parquet rows=10 partition={1000:"eu",1001:date(20000)}
//	  3 ADDED data/e.parquet rows=10
//
// The first line is the snapshot's. A row of the root begins with its kind: loose is a data file, leaf a v4 manifest,
// legacy and deletes are v1 to v3 manifests of data and of delete files. The rows of a leaf are indented and begin with
// their position. Then come the status, the location and the fields; a field that is null, zero or the default is left
// out. live=2/4 are the rows that live and all rows of a manifest; dv, del and rep are its three bitmaps (rules 9.2).
// A location with spaces, quotes or brackets is quoted as Go quotes strings. Empty lines and lines that begin with # are
// skipped.
//
// [Parse] gives back what [Doc.Format] printed, for every tree whose statuses and content types are known ones. What is
// hidden is not printed, and reads as null. A row that masked marks, and the number of live rows where it can be known,
// must agree with the bitmaps.
package treetext
