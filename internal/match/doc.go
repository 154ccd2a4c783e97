// Package match decides from an entry alone whether the rows behind it can match a filter: by what the partition
// tuple and the column statistics leave possible (rules 2.7, 3, 3.9).
//
// # What is known about a column
//
// Statistics and partition values are turned into the same thing: which kinds of values the rows may hold (nulls,
// NaNs, other values) and an interval around the other values. An identity partition gives an interval of one
// value, a day that of its instants, a bucket a test for single values. What several sources say is intersected,
// and everything that is missing, contradictory or of another type is unknown. So one evaluation serves data files
// and pointers, whose statistics cover all the live rows of a leaf (rules 3.8), with partition specs old and new.
//
// # What a filter means
//
// Engines disagree whether a null is unequal to a value, and whether -0.0 equals 0.0. The inclusive answer keeps
// whatever matches under any of these readings; the strict one claims only what holds under all of them. NaN
// compares with nothing, and is unequal to everything, as in Iceberg.
package match
