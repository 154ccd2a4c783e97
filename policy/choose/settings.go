package choose

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/firn-io/firn/policy"
)

// allowed is the range of a setting.
type allowed struct{ least, most int64 }

// ranges are those of all settings, by table property.
var ranges = map[string]allowed{
	PropertyRootBytes:       {1, math.MaxInt64},
	PropertyLeafBytes:       {1, math.MaxInt64},
	PropertyForegroundBytes: {1, math.MaxInt64},
	PropertyReadDiscount:    {1, math.MaxInt64},
	PropertyClusterLeaves:   {1, 64},
	PropertyPartitionLeaves: {1, 10_000},
	PropertyRequestBytes:    {1, 1 << 40},
	PropertyRows:            {1, math.MaxInt64},
	PropertyBatch:           {1, math.MaxInt64},
	PropertyRatio:           {2, math.MaxInt64},
	PropertyLeafRows:        {1, policy.MaxLeafRows},
}

// Properties lists the table properties that mean something to policies: the one that chooses, and all settings.
func Properties() []string {
	return append([]string{PropertyPolicy}, slices.Sorted(maps.Keys(ranges))...)
}

// CheckProperties is for properties that are about to be set. It reports everything that is wrong with them, whichever policy they are
// for: an unknown policy, unknown properties with the prefix of settings, and settings out of range. Other properties are ignored (F36).
func CheckProperties(properties map[string]string) error {
	s := settings{properties: properties}
	if name := properties[PropertyPolicy]; name != "" && !slices.Contains(Names(), name) {
		s.problems = append(s.problems, unknownPolicy(name))
	}
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		if !strings.HasPrefix(key, policy.SummaryPrefix) {
			continue
		}
		if _, known := ranges[key]; !known {
			s.problems = append(s.problems, fmt.Errorf("policy: no table property %s, known are %s", quoted(key), strings.Join(Properties(), ", ")))
			continue
		}
		s.number(key)
	}
	return errors.Join(s.problems...)
}

// SettingsOf returns those of a table's properties that are for policies.
func SettingsOf(properties map[string]string) map[string]string {
	found := make(map[string]string)
	for key, value := range properties {
		if key == PropertyPolicy || strings.HasPrefix(key, policy.SummaryPrefix) {
			found[key] = value
		}
	}
	return found
}

func unknownPolicy(name string) error {
	return fmt.Errorf("policy: table property %s names %s, known are %s", PropertyPolicy, quoted(name), strings.Join(Names(), ", "))
}

// settings reads the settings of a policy.
type settings struct {
	properties map[string]string
	problems   []error
}

// number returns a setting, 0 if it is not set.
func (s *settings) number(key string) int64 {
	text, set := s.properties[key]
	if !set {
		return 0
	}
	r := ranges[key]
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < r.least || n > r.most {
		s.problems = append(s.problems,
			fmt.Errorf("policy: table property %s is %s, not a number from %d to %d", key, quoted(text), r.least, r.most))
		return 0
	}
	return n
}

// quoted quotes a text, cut if it is long.
func quoted(text string) string {
	const most = 100
	if len(text) > most {
		return strconv.Quote(text[:most]) + "…"
	}
	return strconv.Quote(text)
}
