package target

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// Snapshot finds the snapshot that an argument names: an id, @branch or @tag, ~N for the N-th ancestor of the
// current one, or nothing for the current one. A table without snapshots has none to name.
func Snapshot(m metadata.Table, arg string) (metadata.Snapshot, error) {
	switch {
	case arg == "":
		s, ok := m.Current()
		if !ok {
			return s, fmt.Errorf("the table has no snapshot: %w", store.ErrNotFound)
		}
		return s, nil
	case arg[0] == '@':
		ref, ok := m.Ref(arg[1:])
		if !ok {
			return metadata.Snapshot{}, fmt.Errorf("the table has no branch or tag %q: %w", arg[1:], store.ErrNotFound)
		}
		return byID(m, ref.SnapshotID)
	case arg[0] == '~':
		return ancestor(m, arg)
	}
	id, err := strconv.ParseInt(arg, 10, 64)
	if err != nil {
		return metadata.Snapshot{}, usagef("snapshot %q: an id, @branch, @tag or ~N is needed", arg)
	}
	return byID(m, id)
}

func byID(m metadata.Table, id int64) (metadata.Snapshot, error) {
	s, ok := m.Snapshot(id)
	if !ok {
		return s, fmt.Errorf("the table has no snapshot %d: %w", id, store.ErrNotFound)
	}
	return s, nil
}

func ancestor(m metadata.Table, arg string) (metadata.Snapshot, error) {
	n, err := strconv.Atoi(arg[1:])
	if err != nil || n < 0 {
		return metadata.Snapshot{}, usagef("snapshot %q: ~N needs a number", arg)
	}
	if m.CurrentSnapshotID.Valid {
		for s := range m.Ancestors(m.CurrentSnapshotID.Val) {
			if n == 0 {
				return s, nil
			}
			n--
		}
	}
	return metadata.Snapshot{}, fmt.Errorf("the table has no snapshot %s: %w", arg, store.ErrNotFound)
}

// FileSpellings returns the resolved locations that an argument may mean, the likeliest first: the location
// itself, else one relative to the table, else a local path.
func FileSpellings(tableLocation, arg string) ([]string, error) {
	if arg == "" {
		return nil, usagef("an empty location")
	}
	if tree.IsAbsolute(arg) {
		return []string{arg}, nil
	}
	local, err := Location(arg)
	if err != nil {
		return nil, err
	}
	relative := tree.Resolve(tableLocation, arg)
	if strings.HasPrefix(arg, "/") {
		return []string{local, relative}, nil
	}
	return []string{relative, local}, nil
}
