package choose_test

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/policy/internal/policytest"
)

// TestDescriptionsAreTrue: each policy is described, each setting that it reads is listed with the least value that it takes, no other
// is, and with its defaults set the policy plans what it plans without settings.
func TestDescriptionsAreTrue(t *testing.T) {
	properties := make(map[string]bool)
	var names []string
	for _, d := range choose.Descriptions() {
		names = append(names, d.Name)
		for _, s := range d.Settings {
			properties[s.Property] = true
		}
	}
	if diff := cmp.Diff(choose.Names(), names); diff != "" {
		t.Fatalf("(-names +described)\n%s", diff)
	}
	for _, d := range choose.Descriptions() {
		chosen := map[string]string{choose.PropertyPolicy: d.Name}
		plain, err := choose.ForTable(chosen)
		if err != nil || plain.Name() != d.Name || d.Summary == "" || d.Does == "" || d.For == "" {
			t.Fatalf("%+v: %v, %v", d, plain, err)
		}
		if fields := reflect.TypeOf(plain).NumField(); fields != len(d.Settings) {
			t.Errorf("%s has %d settings, %d are described", d.Name, fields, len(d.Settings))
		}
		defaults := maps.Clone(chosen)
		listed := make(map[string]choose.Setting)
		for _, s := range d.Settings {
			listed[s.Property] = s
			defaults[s.Property] = fmt.Sprint(s.Default)
		}
		for property := range properties {
			s, reads := listed[property]
			values := map[int64]bool{s.Least - 1: reads, max(1, s.Least): false}
			if values[max(1, s.Most)] = false; s.Most < math.MaxInt64 {
				values[s.Most+1] = reads && s.Most > 0
			}
			for value, wrong := range values {
				_, err := choose.ForTable(map[string]string{choose.PropertyPolicy: d.Name, property: fmt.Sprint(value)})
				if (err != nil) != wrong {
					t.Errorf("%s with %s=%d: %v, listed %t, from %d to %d", d.Name, property, value, err, reads, s.Least, s.Most)
				}
			}
		}
		set, err := choose.ForTable(defaults)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range busyInputs() {
			a, errA := plain.Plan(in)
			b, errB := set.Plan(in)
			if diff := cmp.Diff(a, b); diff != "" || errA != nil || errB != nil {
				t.Errorf("%s without settings and with its defaults (-without +with): %v, %v\n%s", d.Name, errA, errB, diff)
			}
		}
	}
}

// busyInputs are inputs at which every policy does something, at least with other settings than its defaults.
func busyInputs() []policy.Input {
	var all []policy.Input
	for _, files := range []int64{30, 31, 399, 400, 30_001, 50_001, 2_000_000, 2_500_000} {
		in := policy.Input{Mode: policy.Foreground, Prices: policy.EstimatePrices(20), New: []policy.Item{{Key: "new", Count: files}}, History: policytest.Rate("10")}
		for i := range int64(9) {
			in.Pointers = append(in.Pointers, policy.Pointer{Location: fmt.Sprint(i), LiveEntries: 20 + i*20, Entries: 200})
		}
		for i := range 60 {
			in.Loose = append(in.Loose, policy.Item{Key: fmt.Sprint("loose", i), Count: files / 100})
		}
		all = append(all, in)
	}
	return all
}

// TestSettingsAreSaidOnce: no two settings of a policy have one property, and each has a unit that people know.
func TestSettingsAreSaidOnce(t *testing.T) {
	for _, d := range choose.Descriptions() {
		var seen []string
		for _, s := range d.Settings {
			if slices.Contains(seen, s.Property) || !strings.HasPrefix(s.Property, "firn.policy.") || s.Default < s.Least || s.Default > s.Most || s.Meaning == "" ||
				!slices.Contains([]string{"bytes", "files", "rows", "leaves", "percent"}, s.Unit) {
				t.Errorf("%s: %+v", d.Name, s)
			}
			seen = append(seen, s.Property)
		}
		if known, ok := choose.Describe(d.Name); !ok || known.Name != d.Name {
			t.Errorf("%s: %+v, %t", d.Name, known, ok)
		}
	}
	if _, known := choose.Describe("best"); known {
		t.Error("a policy of no such name is described")
	}
}
