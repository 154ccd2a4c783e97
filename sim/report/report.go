// Package report holds what a comparison of policies found, and writes it for people: as text, JSON, CSV, as one HTML page that needs no
// network, and as pictures for papers.
package report

// Comparison is what policies cost under workloads. It marshals to JSON and back without loss.
type Comparison struct {
	// Model says how it was counted: "counting", with numbers alone, "simulator", with its codec, or "parquet", with real manifests.
	Model string `json:"model"`
	// Columns are the table's columns with statistics.
	Columns int `json:"columns"`
	// Pace is how many commits of writers come before each chance of maintenance; 0 is never.
	Pace int64 `json:"pace"`
	// Seed decides which files are removed and which commits race.
	Seed uint64 `json:"seed"`
	// RootFixedBytes is what a root costs without rows: it is the same for every policy.
	RootFixedBytes int64 `json:"root_fixed_bytes"`
	// RequestBytes is how many bytes a request counts in [Result.Objective].
	RequestBytes int64      `json:"request_bytes"`
	Workloads    []Workload `json:"workloads"`
}

// Workload is what came of one workload.
type Workload struct {
	Name string `json:"name"`
	// About says in a sentence what the workload does.
	About string `json:"about"`
	// Bound is the lower bound at each of the points, nil where there is none: for workloads that remove files.
	Bound    []BoundPoint `json:"bound,omitempty"`
	Policies []Result     `json:"policies"`
}

// BoundPoint is the lower bound of a horizon.
type BoundPoint struct {
	Commits int64 `json:"commits"`
	Files   int64 `json:"files"`
	// CommitBytes is the mean of the bytes that a commit must write, roots whole.
	CommitBytes float64 `json:"commit_bytes"`
}

// Result is what one policy did with a workload.
type Result struct {
	Policy string `json:"policy"`
	// Settings are those that differ from the defaults, as properties of a table.
	Settings map[string]string `json:"settings,omitempty"`
	// Problem is set if the policy could not go on, and says why; the figures are then those up to there.
	Problem string `json:"problem,omitempty"`

	Commits     int64 `json:"commits"`
	Maintenance int64 `json:"maintenance_commits"`
	// Files are the live ones at the end, Leaves those of the last tree.
	Files  int64 `json:"files"`
	Leaves int64 `json:"leaves"`

	// CommitBytes are what commits of writers wrote, maintenance shared out among them in the mean alone. Roots count whole.
	CommitBytes Spread `json:"commit_bytes"`
	// MaintenanceBytes are what maintenance commits wrote.
	MaintenanceBytes Spread `json:"maintenance_bytes"`
	// RewrittenBytes are what commits of writers wrote of old leaves again.
	RewrittenBytes Spread `json:"rewritten_bytes"`
	RootBytes      Spread `json:"root_bytes"`
	// Objects is the mean number of objects that a commit wrote, its metadata file not counted.
	Objects float64 `json:"objects_per_commit"`
	// Objective is the mean of bytes and requests of a commit, in bytes.
	Objective float64 `json:"objective_bytes"`
	// RetainedBytes are those of all manifests that the last snapshots, as many as the window has, reach.
	RetainedBytes int64 `json:"retained_bytes"`
	Window        int64 `json:"retained_snapshots"`
	// RatioToBound is what was written beyond the fixed prices of roots, as a multiple of the bound; 0 where there is no bound.
	RatioToBound float64 `json:"ratio_to_bound,omitempty"`

	Everything   Scan `json:"plan_of_everything"`
	OnePartition Scan `json:"plan_of_one_partition"`
	Lookup       Scan `json:"lookup_of_one_file"`

	// Contention are the expected attempts for each commit, by how many other commits a second there are.
	Contention []Retries `json:"contention,omitempty"`

	// Exponents are the slopes in a doubly logarithmic plot over files, of the last half of the points.
	Exponents Exponents `json:"growth_exponents"`
	// Points are what the table was like on its way, at commits that grow by a factor.
	Points []Point `json:"points"`
	// Timeline are single commits of a stretch near the end, for the course of cost and root from commit to commit.
	Timeline []Moment `json:"timeline"`
}

// Spread is how a figure is spread over commits.
type Spread struct {
	Mean float64 `json:"mean"`
	P50  int64   `json:"p50"`
	P99  int64   `json:"p99"`
	Max  int64   `json:"max"`
}

// Scan is what it takes to plan a read: the root, and the leaves that it opens.
type Scan struct {
	LeavesOpened float64 `json:"leaves_opened"`
	BytesRead    float64 `json:"bytes_read"`
}

// Retries are the expected attempts of a commit beside others.
type Retries struct {
	CommitsPerSecond float64 `json:"commits_per_second"`
	Attempts         float64 `json:"attempts"`
}

// Exponents are growth exponents: 0 is none, 1 is growth with the table.
type Exponents struct {
	CommitBytes float64 `json:"commit_bytes"`
	RootBytes   float64 `json:"root_bytes"`
	Leaves      float64 `json:"leaves"`
	Retained    float64 `json:"retained_bytes"`
}

// Point is the table after so many commits.
type Point struct {
	Commits int64 `json:"commits"`
	Files   int64 `json:"files"`
	// CommitBytes is the mean from the first commit on, roots whole and maintenance counted.
	CommitBytes float64 `json:"commit_bytes"`
	RootBytes   int64   `json:"root_bytes"`
	Leaves      int64   `json:"leaves"`
	// ScanBytes are what a plan of everything reads.
	ScanBytes int64 `json:"scan_bytes"`
	// RetainedBytes are those of the manifests that the snapshots of the window reach.
	RetainedBytes int64 `json:"retained_bytes"`
}

// Moment is one commit.
type Moment struct {
	Commit    int64 `json:"commit"`
	Bytes     int64 `json:"bytes"`
	RootBytes int64 `json:"root_bytes"`
	// Pushed, Merged and Folded are the leaves that the commit wrote, by why.
	Pushed int `json:"pushed,omitempty"`
	Merged int `json:"merged,omitempty"`
	Folded int `json:"folded,omitempty"`
	// Maintenance says that no writer waited for it.
	Maintenance bool `json:"maintenance,omitempty"`
}
