package policy

import (
	"errors"
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
	PropertyBatch     = "firn.policy.batch"
	PropertyRatio     = "firn.policy.ratio"
	PropertyLeafRows  = "firn.policy.leaf-rows"
	// PropertyForegroundBytes is how many bytes of leaves a commit of a writer may write again.
	PropertyForegroundBytes = "firn.policy.foreground-bytes"
	// PropertyReadDiscount is how many bytes of dead rows, read in each commit's time, count as much as one that a commit writes.
	PropertyReadDiscount = "firn.policy.read-discount"
	// PropertyClusterLeaves is how many large leaves are put into the order of their partitions together.
	PropertyClusterLeaves = "firn.policy.cluster-leaves"
)

// Default is the name of the policy of a table that chooses none.
const Default = "adaptive"

// Names lists the policies that a table can choose by name.
func Names() []string {
	return []string{"adaptive", "cap", "leveled", "never", "sqrt", "tiered", "when-full"}
}

// ForTable returns the policy that a table's properties choose. It reports an unknown policy, and every setting of the chosen
// one that is out of range.
func ForTable(properties map[string]string) (Policy, error) {
	s := settings{properties: properties}
	name := properties[PropertyPolicy]
	if name == "" {
		name = Default
	}
	var p Policy
	switch name {
	case "adaptive":
		p = Adaptive{
			LeafBytes: s.number(PropertyLeafBytes, 1), RootBytes: s.number(PropertyRootBytes, 1),
			ForegroundBytes: s.number(PropertyForegroundBytes, 1), ReadDiscount: s.number(PropertyReadDiscount, 1),
			ClusterLeaves: s.number(PropertyClusterLeaves, 1),
		}
	case "never":
		p = Never{}
	case "when-full":
		p = WhenFull{RootBytes: s.number(PropertyRootBytes, 1), LeafBytes: s.number(PropertyLeafBytes, 1)}
	case "cap":
		p = Cap{Rows: s.number(PropertyRows, 1)}
	case "sqrt":
		p = Sqrt{}
	case "tiered":
		p = Tiered{
			Batch: s.number(PropertyBatch, 1), Ratio: s.number(PropertyRatio, 2), LeafRows: s.number(PropertyLeafRows, 1),
		}
	case "leveled":
		p = Leveled{Batch: s.number(PropertyBatch, 1), LeafRows: s.number(PropertyLeafRows, 1)}
	default:
		return nil, fmt.Errorf("policy: table property %s names %q, known are %s",
			PropertyPolicy, name, strings.Join(Names(), ", "))
	}
	if err := errors.Join(s.problems...); err != nil {
		return nil, err
	}
	return p, nil
}

// settings reads the settings of a policy.
type settings struct {
	properties map[string]string
	problems   []error
}

// number returns a setting, 0 if it is not set.
func (s *settings) number(key string, least int64) int64 {
	text, set := s.properties[key]
	if !set {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least {
		s.problems = append(s.problems, fmt.Errorf("policy: table property %s is %q, not a number from %d", key, text, least))
		return 0
	}
	return n
}
