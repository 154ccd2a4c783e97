package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"github.com/firn-io/firn/store"
)

var putChecks = []objectsCheck{
	{"put/content-comes-back", putContent},
	{"put/taken-name-keeps-its-content", putTaken},
	{"put/keeps-no-slice", putKeepsNoSlice},
	{"put/one-of-many-creators-wins", putRace},
	{"put/readers-see-all-or-nothing", putAtomic},
}

// pattern returns content of the given size in which no two regions look alike.
func pattern(size int) []byte {
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return data
}

func putContent(b bench) error {
	for _, size := range []int{0, 1, 255, 4096, 1<<20 + 1} {
		rest := fmt.Sprintf("size-%d", size)
		if err := b.put(rest, pattern(size)); err != nil {
			return err
		}
		if err := b.holds(rest, pattern(size)); err != nil {
			return err
		}
	}
	return nil
}

func putTaken(b bench) error {
	if err := b.put("deep/er/once", []byte("first")); err != nil {
		return err
	}
	for _, again := range []string{"second", "first", ""} {
		err := b.objects.Put(b.ctx, b.name("deep/er/once"), []byte(again))
		if !errors.Is(err, store.ErrExists) {
			return fmt.Errorf("Put of %q under a taken name: %v, want ErrExists", again, err)
		}
		if err := b.holds("deep/er/once", []byte("first")); err != nil {
			return err
		}
	}
	return nil
}

func putKeepsNoSlice(b bench) error {
	data := []byte("original")
	if err := b.put("slice", data); err != nil {
		return err
	}
	if string(data) != "original" {
		return errors.New("Put changed the slice that it was given")
	}
	copy(data, "scribble")
	got, err := b.objects.Get(b.ctx, b.name("slice"), 0)
	if err != nil {
		return err
	}
	copy(got, "scrawled")
	if err := b.holds("slice", []byte("original")); err != nil {
		return fmt.Errorf("after its slices were changed: %w", err)
	}
	return nil
}

// putRace lets many creators loose on one name. One wins, all others learn that they did not.
func putRace(b bench) error {
	const creators, rounds = 16, 8
	for round := range rounds {
		rest := fmt.Sprintf("race-%d", round)
		errs := make([]error, creators)
		content := func(creator int) []byte { return bytes.Repeat([]byte{byte(creator)}, 1000+creator) }
		together(creators, func(creator int) {
			errs[creator] = b.objects.Put(b.ctx, b.name(rest), content(creator))
		})
		winner := -1
		for creator, err := range errs {
			switch {
			case err == nil && winner < 0:
				winner = creator
			case err == nil:
				return fmt.Errorf("round %d: creators %d and %d both created the object", round, winner, creator)
			case !errors.Is(err, store.ErrExists):
				return fmt.Errorf("round %d: creator %d: %w, want ErrExists", round, creator, err)
			}
		}
		if winner < 0 {
			return fmt.Errorf("round %d: nobody created the object", round)
		}
		if err := b.holds(rest, content(winner)); err != nil {
			return fmt.Errorf("round %d: the winner was %d: %w", round, winner, err)
		}
	}
	return nil
}

// putAtomic reads an object by every way while it is being written.
func putAtomic(b bench) error {
	const rounds = 8
	data := pattern(1 << 20)
	for round := range rounds {
		rest := fmt.Sprintf("atomic-%d", round)
		errs := make([]error, 4)
		together(len(errs), func(reader int) {
			if reader == 0 {
				errs[0] = b.put(rest, data)
				return
			}
			errs[reader] = b.watch(rest, data)
		})
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
	return nil
}

// watch looks at an object many times. It must be missing or whole, and stay once it is there.
func (b bench) watch(rest string, want []byte) error {
	const looks = 20
	seen := false
	for range looks {
		got, err := b.objects.Get(b.ctx, b.name(rest), 0)
		switch {
		case err == nil && !bytes.Equal(got, want):
			return fmt.Errorf("a reader saw %d of %d bytes", len(got), len(want))
		case err == nil:
			seen = true
		case !errors.Is(err, store.ErrNotFound):
			return fmt.Errorf("a reader of an object that is being written: %w", err)
		case seen:
			return errors.New("a reader saw the object appear and go away")
		}
		for info, err := range b.objects.List(b.ctx, b.name(rest)) {
			if err != nil {
				return fmt.Errorf("listing an object that is being written: %w", err)
			}
			if info.Name != b.name(rest) || info.SizeBytes != int64(len(want)) {
				return fmt.Errorf("a listing shows %q with %d of %d bytes", info.Name, info.SizeBytes, len(want))
			}
		}
	}
	return nil
}

// together runs n copies of f at the same time and waits for all of them.
func together(n int, f func(i int)) {
	var group sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		group.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	group.Wait()
}
