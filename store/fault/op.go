package fault

// Op is a kind of store call. The zero Op stands for calls of any kind.
type Op string

// The calls of [store.Objects] and, last, of [store.Catalog].
const (
	Put      Op = "put"
	Get      Op = "get"
	GetRange Op = "range"
	Stat     Op = "stat"
	List     Op = "list"
	Delete   Op = "delete"
	Load     Op = "load"
	Swap     Op = "swap"
)

// anyOp is the text form of the zero Op.
const anyOp = "any"

// Ops returns all kinds of calls.
func Ops() []Op { return []Op{Put, Get, GetRange, Stat, List, Delete, Load, Swap} }

// String returns the name of the kind; it is "any" for the zero Op.
func (o Op) String() string {
	if o == "" {
		return anyOp
	}
	return string(o)
}

// ofCatalog reports whether the call is one of a catalog.
func (o Op) ofCatalog() bool { return o == Load || o == Swap }
