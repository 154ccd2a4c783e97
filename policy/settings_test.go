package policy_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/policy"
)

// settings are the settings that each policy reads.
var settings = map[string][]string{
	"adaptive": {
		policy.PropertyRootBytes, policy.PropertyLeafBytes, policy.PropertyForegroundBytes, policy.PropertyReadDiscount, policy.PropertyClusterLeaves,
		policy.PropertyPartitionLeaves, policy.PropertyRequestBytes,
	},
	"cap":       {policy.PropertyRows},
	"leveled":   {policy.PropertyBatch, policy.PropertyLeafRows},
	"never":     nil,
	"sqrt":      nil,
	"tiered":    {policy.PropertyBatch, policy.PropertyRatio, policy.PropertyLeafRows},
	"when-full": {policy.PropertyRootBytes, policy.PropertyLeafBytes},
}

// outside are values that no setting takes.
var outside = []string{"", "0", "-1", "x", "1.5", "1e3", "0x10", " 7", "7 ", "９", "9223372036854775808", "-9223372036854775809", strings.Repeat("9", 4000)}

// TestSettingsOutOfRange: each setting of each policy is refused outside of its range, all of them in one error that names property, value
// and range; a setting that the chosen policy does not read stops no commit, and is refused where it is set.
func TestSettingsOutOfRange(t *testing.T) {
	var names []string
	for _, name := range policy.Names() {
		names = append(names, settings[name]...)
		for _, value := range outside {
			properties := map[string]string{policy.PropertyPolicy: name}
			for _, key := range policy.Properties()[1:] {
				properties[key] = value
			}
			_, err := policy.ForTable(properties)
			refusedSettings(t, err, name, value, settings[name])
			refusedSettings(t, policy.CheckProperties(properties), name, value, policy.Properties()[1:])
		}
	}
	for _, key := range policy.Properties()[1:] {
		if !strings.Contains(strings.Join(names, " ")+" ", key+" ") {
			t.Errorf("no policy reads %s", key)
		}
	}
}

// refusedSettings checks that an error names all these properties and no others.
func refusedSettings(t *testing.T, err error, name, value string, keys []string) {
	t.Helper()
	if err == nil {
		if len(keys) > 0 {
			t.Errorf("%s takes %q", name, value)
		}
		return
	}
	text := err.Error()
	for _, key := range policy.Properties()[1:] {
		said := strings.TrimSuffix(fmt.Sprintf("property %s is %q", key, value[:min(len(value), 100)]), `"`)
		named, wanted := strings.Contains(text, said), slices.Contains(keys, key)
		if named != wanted {
			t.Errorf("%s, %s=%.30q: named %t, want %t: %.500s", name, key, value, named, wanted, text)
		}
	}
	if strings.Count(text, ", not a number from ") != len(keys) || len(text) > 220*len(keys) {
		t.Errorf("%s, %.30q: %.500s", name, value, text)
	}
}

// TestSettingsInRange: the ends of each range are taken, and what they mean is what the policy gets.
func TestSettingsInRange(t *testing.T) {
	for _, c := range []struct {
		properties map[string]string
		want       policy.Policy
	}{
		{map[string]string{"firn.policy": "tiered", "firn.policy.batch": "1", "firn.policy.ratio": "2", "firn.policy.leaf-rows": "1"},
			policy.Tiered{Batch: 1, Ratio: 2, LeafRows: 1}},
		{map[string]string{"firn.policy": "tiered", "firn.policy.batch": "1000000000", "firn.policy.ratio": "9223372036854775807", "firn.policy.leaf-rows": "2097152"},
			policy.Tiered{Batch: 1e9, Ratio: math.MaxInt64, LeafRows: policy.MaxLeafRows}},
		{map[string]string{"firn.policy": "adaptive", "firn.policy.root-bytes": "1", "firn.policy.leaf-bytes": "1099511627776", "firn.policy.foreground-bytes": "+5"},
			policy.Adaptive{RootBytes: 1, LeafBytes: 1 << 40, ForegroundBytes: 5}},
		{map[string]string{"firn.policy": "never", "firn.policy.rows": "0", "firn.policy.of-tomorrow": "x"}, policy.Never{}},
		{map[string]string{"firn.policy": "", "firn.policy.root-bytes": "9"}, policy.Adaptive{RootBytes: 9}},
	} {
		got, err := policy.ForTable(c.properties)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%v: %v, %s", c.properties, err, diff)
		}
	}
}

// TestCheckProperties: all problems stand in one error, in order, and what is no setting of a policy is none.
func TestCheckProperties(t *testing.T) {
	for _, c := range []struct {
		properties map[string]string
		want       []string
	}{
		{nil, nil},
		{map[string]string{"owner": "me", "firn": "x", "firn.policyx": "y", "firn.polcy": "z", "write.policy": "w"}, nil},
		{map[string]string{"firn.policy": "", "firn.policy.rows": "7"}, nil},
		{map[string]string{"firn.policy.cluster-leaves": "65"}, []string{`policy: table property firn.policy.cluster-leaves is "65", not a number from 1 to 64`}},
		{map[string]string{"firn.policy": "best\n", "firn.policy.row": "7", "firn.policy.": "", "firn.policy.ratio": "1", "firn.policy.rows": "7"}, []string{
			`policy: table property firn.policy names "best\n", known are adaptive, cap, leveled, never, sqrt, tiered, when-full`,
			`policy: no table property "firn.policy.", known are ` + strings.Join(policy.Properties(), ", "),
			`policy: table property firn.policy.ratio is "1", not a number from 2 to 9223372036854775807`,
			`policy: no table property "firn.policy.row", known are ` + strings.Join(policy.Properties(), ", "),
		}},
	} {
		got := ""
		if err := policy.CheckProperties(c.properties); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(strings.Join(c.want, "\n"), got); diff != "" {
			t.Errorf("%v: (-want +got)\n%s", c.properties, diff)
		}
	}
}

// TestSettingsOf: a copy of what is a policy's.
func TestSettingsOf(t *testing.T) {
	all := map[string]string{"firn.policy": "cap", "firn.policy.rows": "7", "firn.policyx": "y", "owner": "me"}
	got := policy.SettingsOf(all)
	if diff := cmp.Diff(map[string]string{"firn.policy": "cap", "firn.policy.rows": "7"}, got); diff != "" {
		t.Error(diff)
	}
	delete(got, "firn.policy")
	if len(all) != 4 {
		t.Error("the properties changed")
	}
}
