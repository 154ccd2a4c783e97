package cases

// bugs are the restated faults of other implementations that are due.
var bugs = []Case{
	{"B12", "Values that change with the next batch", []Part{
		{"Ten thousand entries read in batches, two files at a time, are as they were written: locations, bounds, boxes, key metadata.",
			[]string{"internal/manifestio.TestValuesStayTheirOwn"}},
		{"Entries without statistics of a column have none, and not a neighbor's.", []string{"internal/manifestio.TestValuesStayTheirOwn"}},
		{"The file's own bounds of the locations are the true ones.", []string{"internal/manifestio.TestValuesStayTheirOwn"}},
		{"Bitmaps of positions come back equal.", []string{"internal/manifestio.TestBinaries"}},
	}},
	{"B19", "Optional bytes that are always null", []Part{
		{"Bitmaps and key metadata, a zero-length one too, are null only where they were written so, as another library reads them.",
			[]string{"internal/manifestio.TestBinaries", "internal/manifestio.TestEncodeBinaryNulls"}},
		{"A leaf of ten with two masked positions has eight live entries.", []string{scenario("b19")}},
		{"A header that counts 3, 1 or 0 positions for two bits is found, and nothing is committed on it.",
			[]string{scenario("b19"), "mdv.TestB19HeaderCardinality", "invariants.TestBrokenCases"}},
	}},
	{"B31", "Paths taken for URLs", []Part{
		{"Joining adds one slash and changes nothing else; a slash at the end of the table's location stays.",
			[]string{"tree.TestResolve", "invariants.TestResolve", scenario("b31")}},
		{"What is not below the table, and what would read as absolute, is stored whole.", []string{"tree.TestRelativize", scenario("b31")}},
		{"Two dots are kept, and the checker warns.", []string{scenario("b31"), "invariants.TestBrokenCases"}},
		{"A legacy path without a scheme gets one and is never joined.", []string{"tree.TestFromLegacy"}},
	}},
	{"B32", "Truncated bounds", []Part{
		{"Bounds of strings and bytes are cut between characters, upper ones raised; a cut one is not tight.",
			[]string{"tree.TestTruncate", "internal/datafile.TestTruncatedBounds"}},
		{"The pointer's upper bound is null where one file's is unknown, its lower bound the least.",
			[]string{scenario("b32"), "tree.TestAggregate"}},
	}},
	{"B36", "The order of bounds", []Part{
		{"UUIDs are compared as unsigned bytes, and -0.0 is below 0.0.",
			[]string{"tree.TestAggregateOrdersBounds", "invariants.TestBoundCases", scenario("b36")}},
		{"NaN is no bound, and the pointer claims none that one of its files lacks.", []string{scenario("b36")}},
		{"Bounds made from a file leave NaN out; how many there are is unknown there.", []string{"internal/datafile.TestFloats"}},
		{"Plans by uuid, number and NaN keep every file that has a match.", []string{"internal/match.TestUUIDAndFloatPlans"}},
		{"A NaN bound is refused on write and found by the checker.", []string{scenario("b36"), "invariants.TestBoundCases"}},
	}},
	{"B44", "The bitmap's edges", []Part{
		{"Sizes at which containers change their form encode byte by byte as they should, up to every position there is.",
			[]string{"mdv.TestB44EdgeSizes"}},
		{"One position more is an error.", []string{"mdv.TestB44Limit"}},
		{"Both encodings of position 256 and dense containers with few bits are accepted.", []string{"mdv.TestParseAcceptsAndCanonicalizes"}},
		{"Wrong cardinality, too many containers, unsorted and trailing bytes are refused, and every cut.",
			[]string{"mdv.TestParseRefuses", "mdv.TestParseRefusesEveryCut"}},
		{"A position beyond the leaf is found by readers and by the checker.", []string{scenario("s29"), "invariants.TestBrokenCases"}},
	}},
	{"B46", "Nanoseconds", []Part{
		{"Instants before 1970 and between microseconds fall into the hour, day, month, year and bucket of their microsecond.",
			[]string{"internal/datafile.TestTimestampPartitions"}},
		{"Bounds in nanoseconds stay so and have the nanosecond type.",
			[]string{"internal/world.TestNanosecondBounds", "internal/manifestio.TestEncodeValues"}},
		{"The checker refuses mixed units.", []string{"invariants.TestBoundCases"}},
	}},
	{"B51", "Columns by id, not by name or shape", []Part{
		{"Reordered, renamed and missing optional columns are read rightly.", []string{"internal/manifestio.TestOddColumns"}},
		{"Statistics of a column that the table does not have are read, and dropped when the row is written again.",
			[]string{"internal/world.TestStatsOfAnotherSchema"}},
		{"A list is read rightly next to a nested column that is missing.", []string{"internal/world.TestListBesideMissingColumns"}},
		{"Missing, doubled and swapped ids are refused.", []string{"internal/manifestio.TestRefusedColumns"}},
		{"No group is written without fields; unknown columns have no statistics.", []string{"internal/manifestio.TestEncodeWithoutStructs"}},
		{"Every nested field that is written has its id.", []string{"internal/manifestio.TestEncodeIDs"}},
	}},
}
