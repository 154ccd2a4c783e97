package world

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// names gives short names to what the engine writes, in the order in which it writes it: L1, L2 and so on to leaves, R1,
// R2 and so on to roots, V1, V2 and so on to Puffin files.
type names struct {
	location               string // of the table
	leaves, roots, vectors []string
}

// short is a short name with the full location that it stands for.
type short struct{ name, location string }

// all returns the short names, leaves first.
func (n *names) all() []short {
	var all []short
	for i, location := range n.leaves {
		all = append(all, short{fmt.Sprintf("L%d", i+1), location})
	}
	for i, location := range n.roots {
		all = append(all, short{fmt.Sprintf("R%d", i+1), location})
	}
	for i, location := range n.vectors {
		all = append(all, short{fmt.Sprintf("V%d", i+1), location})
	}
	return all
}

// full returns the full location that a word of a command means: a short name's, else that of the word as it would be
// stored.
func (n *names) full(word string) string {
	for _, s := range n.all() {
		if s.name == word {
			return s.location
		}
	}
	return tree.Resolve(n.location, word)
}

// move notes the new location of the table, and those of the objects that went along.
func (n *names) move(location string, moved map[string]string) {
	n.location = location
	for _, list := range [][]string{n.leaves, n.roots, n.vectors} {
		for i, name := range list {
			if now, ok := moved[name]; ok {
				list[i] = now
			}
		}
	}
}

// shorten replaces locations of manifests in a text by their short names.
func (n *names) shorten(text string) string {
	var spellings []short
	for _, s := range n.all() {
		spellings = append(spellings, s, short{s.name, tree.Relativize(n.location, s.location)})
	}
	slices.SortStableFunc(spellings, func(a, b short) int { return cmp.Compare(len(b.location), len(a.location)) })
	var pairs []string
	for _, s := range spellings {
		pairs = append(pairs, s.location, s.name)
	}
	return unwrittenRoot.ReplaceAllString(strings.NewReplacer(pairs...).Replace(text), "an unwritten root")
}

// unwrittenRoot matches the name of a root that the engine refused to write: only messages have it.
var unwrittenRoot = regexp.MustCompile(`[^ ]*/snap-\d+-\d+-[0-9a-f-]{36}\.parquet`)

// namingCodec names what a codec writes.
type namingCodec struct {
	treeio.Codec
	names *names
}

// PutRoot implements [treeio.Codec].
func (c namingCodec) PutRoot(ctx context.Context, objects store.Objects, name string, s manifestio.Schema, rows []tree.Entry) (int64, error) {
	c.names.roots = append(c.names.roots, name)
	return c.Codec.PutRoot(ctx, objects, name, s, rows)
}

// PutLeaf implements [treeio.Codec].
func (c namingCodec) PutLeaf(ctx context.Context, objects store.Objects, name string, s manifestio.Schema, rows []tree.Entry) (int64, error) {
	c.names.leaves = append(c.names.leaves, name)
	return c.Codec.PutLeaf(ctx, objects, name, s, rows)
}

// stored returns a location as it is stored in the table.
func (w *World) stored(location string) string {
	if location == "" {
		return ""
	}
	return tree.Relativize(w.names.location, location)
}
