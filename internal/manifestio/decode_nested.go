package manifestio

import "fmt"

// nestedCursor walks a column level by level: a column that repeats, or one that is carried unread.
type nestedCursor struct {
	cursor
	left int64 // values of the chunk in pages not loaded yet

	// The next values of the page, a window of them at a time, and how many are behind the window.
	nums   []int64
	texts  []string
	behind int
	window [rowsAtOnce]int64
}

// cell is one level pair of a nested column with its value if it has one.
type cell struct {
	rep, def byte
	has      bool
	num      int64
	text     string
}

// load reads the next page.
func (c *nestedCursor) load() error {
	if err := c.cursor.load(c.left); err != nil {
		return err
	}
	c.left -= int64(c.size)
	c.nums, c.texts, c.behind = nil, nil, c.present(0, c.size)
	return nil
}

// value moves the next value of the page into v.
func (c *nestedCursor) value(v *cell) error {
	if len(c.nums)+len(c.texts) == 0 {
		n := min(c.behind, len(c.window))
		c.behind -= n
		if isText(c.leaf.physical) {
			c.texts = make([]string, n)
			if err := c.source.texts(c.texts); err != nil {
				return err
			}
		} else {
			c.nums = c.window[:n]
			c.source.numbers(c.nums)
		}
	}
	if c.texts != nil {
		v.text, c.texts = c.texts[0], c.texts[1:]
	} else {
		v.num, c.nums = c.nums[0], c.nums[1:]
	}
	return nil
}

// row calls each for the cells of the next row.
func (c *nestedCursor) row(each func(cell) error) error {
	for first := true; ; first = false {
		if c.next == c.size {
			if c.left == 0 && !first {
				return nil
			}
			if err := c.load(); err != nil {
				return err
			}
		}
		v := cell{rep: levelAt(c.reps, c.rep, c.next), def: levelAt(c.defs, c.def, c.next)}
		switch {
		case first && v.rep != 0:
			return fmt.Errorf("a row that begins inside another")
		case !first && v.rep == 0:
			return nil
		}
		c.next++
		if v.has = int(v.def) == c.leaf.def; v.has {
			if err := c.value(&v); err != nil {
				return err
			}
		}
		if err := each(v); err != nil {
			return err
		}
	}
}

// levelAt returns a level of a page, of which there is only one if all are the same.
func levelAt(levels []byte, same byte, i int) byte {
	if levels != nil {
		return levels[i]
	}
	return same
}
