package manifestio

import "fmt"

// DecodeOptions bounds what reading one manifest may cost, whatever its bytes claim. Every limit is checked
// before the memory that it bounds is allocated. A zero field means the default that its comment names; a
// negative one is an error of [Open] (MF12).
type DecodeOptions struct {
	// MaxRows bounds the rows of the file. The default is 2,097,152, the number of positions that a
	// manifest deletion vector can address (rules 9.2, 18.1).
	MaxRows int64
	// MaxColumns bounds the nodes of the file's schema, groups included. The default is 65,536.
	MaxColumns int64
	// MaxFooterBytes bounds the Parquet footer. The default is 32 MiB.
	MaxFooterBytes int64
	// MaxPageBytes bounds what one page decodes to. The default is 256 MiB.
	MaxPageBytes int64
	// MaxStringBytes bounds one string or binary value. The default is 16 MiB.
	MaxStringBytes int64
	// MaxReadBytes bounds how much of the compressed columns of a row group is read at a time. Those of a larger row
	// group are read in parts, each column in about as many, and no part is smaller than a page. The default is 32 MiB.
	MaxReadBytes int64
	// MaxMemoryBytes bounds the buffers that one iteration holds at a time: the compressed columns of a row
	// group, or parts of them, and one decoded page for each of them. [Reader.ReadAll] counts the entries that it returns as
	// well. The default is 1 GiB.
	MaxMemoryBytes int64
}

// resolve returns the options with defaults filled in, or an error that names the first negative one.
func (o DecodeOptions) resolve() (DecodeOptions, error) {
	fields := []struct {
		name  string
		value *int64
		unset int64
	}{
		{"MaxRows", &o.MaxRows, 1 << 21},
		{"MaxColumns", &o.MaxColumns, 1 << 16},
		{"MaxFooterBytes", &o.MaxFooterBytes, 32 << 20},
		{"MaxPageBytes", &o.MaxPageBytes, 256 << 20},
		{"MaxStringBytes", &o.MaxStringBytes, 16 << 20},
		{"MaxReadBytes", &o.MaxReadBytes, 32 << 20},
		{"MaxMemoryBytes", &o.MaxMemoryBytes, 1 << 30},
	}
	for _, f := range fields {
		if *f.value < 0 {
			return o, fmt.Errorf("manifest decode options: %s is %d, below zero", f.name, *f.value)
		}
		if *f.value == 0 {
			*f.value = f.unset
		}
	}
	return o, nil
}

// memoryBudget counts the bytes that one iteration holds.
type memoryBudget struct {
	limit, used int64
}

// charge takes n bytes, or refuses if they would exceed the limit.
func (b *memoryBudget) charge(n int64) error {
	if n > b.limit-b.used {
		return &LimitError{Limit: "MaxMemoryBytes", Value: b.used + n, Max: b.limit}
	}
	b.used += n
	return nil
}

// release gives n bytes back.
func (b *memoryBudget) release(n int64) { b.used -= n }

// grow is charge for a buffer that is reused: held is what the buffer's owner has charged so far, and only
// what want exceeds it by is charged.
func (b *memoryBudget) grow(held *int64, want int64) error {
	if want <= *held {
		return nil
	}
	if err := b.charge(want - *held); err != nil {
		return err
	}
	*held = want
	return nil
}
