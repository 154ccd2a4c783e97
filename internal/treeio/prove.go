package treeio

import (
	"bytes"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// provedBytes is the weight of rows up to which they can be read within the default limits, whatever they hold.
const provedBytes = 8 << 20

// prove reads a manifest that was encoded and is heavy, or that is to be read within other limits than the default
// ones: once a table points to a manifest that nobody can read, nobody can read the table.
func (p Parquet) prove(name string, data []byte, rows []tree.Entry) error {
	if p.Limits == (manifestio.DecodeOptions{}) && weight(rows) <= provedBytes {
		return nil
	}
	reader, err := manifestio.Open(bytes.NewReader(data), int64(len(data)), name, p.Limits)
	if err == nil {
		_, err = reader.ReadAll(tree.Full)
	}
	return err
}

// proveRoot is prove for a root, the length of which is limited too.
func (p Parquet) proveRoot(name string, data []byte, rows []tree.Entry) error {
	if int64(len(data)) > p.maxRootBytes() {
		return store.NameError("encode", name, store.ErrTooLarge)
	}
	return p.prove(name, data, rows)
}

// weight adds up what rows hold, with what each row and each column's statistics take at least.
func weight(rows []tree.Entry) int {
	const row, column = 64, 32
	n := 0
	for i := range rows {
		e := &rows[i]
		n += row + column*len(e.Stats) + len(e.Location) + len(e.FileFormat) + len(e.KeyMetadata) + 8*len(e.SplitOffsets) +
			len(e.DeletionVector.Val.Location) + len(e.DeletionVector.Val.KeyMetadata) + len(e.Manifest.Val.DV) +
			len(e.Tracking.DeletedPositions) + len(e.Tracking.ReplacedPositions)
		for _, v := range e.Partition {
			n += len(v.Value.Bytes())
		}
		for _, s := range e.Stats {
			n += len(s.Lower.Bytes()) + len(s.Upper.Bytes())
		}
		for _, f := range e.Foreign {
			for _, cell := range f.Cells {
				n += column + len(cell.Value)
			}
		}
	}
	return n
}
