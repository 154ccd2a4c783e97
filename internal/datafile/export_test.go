package datafile

import (
	"io"

	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/tree"
)

// Values returns all entries of a leaf column as values of the file's own type, nulls as null values.
func Values(r io.ReaderAt, sizeBytes int64, path string) ([]tree.Value, error) {
	f, err := open(r, sizeBytes, Limits{})
	if err != nil {
		return nil, err
	}
	n := findLeaf(f.columns, path)
	var all []tree.Value
	err = f.scan(n.column, func(def int, r raw, count int64) error {
		v := tree.Value{}
		if def == f.leaves[n.column].maxDef {
			if v, err = n.leaf.value(r); err != nil {
				return err
			}
		}
		for range count {
			all = append(all, v)
		}
		return nil
	})
	return all, err
}

func findLeaf(nodes []*node, path string) *node {
	for _, n := range nodes {
		if n.path.String() == path {
			return n
		}
		if inner := findLeaf(n.children, path); inner != nil {
			return inner
		}
	}
	return nil
}

// ReadChunk reads the stored pages of an optional column and returns the number of entries that are not null.
func ReadChunk(physical, width, codec int, values, pageLimit int64, data []byte) (present int64, err error) {
	leaf := leafColumn{path: &path{name: "c"}, physical: format.Type(physical), width: width, maxDef: 1}
	c := newChunkReader(leaf, format.CompressionCodec(codec), pageLimit, values, data)
	err = c.each(func(def int, _ raw, n int64) error {
		if def == 1 {
			present += n
		}
		return nil
	})
	return present, err
}
