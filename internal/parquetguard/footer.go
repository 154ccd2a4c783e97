package parquetguard

import (
	"bytes"
	"fmt"
	"reflect"
	"sync"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// FooterLimits bound what a footer may hold; its bytes are bounded by whoever reads them.
type FooterLimits struct {
	// Elements is the largest number of schema elements, and of columns of a row group.
	Elements int
	// RowGroups is the largest number of row groups.
	RowGroups int
}

// Footer is a footer as parquet-go decodes it, and beside it what its types cannot express.
type Footer struct {
	format.FileMetaData
	// HasFieldID says for each schema element whether it has a field id: parquet-go has 0 for none.
	HasFieldID []bool
	// Statistics are those of each column of each row group, to be used instead of parquet-go's.
	Statistics [][]Statistics
	// Encrypted says that the file names an encryption algorithm.
	Encrypted bool
}

// Statistics are the statistics of a column chunk. A slice is nil where the footer has no such field. parquet-go
// cannot tell an absent null count from none, and does not know the exactness of bounds.
type Statistics struct {
	HasNullCount bool
	NullCount    int64
	// MinValue and MaxValue follow the column order; Min and Max are the deprecated fields in signed order.
	MinValue, MaxValue, Min, Max []byte
	// MinExact and MaxExact say that MinValue and MaxValue are values of the column.
	MinExact, MaxExact bool
}

var footerShape = sync.OnceValue(func() *shape { return shapeOf(reflect.TypeFor[format.FileMetaData]()) })

// DecodeFooter decodes the footer of a file, without the length and magic behind it. What it allocates is bounded
// by a constant times the footer. The result owns its memory.
func DecodeFooter(data []byte, limits FooterLimits) (*Footer, error) {
	data = bytes.Clone(data)
	f := &Footer{}
	walk := footerWalk{Reader: NewReader(data), limits: limits, footer: f}
	if walk.file(); walk.err != nil {
		return nil, walk.err
	}
	check := NewReader(data)
	if footerShape().check(check, WireStruct); check.err != nil {
		return nil, check.err
	}
	if err := unmarshal(data, &f.FileMetaData); err != nil {
		return nil, err
	}
	if len(f.Schema) != len(f.HasFieldID) || len(f.RowGroups) != len(f.Statistics) {
		return nil, fmt.Errorf("a list that is given twice")
	}
	for i := range f.RowGroups {
		if len(f.RowGroups[i].Columns) != len(f.Statistics[i]) {
			return nil, fmt.Errorf("a list that is given twice")
		}
	}
	return f, nil
}

// unmarshal has the library decode a struct. Bytes behind it are not looked at.
func unmarshal(data []byte, into any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("thrift: %v", p)
		}
	}()
	return thrift.NewDecoder(new(thrift.CompactProtocol).NewReaderFromBytes(data)).Decode(into)
}

// footerWalk takes from a footer what parquet-go's types lose.
type footerWalk struct {
	*Reader
	limits FooterLimits
	footer *Footer
}

func (w *footerWalk) atMost(n, limit int, what string) {
	if n > limit {
		w.FailWith(&LimitError{What: what, Value: int64(n), Max: int64(limit)})
	}
}

func (w *footerWalk) file() {
	f := w.footer
	w.Object(func(id int, typ byte) {
		switch id {
		case 2:
			w.List(typ, WireStruct, func() {
				w.atMost(len(f.HasFieldID)+1, w.limits.Elements, "schema elements")
				f.HasFieldID = append(f.HasFieldID, w.hasFieldID())
			})
		case 4:
			w.List(typ, WireStruct, func() {
				w.atMost(len(f.Statistics)+1, w.limits.RowGroups, "row groups")
				f.Statistics = append(f.Statistics, w.rowGroup())
			})
		case 8:
			f.Encrypted = true
			w.Skip(typ)
		default:
			w.Skip(typ)
		}
	})
}

func (w *footerWalk) hasFieldID() (has bool) {
	w.Object(func(id int, typ byte) {
		has = has || id == 9
		w.Skip(typ)
	})
	return has
}

func (w *footerWalk) rowGroup() (columns []Statistics) {
	w.Object(func(id int, typ byte) {
		if id != 1 {
			w.Skip(typ)
			return
		}
		w.List(typ, WireStruct, func() {
			w.atMost(len(columns)+1, w.limits.Elements, "columns of a row group")
			columns = append(columns, w.columnChunk())
		})
	})
	return columns
}

func (w *footerWalk) columnChunk() (s Statistics) {
	described := false
	w.Object(func(id int, typ byte) {
		switch id {
		case 3:
			described = true
			w.Nested(typ, func(id int, typ byte) {
				if id != 12 {
					w.Skip(typ)
					return
				}
				s = Statistics{}
				w.Nested(typ, func(id int, typ byte) { w.statistic(&s, id, typ) })
			})
		case 8, 9:
			w.FailWith(kindf(ErrUnsupported, "an encrypted column"))
		default:
			w.Skip(typ)
		}
	})
	if !described {
		w.Fail("a column chunk without metadata")
	}
	return s
}

func (w *footerWalk) statistic(s *Statistics, id int, typ byte) {
	switch id {
	case 1:
		s.Max = w.Bytes(typ)
	case 2:
		s.Min = w.Bytes(typ)
	case 3:
		s.NullCount, s.HasNullCount = w.Number(typ), true
	case 5:
		s.MaxValue = w.Bytes(typ)
	case 6:
		s.MinValue = w.Bytes(typ)
	case 7:
		s.MaxExact = w.Flag(typ)
	case 8:
		s.MinExact = w.Flag(typ)
	default:
		w.Skip(typ)
	}
}
