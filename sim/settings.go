package sim

import (
	"maps"

	"github.com/firn-io/firn/policy/choose"
)

// smallSettings are those of policies in tables of some hundred files with some hundred bytes each in a manifest: each of them
// pushes, merges and waits within a hundred commits.
func smallSettings() map[string]string {
	return map[string]string{
		choose.PropertyRootBytes: "9000", choose.PropertyLeafBytes: "20000", choose.PropertyForegroundBytes: "3000",
		choose.PropertyRows: "12", choose.PropertyBatch: "6", choose.PropertyRatio: "3", choose.PropertyLeafRows: "60",
	}
}

// chosen are the properties of a table that chooses a policy: its name, and small settings where the table has none.
func chosen(name string, properties map[string]string) map[string]string {
	changed := smallSettings()
	maps.DeleteFunc(changed, func(key, _ string) bool { _, set := properties[key]; return set })
	changed[choose.PropertyPolicy] = name
	return changed
}
