package storetest_test

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/store/storetest"
)

// stub is a sound store of which single calls are replaced.
type stub struct {
	store.Objects
	put      func(ctx context.Context, name string, data []byte) error
	get      func(ctx context.Context, name string, limitBytes int64) ([]byte, error)
	getRange func(ctx context.Context, name string, offset int64, p []byte) (int, error)
	stat     func(ctx context.Context, name string) (store.Info, error)
	list     func(ctx context.Context, prefix string) iter.Seq2[store.Info, error]
	remove   func(ctx context.Context, name string) error
}

// newStub returns a stub in which nothing is replaced yet.
func newStub() *stub {
	sound := new(mem.Objects)
	return &stub{sound, sound.Put, sound.Get, sound.GetRange, sound.Stat, sound.List, sound.Delete}
}

func (s *stub) Put(ctx context.Context, name string, data []byte) error {
	return s.put(ctx, name, data)
}

func (s *stub) Get(ctx context.Context, name string, limitBytes int64) ([]byte, error) {
	return s.get(ctx, name, limitBytes)
}

func (s *stub) GetRange(ctx context.Context, name string, offset int64, p []byte) (int, error) {
	return s.getRange(ctx, name, offset, p)
}

func (s *stub) Stat(ctx context.Context, name string) (store.Info, error) { return s.stat(ctx, name) }

func (s *stub) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	return s.list(ctx, prefix)
}

func (s *stub) Delete(ctx context.Context, name string) error { return s.remove(ctx, name) }

// renamed makes a store that changes names before it uses them.
func renamed(change func(name string) string) func(s *stub) {
	return func(s *stub) {
		put, get, remove := s.put, s.get, s.remove
		s.put = func(ctx context.Context, name string, data []byte) error { return put(ctx, change(name), data) }
		s.get = func(ctx context.Context, name string, limit int64) ([]byte, error) {
			return get(ctx, change(name), limit)
		}
		s.remove = func(ctx context.Context, name string) error { return remove(ctx, change(name)) }
	}
}

// relisted makes a store whose listings are changed as a whole.
func relisted(change func(infos []store.Info) []store.Info) func(s *stub) {
	return func(s *stub) {
		list := s.list
		s.list = func(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
			return func(yield func(store.Info, error) bool) {
				var infos []store.Info
				for info, err := range list(ctx, prefix) {
					if err != nil {
						yield(info, err)
						return
					}
					infos = append(infos, info)
				}
				for _, info := range change(infos) {
					if !yield(info, nil) {
						return
					}
				}
			}
		}
	}
}

// letOthersRun gives other goroutines many chances, until enough has happened.
func letOthersRun(enough func() bool) {
	for n := 0; n < 1000 && !enough(); n++ {
		runtime.Gosched()
	}
}

// brokenObjects are faults that real stores have had, each with a check that must find it.
var brokenObjects = []struct {
	name, found string
	apply       func(s *stub)
}{
	{"put overwrites", "put/taken-name-keeps-its-content", func(s *stub) {
		put, remove := s.put, s.remove
		s.put = func(ctx context.Context, name string, data []byte) error {
			return errors.Join(ctx.Err(), remove(ctx, name), put(ctx, name, data))
		}
	}},
	{"put forgives the same content", "put/taken-name-keeps-its-content", func(s *stub) {
		put, get := s.put, s.get
		s.put = func(ctx context.Context, name string, data []byte) error {
			if old, err := get(ctx, name, 0); err == nil && string(old) == string(data) {
				return nil
			}
			return put(ctx, name, data)
		}
	}},
	{"put looks before it writes", "put/one-of-many-creators-wins", func(s *stub) {
		put, stat, remove := s.put, s.stat, s.remove
		s.put = func(ctx context.Context, name string, data []byte) error {
			if _, err := stat(ctx, name); err == nil {
				return store.ErrExists
			}
			letOthersRun(func() bool { return false })
			return errors.Join(ctx.Err(), remove(ctx, name), put(ctx, name, data))
		}
	}},
	{"put writes in pieces", "put/readers-see-all-or-nothing", func(s *stub) {
		put, get, remove := s.put, s.get, s.remove
		var looks atomic.Int64
		s.get = func(ctx context.Context, name string, limit int64) ([]byte, error) {
			defer looks.Add(1)
			return get(ctx, name, limit)
		}
		s.put = func(ctx context.Context, name string, data []byte) error {
			if err := put(ctx, name, data[:len(data)/2]); err != nil {
				return err
			}
			before := looks.Load()
			letOthersRun(func() bool { return looks.Load() > before+3 })
			return errors.Join(remove(ctx, name), put(ctx, name, data))
		}
	}},
	{"get returns too much", "read/limit", func(s *stub) {
		get := s.get
		s.get = func(ctx context.Context, name string, _ int64) ([]byte, error) { return get(ctx, name, 0) }
	}},
	{"a short range is no error", "read/ranges", func(s *stub) {
		getRange := s.getRange
		s.getRange = func(ctx context.Context, name string, offset int64, p []byte) (int, error) {
			n, err := getRange(ctx, name, offset, p)
			if n > 0 {
				err = nil
			}
			return n, err
		}
	}},
	{"a negative offset reads from the start", "read/negative-offset", func(s *stub) {
		getRange := s.getRange
		s.getRange = func(ctx context.Context, name string, offset int64, p []byte) (int, error) {
			return getRange(ctx, name, max(offset, 0), p)
		}
	}},
	{"stat knows no time", "read/stat", func(s *stub) {
		s.stat = func(ctx context.Context, name string) (store.Info, error) {
			data, err := s.get(ctx, name, 0)
			return store.Info{Name: name, SizeBytes: int64(len(data))}, err
		}
	}},
	{"missing is an error of its own", "read/missing", func(s *stub) {
		stat := s.stat
		s.stat = func(ctx context.Context, name string) (store.Info, error) {
			info, err := stat(ctx, name)
			if errors.Is(err, store.ErrNotFound) {
				err = errors.New("404")
			}
			return info, err
		}
	}},
	{"list goes folder by folder", "list/byte-order", relisted(func(infos []store.Info) []store.Info {
		key := func(info store.Info) string { return strings.ReplaceAll(info.Name, "/", "\x00") }
		slices.SortFunc(infos, func(a, b store.Info) int { return strings.Compare(key(a), key(b)) })
		return infos
	})},
	{"list stops after a page", "list/byte-order", relisted(func(infos []store.Info) []store.Info {
		return infos[:min(len(infos), 5)]
	})},
	{"list takes prefixes for folders", "list/prefix-is-literal", func(s *stub) {
		list := s.list
		s.list = func(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
			return list(ctx, strings.TrimSuffix(prefix, "/")+"/")
		}
	}},
	{"list goes on after an error", "context/done-means-no-effect", func(s *stub) {
		s.list = func(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
			return func(yield func(store.Info, error) bool) {
				_ = ctx.Err() != nil && yield(store.Info{}, ctx.Err()) && yield(store.Info{}, ctx.Err())
			}
		}
	}},
	{"deleting what is missing is an error", "delete/missing-is-no-error", func(s *stub) {
		remove, stat := s.remove, s.stat
		s.remove = func(ctx context.Context, name string) error {
			_, err := stat(ctx, name)
			return errors.Join(err, remove(ctx, name))
		}
	}},
	{"delete removes what begins so", "delete/removes-one-object", func(s *stub) {
		remove, list := s.remove, s.list
		s.remove = func(ctx context.Context, name string) error {
			for info, err := range list(ctx, name) {
				if err := errors.Join(err, remove(ctx, info.Name)); err != nil {
					return err
				}
			}
			return ctx.Err()
		}
	}},
	{"delete does nothing", "list/bears-deletes", func(s *stub) {
		s.remove = func(ctx context.Context, _ string) error { return ctx.Err() }
	}},
	{"names are decoded", "names/are-literal", renamed(func(name string) string {
		if decoded, err := url.PathUnescape(name); err == nil {
			return decoded
		}
		return name
	})},
	{"names are lower case", "names/are-literal", renamed(strings.ToLower)},
	{"names are trimmed", "names/are-literal", renamed(strings.TrimSpace)},
	{"names are cleaned", "names/odd-paths-are-kept-or-refused", renamed(path.Clean)},
	{"a context that is done is not noticed", "context/done-means-no-effect", func(s *stub) {
		put := s.put
		s.put = func(ctx context.Context, name string, data []byte) error {
			return put(context.WithoutCancel(ctx), name, data)
		}
	}},
}

func TestBrokenObjectsAreFound(t *testing.T) {
	for _, c := range brokenObjects {
		found := storetest.CheckObjects(t.Context(), only(c.found), func() store.Objects {
			s := newStub()
			c.apply(s)
			return s
		})
		if len(found) != 1 || found[c.found] == nil {
			t.Errorf("%s: the check %s does not find it: %v", c.name, c.found, found)
		}
	}
}

func TestSoundObjectsAreNotBlamed(t *testing.T) {
	for name, err := range storetest.CheckObjects(t.Context(), all, func() store.Objects { return newStub() }) {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// only accepts one name.
func only(name string) func(string) bool { return func(other string) bool { return other == name } }

// all accepts every name.
func all(string) bool { return true }
