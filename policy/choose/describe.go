package choose

import (
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/simple"
)

// Description is what people should know of a policy before they choose it.
type Description struct {
	// Name is what the table property firn.policy says, and Summary one line on the rule.
	Name, Summary string
	// Does says what the policy does, and For which tables it is good.
	Does, For string
	// Settings are the table properties that the policy reads.
	Settings []Setting
}

// Setting is a table property that a policy reads.
type Setting struct {
	Property string
	// Unit is what the number counts: bytes, files, rows, leaves or percent.
	Unit    string
	Default int64
	// Least and Most are the range of the number.
	Least, Most int64
	// Meaning says what it is, in a few words.
	Meaning string
}

// setting describes a property, with the range that it may have.
func setting(property, unit string, otherwise int64, meaning string) Setting {
	r := ranges[property]
	return Setting{property, unit, otherwise, r.least, r.most, meaning}
}

// The settings that several policies have.
var (
	leafSize = func(bytes int64) Setting {
		return setting(PropertyLeafBytes, "bytes", bytes, "size of a full leaf")
	}
	leafRows = func(rows int64) Setting {
		return setting(PropertyLeafRows, "rows", rows, "most rows of a leaf that takes in more")
	}
	batch = func(files int64) Setting {
		return setting(PropertyBatch, "files", files, "loose files that are written into a leaf together")
	}
)

// Descriptions describes the policies that a table can choose by name, in the order of [Names].
func Descriptions() []Description {
	return []Description{{
		Name: "adaptive", Summary: "the cheapest plan if the table goes on growing as it does",
		Does: "In each commit it asks what the cheapest plan would do from here on, by what rows and leaves of this table cost and how many " +
			"files its commits add, and takes the first step of it. What is too much for a writer waits for a maintenance commit. The root " +
			"stays below its limit.",
		For: "every table, and best where maintenance comes now and then",
		Settings: []Setting{
			setting(PropertyRootBytes, "bytes", adaptive.DefaultRootBytes, "limit of the root"), leafSize(adaptive.DefaultLeafBytes),
			setting(PropertyForegroundBytes, "bytes", adaptive.DefaultForegroundBytes, "most bytes of old leaves that a commit of a writer writes again"),
			setting(PropertyReadDiscount, "bytes", adaptive.DefaultReadDiscount, "bytes that plans read for nothing, were they made at each commit, that count as one written"),
			setting(PropertyClusterLeaves, "leaves", adaptive.DefaultClusterLeaves, "leaves that are put into the order of their partitions together; below 4 is none"),
			setting(PropertyPartitionLeaves, "percent", adaptive.DefaultPartitionLeaves, "leaves that plans of one partition may open, for those of perfect order; below 100 is any number"),
			setting(PropertyRequestBytes, "bytes", adaptive.DefaultRequestBytes, "what it counts to write one more object; 1300000 is the price of a PUT of S3"),
		},
	}, {
		Name: "cap", Summary: "a root with too many rows spills leaves",
		Does: "While the root would have too many rows it writes full leaves of loose files, then the rest into a small one, then tombstones. " +
			"No leaf is ever written again.",
		For:      "comparison: every commit writes half a cap of rows on average",
		Settings: []Setting{setting(PropertyRows, "rows", simple.DefaultCapRows, "most rows of the root, and rows of a full leaf")},
	}, {
		Name: "leveled", Summary: "a batch of loose files goes into the smallest leaf that has room",
		Does:     "Once there are enough loose files they are written together with the smallest leaf that has room for them, so that all leaves but one are full.",
		For:      "comparison: the leaf that is not full is written again with every batch",
		Settings: []Setting{batch(simple.DefaultLeveledBatch), leafRows(simple.DefaultLeveledLeafRows)},
	}, {
		Name: "never", Summary: "everything stays in the root",
		Does: "The root has a row for every file, and every commit writes all of them.",
		For:  "tables of a few hundred files that stay so",
	}, {
		Name: "sqrt", Summary: "loose files become a leaf at twice the square root of all files",
		Does: "Once loose files are twice the square root of all files of the table, all of them become a leaf. No leaf is ever written again.",
		For:  "tables whose leaves should stay as they were written, so that readers keep them cached",
	}, {
		Name: "tiered", Summary: "a batch becomes a leaf, and leaves that fill a tier become one",
		Does: "Enough loose files become a leaf. Leaves have tiers by their live files; those that fill a tier become one leaf, from tier to tier " +
			"in one write. No leaf becomes larger than its limit.",
		For: "tables whose commits are alike and known: tuned to them it writes the least, and to others more than adaptive",
		Settings: []Setting{
			batch(simple.DefaultBatch), setting(PropertyRatio, "leaves", simple.DefaultRatio, "leaves that fill a tier"), leafRows(policy.MaxLeafRows),
		},
	}, {
		Name: "when-full", Summary: "a root beyond its budget is emptied into leaves",
		Does: "As long as the root is within its budget nothing moves. Beyond it all loose files go into leaves, and tombstones if that is not " +
			"enough. No leaf is ever written again.",
		For: "comparison, the rule of the first implementations: every commit writes half a budget on average",
		Settings: []Setting{
			setting(PropertyRootBytes, "bytes", simple.DefaultRootBytes, "budget of the root"), leafSize(simple.DefaultLeafBytes),
		},
	}}
}

// Describe returns the description of one policy.
func Describe(name string) (d Description, known bool) {
	for _, d := range Descriptions() {
		if d.Name == name {
			return d, true
		}
	}
	return Description{}, false
}
