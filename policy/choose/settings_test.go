package choose_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/policy/simple"
)

// settings are the settings that each policy reads.
var settings = map[string][]string{
	"adaptive": {
		choose.PropertyRootBytes, choose.PropertyLeafBytes, choose.PropertyForegroundBytes, choose.PropertyReadDiscount, choose.PropertyClusterLeaves,
		choose.PropertyPartitionLeaves, choose.PropertyRequestBytes,
	},
	"cap":       {choose.PropertyRows},
	"leveled":   {choose.PropertyBatch, choose.PropertyLeafRows},
	"never":     nil,
	"sqrt":      nil,
	"tiered":    {choose.PropertyBatch, choose.PropertyRatio, choose.PropertyLeafRows},
	"when-full": {choose.PropertyRootBytes, choose.PropertyLeafBytes},
}

// outside are values that no setting takes.
var outside = []string{"", "0", "-1", "x", "1.5", "1e3", "0x10", " 7", "7 ", "９", "9223372036854775808", "-9223372036854775809", strings.Repeat("9", 4000)}

// TestSettingsOutOfRange: each setting of each policy is refused outside of its range, all of them in one error that names property, value
// and range; a setting that the chosen policy does not read stops no commit, and is refused where it is set.
func TestSettingsOutOfRange(t *testing.T) {
	var names []string
	for _, name := range choose.Names() {
		names = append(names, settings[name]...)
		for _, value := range outside {
			properties := map[string]string{choose.PropertyPolicy: name}
			for _, key := range choose.Properties()[1:] {
				properties[key] = value
			}
			_, err := choose.ForTable(properties)
			refusedSettings(t, err, name, value, settings[name])
			refusedSettings(t, choose.CheckProperties(properties), name, value, choose.Properties()[1:])
		}
	}
	for _, key := range choose.Properties()[1:] {
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
	for _, key := range choose.Properties()[1:] {
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
			simple.Tiered{Batch: 1, Ratio: 2, LeafRows: 1}},
		{map[string]string{"firn.policy": "tiered", "firn.policy.batch": "1000000000", "firn.policy.ratio": "9223372036854775807", "firn.policy.leaf-rows": "2097152"},
			simple.Tiered{Batch: 1e9, Ratio: math.MaxInt64, LeafRows: policy.MaxLeafRows}},
		{map[string]string{"firn.policy": "adaptive", "firn.policy.root-bytes": "1", "firn.policy.leaf-bytes": "1099511627776", "firn.policy.foreground-bytes": "+5"},
			adaptive.Policy{RootBytes: 1, LeafBytes: 1 << 40, ForegroundBytes: 5}},
		{map[string]string{"firn.policy": "never", "firn.policy.rows": "0", "firn.policy.of-tomorrow": "x"}, simple.Never{}},
		{map[string]string{"firn.policy": "", "firn.policy.root-bytes": "9"}, adaptive.Policy{RootBytes: 9}},
	} {
		got, err := choose.ForTable(c.properties)
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
			`policy: no table property "firn.policy.", known are ` + strings.Join(choose.Properties(), ", "),
			`policy: table property firn.policy.ratio is "1", not a number from 2 to 9223372036854775807`,
			`policy: no table property "firn.policy.row", known are ` + strings.Join(choose.Properties(), ", "),
		}},
	} {
		got := ""
		if err := choose.CheckProperties(c.properties); err != nil {
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
	got := choose.SettingsOf(all)
	if diff := cmp.Diff(map[string]string{"firn.policy": "cap", "firn.policy.rows": "7"}, got); diff != "" {
		t.Error(diff)
	}
	delete(got, "firn.policy")
	if len(all) != 4 {
		t.Error("the properties changed")
	}
}

func TestForTable(t *testing.T) {
	for _, c := range []struct {
		properties map[string]string
		want       policy.Policy
		err        string
	}{
		{nil, adaptive.Policy{}, ""},
		{map[string]string{"firn.policy": "never"}, simple.Never{}, ""},
		{map[string]string{"firn.policy": "cap", "firn.policy.rows": "12"}, simple.Cap{Rows: 12}, ""},
		{map[string]string{"firn.policy.root-bytes": "5", "firn.policy.leaf-bytes": "6"}, adaptive.Policy{RootBytes: 5, LeafBytes: 6}, ""},
		{map[string]string{"firn.policy": "when-full", "firn.policy.root-bytes": "5"}, simple.WhenFull{RootBytes: 5}, ""},
		{map[string]string{"firn.policy": "best"}, nil, `names "best", known are adaptive, cap, leveled, never, sqrt, tiered, when-full`},
		{map[string]string{"firn.policy": "sqrt"}, simple.Sqrt{}, ""},
		{map[string]string{"firn.policy": "adaptive", "firn.policy.foreground-bytes": "7", "firn.policy.root-bytes": "8"},
			adaptive.Policy{ForegroundBytes: 7, RootBytes: 8}, ""},
		{map[string]string{"firn.policy": "adaptive", "firn.policy.foreground-bytes": "-1"}, nil, "foreground-bytes is \"-1\", not a number from 1"},
		{map[string]string{"firn.policy": "tiered", "firn.policy.batch": "5", "firn.policy.ratio": "2", "firn.policy.leaf-rows": "9"},
			simple.Tiered{Batch: 5, Ratio: 2, LeafRows: 9}, ""},
		{map[string]string{"firn.policy": "leveled", "firn.policy.batch": "5"}, simple.Leveled{Batch: 5}, ""},
		{map[string]string{"firn.policy": "tiered", "firn.policy.batch": "x", "firn.policy.ratio": "1"}, nil,
			"firn.policy.batch is \"x\", not a number from 1 to 9223372036854775807\npolicy: table property firn.policy.ratio is \"1\", not a number from 2"},
		{map[string]string{"firn.policy.root-bytes": "0"}, nil, `firn.policy.root-bytes is "0", not a number from 1`},
	} {
		got, err := choose.ForTable(c.properties)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v: got error %v, want %q", c.properties, err, c.err)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%v: got %#v, %v", c.properties, got, err)
		}
	}
}
