package invariants

import (
	"iter"
	"slices"
	"strconv"

	"github.com/apache/iceberg-go"
)

// Keys are the keys of a v4 manifest's Parquet metadata that the format knows, as a reader found them; null where a
// key is missing (rules 4.5).
type Keys struct {
	SchemaID, FormatVersion iceberg.Optional[string]
}

// CheckKeys checks the rules of scope keys on the file that place names; its row does not matter.
func CheckKeys(t Table, place Place, k Keys) iter.Seq[Violation] {
	return func(yield func(Violation) bool) {
		place.Row = -1
		c := check{sink: &sink{yield: yield}}
		in := &keysInput{table: t, keys: k}
		c.run(keysRules, place, func(f *checker, r reporter) {
			f.keys(in, r)
		})
	}
}

type keysInput struct {
	table Table
	keys  Keys
}

var keysInvariants = []Invariant{
	{
		ID: "K-SCHEMA-ID", Scope: ScopeKeys, Severity: Error, Firmness: Firm, Rule: "rules 4.5, 20.11",
		Statement: "The key schema-id of a manifest is the id of one of the table's schemas, as a decimal number.",
		Symptom:   "Readers cannot tell which types the statistics were written with.",
		Advice:    "Write the id of the schema behind the file's statistics; a reused leaf keeps its own.",
		check:     checker{keys: checkSchemaKey},
	},
	{
		ID: "K-FORMAT-VERSION", Scope: ScopeKeys, Severity: Error, Firmness: Firm, Rule: "rules 4.5, 20.11",
		Statement: "The key format-version of a manifest is 4.",
		Symptom:   "Readers refuse the file or read it as a manifest of another version.",
		Advice:    "Write the key as 4.",
		check:     checker{keys: checkVersionKey},
	},
}

func checkSchemaKey(in *keysInput, r reporter) {
	key := in.keys.SchemaID
	id, err := strconv.Atoi(key.Val)
	switch {
	case !key.Valid:
		r.report("schema-id", "a schema id", "no such key")
	case err != nil || strconv.Itoa(id) != key.Val:
		r.report("schema-id", "a decimal number", strconv.Quote(key.Val))
	case len(in.table.Schemas) > 0 && !slices.ContainsFunc(in.table.Schemas,
		func(s *iceberg.Schema) bool { return s.ID == id }):
		r.report("schema-id", "the id of a schema of the table", id)
	}
}

func checkVersionKey(in *keysInput, r reporter) {
	key := in.keys.FormatVersion
	switch {
	case !key.Valid:
		r.report("format-version", 4, "no such key")
	case key.Val != "4":
		r.report("format-version", 4, strconv.Quote(key.Val))
	}
}
