package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/firn-io/firn/store"
)

var readChecks = []objectsCheck{
	{"read/missing", readMissing},
	{"read/limit", readLimit},
	{"read/ranges", readRanges},
	{"read/negative-offset", readNegativeOffset},
	{"read/reader-at", readReaderAt},
	{"read/stat", readStat},
}

func readMissing(b bench) error {
	if err := b.putAll("there", "folder/file"); err != nil {
		return err
	}
	for _, rest := range []string{"missing", "there-not", "ther", "folder", "no/such/folder"} {
		if err := b.lacks(rest); err != nil {
			return err
		}
	}
	return nil
}

func readLimit(b bench) error {
	if err := b.put("ten", pattern(10)); err != nil {
		return err
	}
	for _, limit := range []int64{-1, 0, 10, 11, 1 << 40} {
		if got, err := b.objects.Get(b.ctx, b.name("ten"), limit); err != nil || !bytes.Equal(got, pattern(10)) {
			return fmt.Errorf("Get of 10 bytes with limit %d: %s, %w", limit, brief(got), err)
		}
	}
	for _, limit := range []int64{1, 9} {
		got, err := b.objects.Get(b.ctx, b.name("ten"), limit)
		if !errors.Is(err, store.ErrTooLarge) || len(got) > 0 {
			return fmt.Errorf("Get of 10 bytes with limit %d: %s, %v, want ErrTooLarge", limit, brief(got), err)
		}
	}
	return nil
}

func readRanges(b bench) error {
	const size = 1000
	data := pattern(size)
	if err := b.put("ranges", data); err != nil {
		return err
	}
	for _, c := range []struct{ offset, length, want int }{
		{0, size, size}, {0, 1, 1}, {999, 1, 1}, {400, 200, 200}, {400, 0, 0},
		{0, size + 1, size}, {999, 2, 1}, {500, 1 << 16, 500},
		{size, 1, 0}, {size + 1, 1, 0}, {1 << 30, 10, 0},
	} {
		p := make([]byte, c.length)
		n, err := b.objects.GetRange(b.ctx, b.name("ranges"), int64(c.offset), p)
		call := fmt.Sprintf("GetRange of %d bytes at %d of %d", c.length, c.offset, size)
		short := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		switch {
		case n != c.want:
			return fmt.Errorf("%s: %d bytes and %v, want %d", call, n, err, c.want)
		case n < c.length && !short:
			return fmt.Errorf("%s: %d bytes and %v, want io.EOF or io.ErrUnexpectedEOF", call, n, err)
		case n == c.length && err != nil:
			return fmt.Errorf("%s: %w", call, err)
		case n > 0 && !bytes.Equal(p[:n], data[c.offset:c.offset+n]):
			return fmt.Errorf("%s: %s, want %s", call, brief(p[:n]), brief(data[c.offset:c.offset+n]))
		}
	}
	return nil
}

func readNegativeOffset(b bench) error {
	if err := b.put("negative", pattern(10)); err != nil {
		return err
	}
	if n, err := b.objects.GetRange(b.ctx, b.name("negative"), -1, make([]byte, 2)); err == nil || n != 0 {
		return fmt.Errorf("GetRange at -1: %d bytes and %v, want an error", n, err)
	}
	return nil
}

func readReaderAt(b bench) error {
	data := pattern(100_000)
	if err := b.put("sections", data); err != nil {
		return err
	}
	reader := store.NewReaderAt(b.ctx, b.objects, b.name("sections"))
	got, err := io.ReadAll(io.NewSectionReader(reader, 0, int64(len(data))))
	if err != nil || !bytes.Equal(got, data) {
		return fmt.Errorf("reading in sections: %s, %w", brief(got), err)
	}
	return nil
}

func readStat(b bench) error {
	for _, size := range []int{0, 7, 70_000} {
		rest := fmt.Sprintf("stat-%d", size)
		if err := b.put(rest, pattern(size)); err != nil {
			return err
		}
		info, err := b.objects.Stat(b.ctx, b.name(rest))
		if err != nil {
			return fmt.Errorf("Stat(%q): %w", b.name(rest), err)
		}
		if info.Name != b.name(rest) || info.SizeBytes != int64(size) || info.Modified.IsZero() {
			return fmt.Errorf("Stat(%q) = %+v, want that name, %d bytes and a time", b.name(rest), info, size)
		}
	}
	return nil
}
