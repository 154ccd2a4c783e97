package lint

// edges is the one place that says which package of the module may import which other: deny by default. The
// number is the package's layer; an arrow never points up or sideways. External test packages are free.
var edges = map[string]struct {
	layer   int
	imports []string
}{
	"internal/spantext":  {-1, nil},
	"mdv":                {0, []string{"internal/spantext"}},
	"store":              {0, nil},
	"internal/lint":      {0, nil},
	"internal/cases":     {0, nil},
	"internal/sysenv":    {0, nil},
	"internal/testparts": {0, nil},
	"internal/tamper":    {0, nil},
	"tree":               {1, []string{"mdv"}},
	"store/mem":          {1, []string{"store"}},
	"store/dir":          {1, []string{"store"}},
	"store/fault":        {1, []string{"store"}},
	"store/mapped":       {1, []string{"store"}},
	"store/sqlcatalog":   {1, []string{"store"}},
	"store/s3":           {1, []string{"store"}},
	"store/storetest":    {1, []string{"store"}},

	"internal/parquetguard": {1, nil},
	"internal/s3test":       {2, []string{"store/s3"}},
	"internal/pgtest":       {1, []string{"internal/testparts"}},

	"metadata":            {2, nil},
	"dv":                  {2, []string{"internal/spantext", "store", "tree"}},
	"internal/manifestio": {2, []string{"tree", "internal/parquetguard"}},
	"internal/datafile":   {2, []string{"tree", "internal/parquetguard"}},
	"internal/match":      {2, []string{"tree"}},

	"leaf":              {3, []string{"internal/tamper", "mdv", "tree", "internal/manifestio"}},
	"rootmanifest":      {3, []string{"internal/tamper", "mdv", "tree", "internal/manifestio"}},
	"policy":            {1, []string{"policy/internal/bounded"}},
	"policy/bound":      {3, nil},
	"policy/count":      {4, []string{"policy", "policy/bound"}},
	"sim/report":        {0, nil},
	"policy/advise":     {5, []string{"mdv", "tree", "metadata", "policy", "policy/simple", "policy/count", "policy/mergeappend"}},
	"invariants":        {3, []string{"tree", "metadata", "internal/manifestio"}},
	"internal/treetext": {3, []string{"mdv", "tree"}},

	"policy/mergeappend": {3, nil},

	"policy/internal/bounded":    {0, nil},
	"policy/internal/draft":      {2, []string{"policy", "policy/internal/bounded"}},
	"policy/internal/outlook":    {0, nil},
	"policy/internal/policytest": {2, []string{"policy"}},
	"policy/simple":              {3, []string{"policy", "policy/internal/bounded", "policy/internal/draft"}},
	"policy/adaptive":            {3, []string{"policy", "policy/internal/bounded", "policy/internal/draft", "policy/internal/outlook"}},
	"policy/choose":              {4, []string{"policy", "policy/adaptive", "policy/simple"}},

	"internal/treeio": {4, []string{"store", "tree", "metadata", "internal/manifestio", "leaf", "rootmanifest"}},

	"commit": {5, []string{"internal/tamper", "mdv", "dv", "store", "internal/sysenv", "tree", "metadata", "internal/manifestio",
		"internal/match", "leaf", "rootmanifest", "policy", "policy/choose", "invariants", "internal/treeio"}},
	"internal/target": {5, []string{"store", "store/dir", "store/mapped", "store/s3", "store/sqlcatalog", "tree", "metadata",
		"internal/treeio"}},

	"oracle": {6, []string{"mdv", "dv", "store", "tree", "metadata", "internal/manifestio", "internal/datafile", "invariants",
		"internal/treeio", "internal/target"}},

	"maintain": {6, []string{"internal/tamper", "mdv", "dv", "store", "tree", "metadata", "internal/match", "policy", "invariants",
		"internal/treeio", "commit"}},

	"internal/world": {7, []string{"mdv", "dv", "internal/match", "store", "store/mem", "store/fault", "internal/sysenv", "tree", "metadata",
		"internal/manifestio", "policy", "policy/choose", "policy/simple", "invariants", "internal/treetext", "internal/treeio", "commit"}},

	"internal/testtable": {7, []string{"store", "store/mem", "store/fault", "tree", "metadata", "policy", "invariants",
		"internal/treeio", "commit"}},
	"sim": {8, []string{"mdv", "dv", "store", "store/mem", "store/fault", "tree", "metadata", "internal/manifestio", "policy", "policy/adaptive",
		"policy/choose", "invariants", "internal/treeio", "commit", "maintain"}},
	"internal/crash":   {8, nil},
	"internal/large":   {8, nil},
	"internal/kill":    {8, nil},
	"internal/soak":    {8, []string{"dv", "store", "tree", "metadata", "policy", "policy/choose", "commit", "maintain", "oracle"}},
	"internal/interop": {8, nil},
	"internal/attack":  {8, nil},
	"internal/mutate":  {8, nil},
	"internal/planted": {8, nil},

	"sim/compare": {9, []string{"dv", "store", "store/mem", "tree", "metadata", "internal/manifestio", "internal/match", "internal/treeio",
		"policy", "policy/adaptive", "policy/choose", "policy/simple", "policy/bound", "policy/count", "policy/mergeappend", "commit", "maintain", "sim", "sim/report"}},

	"internal/cli": {10, []string{"mdv", "dv", "store", "store/dir", "store/mapped", "store/sqlcatalog", "internal/sysenv",
		"tree", "metadata", "internal/manifestio", "internal/datafile", "internal/match", "policy", "policy/choose", "policy/simple", "policy/bound", "policy/count",
		"policy/advise", "policy/mergeappend", "invariants",
		"internal/treetext", "internal/treeio", "commit", "internal/target", "oracle", "maintain", "sim", "sim/compare", "sim/report"}},
	"cmd/firn": {11, []string{"internal/cli"}},

	"bench/internal/document": {0, nil},
	"bench/figures":           {1, []string{"bench/internal/document"}},
	"bench/models":            {10, []string{"bench/internal/document", "sim/compare", "sim/report"}},
	"bench/policies": {10, []string{"bench/internal/document", "sim/compare", "policy", "policy/adaptive", "policy/simple", "policy/bound", "policy/count",
		"policy/mergeappend"}},
}

// core lists the packages that are pure or must be deterministic, and so may neither start a goroutine nor ask
// for time, randomness or locks.
var core = []string{"mdv", "tree", "policy", "policy/internal/bounded", "policy/internal/draft", "policy/internal/outlook", "policy/simple", "policy/adaptive", "policy/choose", "policy/bound",
	"policy/mergeappend", "invariants", "rootmanifest", "leaf", "commit", "internal/treetext"}

// forbiddenInCore are packages, or symbols of packages, that the core must not use.
var forbiddenInCore = []symbol{
	{"sync", "", "state is immutable; parallelism is injected"},
	{"math/rand", "", "randomness is injected"},
	{"math/rand/v2", "", "randomness is injected"},
	{"time", "Now", "the clock is injected"},
	{"time", "Sleep", "waiting is injected"},
	{"time", "After", "waiting is injected"},
	{"time", "NewTimer", "waiting is injected"},
	{"context", "WithTimeout", "deadlines are injected"},
	{"context", "WithDeadline", "deadlines are injected"},
}

// forbiddenInInvariants keeps the checker independent of the writer.
var forbiddenInInvariants = []symbol{
	{module + "/tree", "Live", "the checker has its own live walk"},
	{module + "/tree", "LiveIn", "the checker has its own live walk"},
	{module + "/tree", "Inherit", "the checker has its own inheritance"},
	{module + "/tree", "Changes", "the checker has its own difference"},
	{module + "/internal/manifestio", "Encode", "the checker only reads"},
	{module + "/internal/manifestio", "NewSchema", "the checker only reads"},
}

// parquetLibraries may be imported by the packages that own Parquet alone.
var (
	parquetLibraries = []string{"github.com/parquet-go/parquet-go", "github.com/apache/arrow-go/v18/parquet"}
	parquetOwners    = []string{"internal/manifestio", "internal/datafile", "internal/parquetguard"}
)

// directDependencies are the modules that go.mod may require directly.
var directDependencies = []string{
	"github.com/RoaringBitmap/roaring/v2",
	"github.com/apache/arrow-go/v18",
	"github.com/apache/iceberg-go",
	"github.com/aws/aws-sdk-go-v2",
	"github.com/aws/aws-sdk-go-v2/config",
	"github.com/aws/aws-sdk-go-v2/service/s3",
	"github.com/aws/smithy-go",
	"github.com/cockroachdb/datadriven",
	"github.com/google/go-cmp",
	"github.com/google/uuid",
	"github.com/jackc/pgx/v5",
	"github.com/johannesboyne/gofakes3",
	"github.com/klauspost/compress",
	"github.com/parquet-go/parquet-go",
	"github.com/spf13/cobra",
	"github.com/tidwall/btree",
	"gonum.org/v1/plot",
	"modernc.org/sqlite",
	"pgregory.net/rapid",
}

// decoders maps each package that decodes bytes from outside to the fuzz target that it must have.
var decoders = map[string]string{
	"mdv":                   "FuzzParse",
	"metadata":              "FuzzParse",
	"dv":                    "FuzzParseBlob",
	"invariants":            "Fuzz",
	"internal/manifestio":   "FuzzDecode",
	"internal/datafile":     "FuzzInspect",
	"internal/parquetguard": "FuzzFooter",
	"internal/match":        "Fuzz",
	"internal/treetext":     "FuzzParse",
	"sim":                   "FuzzReadTrace",
	"sim/report":            "Fuzz",
}

// longFiles and longFuncs are exceptions from the limits, each with its reason. The lists may only shrink.
var (
	longFiles = map[string]string{}
	longFuncs = map[string]string{}
)

const (
	module       = "github.com/firn-io/firn"
	maxFuncLines = 70
	maxFileLines = 400
	maxLongLines = 600
)

type symbol struct{ pkg, name, why string }
