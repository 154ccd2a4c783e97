package policy

import (
	"fmt"
	"strconv"
	"strings"
)

// The table properties that choose and tune a policy.
const (
	PropertyPolicy    = "firn.policy"
	PropertyRootBytes = "firn.policy.root-bytes"
	PropertyLeafBytes = "firn.policy.leaf-bytes"
	PropertyRows      = "firn.policy.rows"
)

// Default is the name of the policy of a table that chooses none.
const Default = "when-full"

// Names lists the policies that a table can choose by name.
func Names() []string { return []string{"cap", "never", "when-full"} }

// ForTable returns the policy that a table's properties choose. It reports an unknown policy and a value that
// is not a positive number.
func ForTable(properties map[string]string) (Policy, error) {
	name := properties[PropertyPolicy]
	if name == "" {
		name = Default
	}
	var err error
	number := func(key string) int64 {
		text, set := properties[key]
		if !set || err != nil {
			return 0
		}
		n, parseErr := strconv.ParseInt(text, 10, 64)
		if parseErr != nil || n <= 0 {
			err = fmt.Errorf("policy: table property %s is %q, not a positive number", key, text)
		}
		return n
	}
	var p Policy
	switch name {
	case "never":
		p = Never{}
	case "when-full":
		p = WhenFull{RootBytes: number(PropertyRootBytes), LeafBytes: number(PropertyLeafBytes)}
	case "cap":
		p = Cap{Rows: number(PropertyRows)}
	default:
		return nil, fmt.Errorf("policy: table property %s names %q, known are %s",
			PropertyPolicy, name, strings.Join(Names(), ", "))
	}
	return p, err
}
