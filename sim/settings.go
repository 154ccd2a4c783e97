package sim

import (
	"maps"

	"github.com/firn-io/firn/policy"
)

// smallSettings are those of policies in tables of some hundred files with some hundred bytes each in a manifest: each of them
// pushes, merges and waits within a hundred commits.
func smallSettings() map[string]string {
	return map[string]string{
		policy.PropertyRootBytes: "9000", policy.PropertyLeafBytes: "20000", policy.PropertyForegroundBytes: "3000",
		policy.PropertyRows: "12", policy.PropertyBatch: "6", policy.PropertyRatio: "3", policy.PropertyLeafRows: "60",
	}
}

// chosen are the properties of a table that chooses a policy: its name, and small settings where the table has none.
func chosen(name string, properties map[string]string) map[string]string {
	changed := smallSettings()
	maps.DeleteFunc(changed, func(key, _ string) bool { _, set := properties[key]; return set })
	changed[policy.PropertyPolicy] = name
	return changed
}
