// Package choose knows the policies that a table can choose by its properties, their settings, and what people should know of them.
package choose

import (
	"errors"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/simple"
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
	// PropertyReadDiscount is how many bytes that plans read for nothing, were they made at each commit, count as much as one written.
	PropertyReadDiscount = "firn.policy.read-discount"
	// PropertyClusterLeaves is how many leaves are put into the order of their partitions together.
	PropertyClusterLeaves = "firn.policy.cluster-leaves"
	// PropertyPartitionLeaves is how many leaves plans of one partition may open, in percent of those of perfect order.
	PropertyPartitionLeaves = "firn.policy.partition-leaves"
	// PropertyRequestBytes is how many bytes it counts to write one more object.
	PropertyRequestBytes = "firn.policy.request-bytes"
)

// Default is the name of the policy of a table that chooses none.
const Default = "adaptive"

// Names lists the policies that a table can choose by name.
func Names() []string {
	return []string{"adaptive", "cap", "leveled", "never", "sqrt", "tiered", "when-full"}
}

// ForTable returns the policy that a table's properties choose. It reports an unknown policy, and every setting of the chosen
// one that is out of range; what others would read is not looked at, see [CheckProperties] (F36).
func ForTable(properties map[string]string) (policy.Policy, error) {
	s := settings{properties: properties}
	name := properties[PropertyPolicy]
	if name == "" {
		name = Default
	}
	var p policy.Policy
	switch name {
	case "adaptive":
		p = adaptive.Policy{
			LeafBytes: s.number(PropertyLeafBytes), RootBytes: s.number(PropertyRootBytes),
			ForegroundBytes: s.number(PropertyForegroundBytes), ReadDiscount: s.number(PropertyReadDiscount),
			ClusterLeaves: s.number(PropertyClusterLeaves), PartitionLeaves: s.number(PropertyPartitionLeaves), RequestBytes: s.number(PropertyRequestBytes),
		}
	case "never":
		p = simple.Never{}
	case "when-full":
		p = simple.WhenFull{RootBytes: s.number(PropertyRootBytes), LeafBytes: s.number(PropertyLeafBytes)}
	case "cap":
		p = simple.Cap{Rows: s.number(PropertyRows)}
	case "sqrt":
		p = simple.Sqrt{}
	case "tiered":
		p = simple.Tiered{Batch: s.number(PropertyBatch), Ratio: s.number(PropertyRatio), LeafRows: s.number(PropertyLeafRows)}
	case "leveled":
		p = simple.Leveled{Batch: s.number(PropertyBatch), LeafRows: s.number(PropertyLeafRows)}
	default:
		return nil, unknownPolicy(name)
	}
	if err := errors.Join(s.problems...); err != nil {
		return nil, err
	}
	return p, nil
}
