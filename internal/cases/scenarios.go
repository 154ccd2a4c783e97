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
	{"S11", "Rows deleted in a leaf's file", []Part{
		{"The position is masked as a replaced one and the file is MODIFIED in the root, live once; the next commit carries both as EXISTING and tells nothing.",
			[]string{scenario("s11"), "commit.TestExtendDV"}},
	}},
	{"S12", "Rows deleted in a loose file", []Part{
		{"The root has the old state REPLACED and the new one MODIFIED; after the next commit only the new one, EXISTING.",
			[]string{scenario("s12")}},
	}},
	{"S13", "A removal and a new deletion vector in one leaf", []Part{
		{"The delta bitmaps are disjoint, the mask has both positions, and only the changed file has a row.", []string{scenario("s13")}},
	}},
	{"S14", "Deletion vectors one after the other", []Part{
		{"ADDED, EXISTING, then REPLACED and MODIFIED each time; the file is never live twice.", []string{scenario("s14")}},
	}},
	{"S15", "A full root with rows of every status", []Part{
		{"All live rows go to one leaf, which counts 1 added, 2 existing and 6 modified files with their physical rows; the tombstones stay in the root.",
			[]string{scenario("s15")}},
		{"The leaf that lost a file is MODIFIED with one bit more, the other one EXISTING.", []string{scenario("s15")}},
		{"Under any policy counts sum up and no leaf mixes live rows and tombstones.",
			[]string{"internal/world.TestRandomHistories", "internal/world.TestRandomRaces"}},
	}},
	{"S16", "All loose files deleted and many added", []Part{
		{"Live leaves of 10, 10 and 1 and a leaf of seven tombstones, all ADDED; the root has pointers alone.", []string{scenario("s16")}},
		{"The next commit drops the leaf of tombstones without a row.", []string{scenario("s16")}},
	}},
	{"S17", "Loose files deleted and replaced", []Part{
		{"The leaf of tombstones counts 3 deleted files of 30 rows and 4 replaced ones of 50; the live leaves have 10, 10 and 5 files.",
			[]string{scenario("s17")}},
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
	{"S22", "A live location added again", []Part{
		{"As a change of data it is refused, and leaves nothing behind.", []string{scenario("s22"), "commit.TestRefusals"}},
		{"As new statistics it gives one EXISTING row, with the old slot masked once.", []string{scenario("s22"), "commit.TestRefresh"}},
	}},
	{"S23", "Statistics refreshed twice", []Part{
		{"In a leaf and loose, without a hint and by a stale one: both EXISTING in the root, one bit, the live set as it was.",
			[]string{scenario("s23")}},
	}},
	{"S24", "An older snapshot restored", []Part{
		{"The live set is that of the snapshot; restored files have new rows, the old slot stays masked, what was added since is DELETED.",
			[]string{scenario("s24"), "commit.TestRestore"}},
		{"Deletes of rows are undone, and data sequence numbers and row ids kept.", []string{scenario("s24")}},
	}},
	{"S25", "Files of every residence come and go", []Part{
		{"Six commits one by one and the same changes as one transaction lead to the same 39 live files.",
			[]string{scenario("s25"), "internal/world.TestSquash"}},
		{"In the one transaction nothing shows of files that came and went.", []string{scenario("s25")}},
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
	{"S31", "A fold", []Part{
		{"The new leaf has the live rows alone, EXISTING with their sequence numbers and row ids; the old pointer goes without a row, other leaves are EXISTING.",
			[]string{scenario("s31"), "commit.TestFoldAndMerge"}},
		{"The live set is as it was, and the change feed tells nothing.", []string{scenario("s31")}},
	}},
	{"S32", "A leaf that another engine masked in full", []Part{
		{"Our next commit drops it without a row, at once or after it was carried.", []string{scenario("s32")}},
		{"It takes no new bits: a change of one of its files is refused, and a conflict in a race.", []string{scenario("s32")}},
	}},
	{"S33", "A full rewrite", []Part{
		{"It gives one leaf, and later commits remove, change and add files on it.", []string{scenario("s33")}},
	}},
	{"S34", "Two appends race", []Part{
		{"The leaf is used again by name and byte for byte, the root built on the winner's; numbers and row ids follow the winner's without overlap.",
			[]string{scenario("s34"), "commit.TestRetryReusesLeaves", "commit.TestRetryComputesAgain"}},
	}},
	{"S35", "A file in a leaf that the winner folded", []Part{
		{"It is found again, with a hint and without: exactly that file is masked in the new leaf.", []string{scenario("s35")}},
	}},
	{"S36", "A loose file that the winner pushed into a leaf", []Part{
		{"It is masked there and has no DELETED row.", []string{scenario("s36"), "commit.TestTargetMoved"}},
	}},
	{"S37", "Two changes of one file", []Part{
		{"Both remove it, both delete rows, or one rewrites what the other one changed: the second one fails, and no deleted row comes back.",
			[]string{scenario("s37"), "commit.TestConflicts"}},
		{"Deletes of rows go together where the second writer asks for it, and both are kept.", []string{scenario("s37"), scenario("b21")}},
		{"With a filter the isolation level decides.", []string{"commit.TestFilterRaced"}},
	}},
	{"S38", "A fold against other changes", []Part{
		{"A removal in the same leaf is masked in the new one, in dv alone; after one elsewhere, or an append, the leaf is used as it is.",
			[]string{scenario("s38")}},
	}},
	{"S39", "Two folds of one leaf", []Part{
		{"The second one, or one after a full rewrite, succeeds without a snapshot; what it wrote is removed, and listed where it cannot be.",
			[]string{scenario("s39")}},
	}},
	{"S40", "One, two and many winners", []Part{
		{"Each attempt starts on the newest state and writes a root; the leaf is written once.",
			[]string{scenario("s40"), "commit.TestRetriesStartOnTheNewestState"}},
	}},
	{"S41", "A commit whose outcome is not known", []Part{
		{"One that landed is found by a look at the table and not made twice.", []string{scenario("s41"), "commit.TestSwapOutcomes"}},
		{"Where the look fails nothing is removed, and a token asks later.", []string{scenario("s41"), "commit.TestUnknown"}},
		{"Landed and then expired, rolled back, its branch moved or dropped: committed.", []string{scenario("s41")}},
		{"Landing late after the look: committed, or not where somebody was faster.", []string{scenario("s41")}},
		{"The base trimmed from the log: committed where the snapshot is listed, else unknown.", []string{scenario("s41")}},
	}},
	{"S42", "Crashes", []Part{
		{"After the Puffin file, the leaves, the root or the metadata file the table is as it was, and exactly what was written is left over.",
			[]string{scenario("s42"), "internal/crash.TestCrash"}},
		{"A retry uses no object that was half written.", []string{scenario("s42")}},
	}},
	{"S44", "Expiry after folds", []Part{
		{"A leaf of five roots stays as long as one of them, and a masked data file as long as an older root shows it; the rest goes.",
			[]string{"maintain.TestS44", "maintain.TestHistories"}},
	}},
	{"S45", "Unknown columns", []Part{
		{"At top level, in tracking and in manifest_info, they survive carry, mask, tombstone and spill: primitives, a struct, a list.",
			[]string{scenario("s45"), "internal/manifestio.TestForeignFields"}},
	}},
}
