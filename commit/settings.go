package commit

import (
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy/choose"
)

// checkSettings refuses what is wrong with the settings of policies that a change of the metadata brings in. Those that were there
// before are another writer's, and stay (F36).
func checkSettings(before, after metadata.Table) error {
	settings := choose.SettingsOf(after.Properties)
	for key, value := range settings {
		if old, set := before.Properties[key]; set && old == value {
			delete(settings, key)
		}
	}
	err := choose.CheckProperties(settings)
	if _, chosen := settings[choose.PropertyPolicy]; chosen && err == nil {
		_, err = choose.ForTable(after.Properties) // which may read settings that were there before
	}
	if err != nil {
		return &RefusedError{Reasons: []string{err.Error()}, Err: err}
	}
	return nil
}
