package tree

import "fmt"

// The names of the statuses and content types, by their number in memory.
var (
	statusNames  = [...]string{Existing: "EXISTING", Added: "ADDED", Deleted: "DELETED", Replaced: "REPLACED", Modified: "MODIFIED"}
	contentNames = [...]string{Data: "DATA", PositionDeletes: "POSITION_DELETES", EqualityDeletes: "EQUALITY_DELETES",
		DataManifest: "DATA_MANIFEST", DeleteManifest: "DELETE_MANIFEST"}
)

// String returns the status as the format spells it, such as EXISTING.
func (s Status) String() string {
	if s >= Existing && s <= Modified {
		return statusNames[s]
	}
	return fmt.Sprintf("status(%d)", uint8(s))
}

// Live reports whether an entry of this status belongs to the snapshot, unless its position is masked
// (rules 6.2).
func (s Status) Live() bool { return s == Existing || s == Added || s == Modified }

// Format returns the number that stands for the status in a manifest (rules 6.1); -1 for the zero Status.
func (s Status) Format() int32 { return int32(s) - 1 }

// StatusFromFormat returns the status that a number in a manifest stands for (rules 6.1).
func StatusFromFormat(n int32) (Status, error) {
	if n < Existing.Format() || n > Modified.Format() {
		return 0, fmt.Errorf("tree: status %d is none of 0 to %d", n, Modified.Format())
	}
	return Status(n + 1), nil
}

// ParseStatus returns the status that [Status.String] spells so.
func ParseStatus(name string) (Status, error) {
	for s := Existing; s <= Modified; s++ {
		if statusNames[s] == name {
			return s, nil
		}
	}
	return 0, fmt.Errorf("tree: there is no status %q", name)
}

// String returns the content type as the format spells it, such as DATA_MANIFEST.
func (c Content) String() string {
	if c >= Data && c <= DeleteManifest {
		return contentNames[c]
	}
	return fmt.Sprintf("content(%d)", uint8(c))
}

// IsManifest reports whether an entry of this content type points to a manifest.
func (c Content) IsManifest() bool { return c == DataManifest || c == DeleteManifest }

// Format returns the number that stands for the content type in a manifest (rules 5); -1 for the zero Content.
func (c Content) Format() int32 { return int32(c) - 1 }

// ContentFromFormat returns the content type that a number in a manifest stands for (rules 5). It takes all
// five: which of them may stand where is for the reader of the manifest to judge.
func ContentFromFormat(n int32) (Content, error) {
	if n < Data.Format() || n > DeleteManifest.Format() {
		return 0, fmt.Errorf("tree: content_type %d is none of 0 to %d", n, DeleteManifest.Format())
	}
	return Content(n + 1), nil
}
