package cases

// scenarios are the tree scenarios that are due.
var scenarios = []Case{
	{"S1", "Spilling under a row cap", []Part{
		{"Four and five appended files stay loose, twelve give one leaf of eight and four loose rows; old pointers are EXISTING.",
			[]string{scenario("s01"), "policy.TestCap"}},
	}},
	{"S2", "A large append", []Part{
		{"Thirty files become leaves of 8, 8, 8 and 6; no leaf exceeds the cap and nothing stays loose.",
			[]string{scenario("s02"), "policy.TestCap"}},
	}},
	{"S3", "Pointers alone reach the cap", []Part{
		{"Ten appends of one file each stay correct, and there are never more pointers than files.", []string{scenario("s03")}},
	}},
	{"S4", "The first append", []Part{
		{"Nine files into an empty table give one leaf and one loose row, 24 give three leaves.",
			[]string{scenario("s04"), "policy.TestCap"}},
	}},
	{"S5", "Every file deleted at once", []Part{
		{"Each pointer is DELETED with all its live positions as deleted ones; then the root has no rows and can be read and appended to.",
			[]string{scenario("s05")}},
	}},
	{"S6", "Files deleted in leaves", []Part{
		{"Masks add up, the delta bitmap holds what is new, and a leaf that is not touched is EXISTING without a bitmap.",
			[]string{scenario("s06")}},
		{"Bounds of a masked leaf stay and are no longer tight.", []string{scenario("s06")}},
	}},
	{"S7", "A masked leaf is carried", []Part{
		{"It is EXISTING, its delta bitmap is gone, its deletion vector keeps its bit.", []string{scenario("s07")}},
	}},
	{"S8", "Leaves are never rewritten", []Part{
		{"Through any carries and masks path, bytes, record count and counts of a leaf stay.", []string{scenario("s08")}},
	}},
	{"S9", "Status chains of a pointer", []Part{
		{"The named chains come out, and every chain of up to four steps; DELETED appears exactly once.",
			[]string{scenario("s09"), "internal/world.TestS9Chains"}},
	}},
	{"S10", "The life of a loose file", []Part{
		{"ADDED, EXISTING, a DELETED row with its full statistics, then nothing.", []string{scenario("s10")}},
	}},
	{"S18", "Added and deleted in one transaction", []Part{
		{"The file leaves no row, no tombstone and no bit.", []string{scenario("s18"), "commit.TestNetZero"}},
	}},
	{"S19", "Deleted, added again, deleted again", []Part{
		{"The old position is masked once, and the second delete is a DELETED row of the loose entry.", []string{scenario("s19")}},
	}},
	{"S20", "Replaced by a file of the same contents", []Part{
		{"The old file is masked and the new one ADDED; they are no REPLACED pair, whatever its data sequence number.",
			[]string{scenario("s20")}},
	}},
	{"S21", "An empty commit", []Part{
		{"Pointers are EXISTING without positions, tombstones are gone, the live set is as it was.",
			[]string{scenario("s21"), "internal/world.TestRandomHistories"}},
		{"It is later than its parent, whatever the clock says.", []string{scenario("s21"), "commit.TestClockJumpsBack"}},
	}},
	{"S26", "Deletes that cannot be", []Part{
		{"An unknown path, a position masked already and a file of a DELETED leaf are refused.",
			[]string{scenario("s26"), "commit.TestRefusals"}},
	}},
	{"S27", "A leaf that mixes live rows and tombstones", []Part{
		{"Readers find the right live set, and the next commit masks the tombstones in dv alone.", []string{scenario("s27")}},
	}},
	{"S28", "Inheritance", []Part{
		{"Row ids count the live rows without an id, masked ones too, and neither materialised nor dead ones.",
			[]string{scenario("s28"), "tree.TestRowIDs"}},
		{"A null id of a live EXISTING row is inherited and warned of; a missing sequence number of the pointer and ids beyond 64 bits are refused.",
			[]string{scenario("s28"), "tree.TestInheritRefuses"}},
	}},
	{"S29", "Malformed bitmaps of positions", []Part{
		{"A wrong cardinality, a position beyond the leaf and cut bytes are refused, never shortened.",
			[]string{scenario("s29"), "tree.TestLiveInRefuses"}},
	}},
	{"S30", "Names with blanks, escapes, plus signs and slashes", []Part{
		{"Masks hit the entry of exactly that name in exactly that leaf, and a name that nothing has is an error.",
			[]string{scenario("s30")}},
	}},
	{"S45", "Unknown columns", []Part{
		{"At top level, in tracking and in manifest_info, they survive carry, mask, tombstone and spill: primitives, a struct, a list.",
			[]string{scenario("s45"), "internal/manifestio.TestForeignFields"}},
	}},
}
