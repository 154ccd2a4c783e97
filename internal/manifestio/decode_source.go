package manifestio

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/parquet-go/format"
)

// pageValues hands out the values of one page, nulls left out, in order. A column's values are either
// numbers or texts, see [isText]; the number of a float or double is its bits. Texts own their memory.
type pageValues interface {
	numbers(dst []int64)
	texts(dst []string) error
}

// noTexts and noNumbers complete the sources of one sort of values.
type (
	noTexts   struct{}
	noNumbers struct{}
)

func (noTexts) texts([]string) error { panic("manifestio: texts of a column of numbers") }
func (noNumbers) numbers([]int64)    { panic("manifestio: numbers of a column of texts") }

// plainNumbers reads numbers as they stand in the page.
type plainNumbers struct {
	noTexts
	data     []byte
	physical format.Type
}

func (s *plainNumbers) numbers(dst []int64) {
	size := physicalSize(s.physical)
	data := s.data[:size*len(dst)]
	s.data = s.data[len(data):]
	switch s.physical {
	case format.Int32:
		for i := range dst {
			dst[i] = int64(int32(binary.LittleEndian.Uint32(data[4*i:])))
		}
	case format.Float:
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint32(data[4*i:]))
		}
	default:
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint64(data[8*i:]))
		}
	}
}

// physicalSize returns the size of a plain number.
func physicalSize(t format.Type) int {
	if t == format.Int32 || t == format.Float {
		return 4
	}
	return 8
}

// plainBooleans reads booleans from bits, lowest first.
type plainBooleans struct {
	noTexts
	data []byte
	next int
}

func (s *plainBooleans) numbers(dst []int64) {
	for i := range dst {
		dst[i] = int64(s.data[s.next/8] >> (s.next % 8) & 1)
		s.next++
	}
}

// decodedNumbers hands out numbers decoded before.
type decodedNumbers struct {
	noTexts
	nums []int64
}

func (s *decodedNumbers) numbers(dst []int64) { s.nums = s.nums[copy(dst, s.nums):] }

// dictionaryNumbers looks numbers up.
type dictionaryNumbers struct {
	noTexts
	indexes []int32
	entries []int64
}

func (s *dictionaryNumbers) numbers(dst []int64) {
	for i := range dst {
		dst[i] = s.entries[s.indexes[i]]
	}
	s.indexes = s.indexes[len(dst):]
}

// plainTexts reads byte arrays with their lengths in front. The texts of one call share one string, so
// that keeping an entry keeps the texts of one batch alive and no more.
type plainTexts struct {
	noNumbers
	data []byte
	left int
	max  int64
	ends []int
}

func (s *plainTexts) texts(dst []string) error {
	pos := 0
	s.ends = s.ends[:0]
	for range dst {
		if len(s.data)-pos < 4 {
			return kindf(ErrTruncated, "a page that ends before its last value")
		}
		n := int64(binary.LittleEndian.Uint32(s.data[pos:]))
		pos += 4
		if n > s.max {
			return &LimitError{Limit: "MaxStringBytes", Value: n, Max: s.max}
		}
		if n > int64(len(s.data)-pos) {
			return kindf(ErrTruncated, "a value of %d bytes in a page with %d left", n, len(s.data)-pos)
		}
		pos += int(n)
		s.ends = append(s.ends, pos)
	}
	shared, start := string(s.data[:pos]), 0
	for i, end := range s.ends {
		dst[i] = shared[start+4 : end]
		start = end
	}
	s.data = s.data[pos:]
	if s.left -= len(dst); s.left == 0 && len(s.data) != 0 {
		return fmt.Errorf("%d bytes behind the last value of a page", len(s.data))
	}
	return nil
}

// fixedTexts reads byte arrays of one length.
type fixedTexts struct {
	noNumbers
	data []byte
	size int
}

func (s *fixedTexts) texts(dst []string) error {
	shared := string(s.data[:s.size*len(dst)])
	for i := range dst {
		dst[i] = shared[i*s.size : (i+1)*s.size]
	}
	s.data = s.data[len(shared):]
	return nil
}

// decodedTexts hands out texts decoded before.
type decodedTexts struct {
	noNumbers
	all []string
}

func (s *decodedTexts) texts(dst []string) error {
	s.all = s.all[copy(dst, s.all):]
	return nil
}

// dictionaryTexts looks texts up; they share the memory of the dictionary.
type dictionaryTexts struct {
	noNumbers
	indexes []int32
	entries []string
}

func (s *dictionaryTexts) texts(dst []string) error {
	for i := range dst {
		dst[i] = s.entries[s.indexes[i]]
	}
	s.indexes = s.indexes[len(dst):]
	return nil
}
