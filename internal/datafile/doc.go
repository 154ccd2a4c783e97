// Package datafile turns the Parquet files that a user hands over into what a manifest says about them: row
// count, split offsets, column statistics (rules 3) and the partition tuple (rules 2.7). It reads footers, and
// the pages of a column only where the footer does not settle a question.
//
// # What may be trusted
//
// A footer is taken at its word for counts and for bounds that it gives; whether a bound is also a value of the
// file is believed only where the footer says so (is_min_value_exact, is_max_value_exact). Two things a footer
// cannot tell are read from the pages: whether a float column is free of NaN, and the partition where the bounds
// are not exact or the transform keeps no order.
//
// # Bad input
//
// Footers and pages are decoded by parquet-go, after internal/parquetguard has checked what they claim: Parquet
// libraries size buffers by what a header says. What is allocated is bounded by a constant times the footer or the
// column chunk, and by [Limits]. Statistics are read by the guard, because parquet-go's types cannot say that a null
// count is missing or a bound exact. Every malformed file ends in a [FileError] that wraps [ErrCorrupt], also where
// it makes a decoder panic.
package datafile
