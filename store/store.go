// Package store declares what firn asks of the outside: write-once objects, and the one mutable cell of each
// table, its catalog entry. Implementations live in the packages below it; storetest checks any of them.
//
// A call whose context is done before it starts has no effect and returns an error that wraps the context's. A
// context that ends during a call leaves the outcome as open as any other error does.
package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// Errors that implementations return, wrapped with the object's name. Any other error of Put, Delete or
// Swap means, like [ErrUnknown], that the call may have had its effect or may still have it.
var (
	// ErrExists says that an object of this name is there already; nothing was written.
	ErrExists = errors.New("object exists already")
	// ErrNotFound says that there is no such object, or no such table in the catalog. From Swap it is as final
	// as [ErrConflict].
	ErrNotFound = errors.New("not found")
	// ErrUnknown says that the outcome is not known.
	ErrUnknown = errors.New("outcome unknown")
	// ErrConflict says that the cell does not hold the expected location. This call did not land and will not
	// land any more; an earlier copy of it, sent again by some layer in between, may have (B06).
	ErrConflict = errors.New("the catalog entry has changed")
	// ErrRefused says that the swap did not happen and will not happen, whatever the cell holds.
	ErrRefused = errors.New("refused by the catalog")
	// ErrThrottled says that the call did not happen and will not happen, because the store is busy; the same call may
	// be sent again, as it is, after a while.
	ErrThrottled = errors.New("throttled, send again later")
	// ErrTooLarge says that an object is longer than the caller's limit.
	ErrTooLarge = errors.New("object exceeds the limit")
)

// Info describes an object.
type Info struct {
	Name      string
	SizeBytes int64
	Modified  time.Time
}

// Objects is a store of immutable objects. A name is a full location with its scheme and is taken literally:
// nothing is decoded, cleaned or resolved (rules 12.2). A name that an implementation cannot hold as it is, it
// refuses in every call; two names never reach one object. Implementations are safe for concurrent use and
// neither keep nor change the slices that they get and return.
type Objects interface {
	// Put writes a new object in one piece: readers see all of it or nothing. ErrExists if the name is taken.
	Put(ctx context.Context, name string, data []byte) error
	// Get returns the whole object; ErrTooLarge, before it is read, if it is longer than limitBytes (no limit
	// if limitBytes is 0 or less).
	Get(ctx context.Context, name string, limitBytes int64) ([]byte, error)
	// GetRange fills p from the offset. Like io.ReaderAt it returns io.EOF or io.ErrUnexpectedEOF, wrapped or
	// not, when the object ends before p is full.
	GetRange(ctx context.Context, name string, offset int64, p []byte) (int, error)
	// Stat returns size and time of an object.
	Stat(ctx context.Context, name string) (Info, error)
	// List yields the objects whose names begin with the prefix, in the order of their names' bytes; none is
	// an empty sequence. Objects may be written and deleted while it runs: those are listed or not.
	List(ctx context.Context, prefix string) iter.Seq2[Info, error]
	// Delete removes an object; a missing one is not an error.
	Delete(ctx context.Context, name string) error
}

// TableID names a table in a catalog.
type TableID struct {
	// Namespace has its levels joined by dots.
	Namespace string
	Name      string
}

// String returns namespace.name, or the name alone of a table that is in no namespace.
func (id TableID) String() string {
	if id.Namespace == "" {
		return id.Name
	}
	return id.Namespace + "." + id.Name
}

// Compare orders tables by namespace, then by name, both by their bytes.
func (id TableID) Compare(other TableID) int {
	return cmp.Or(cmp.Compare(id.Namespace, other.Namespace), cmp.Compare(id.Name, other.Name))
}

// Catalog holds, for each table, the location of its current metadata file. Implementations are safe for
// concurrent use.
type Catalog interface {
	// Load returns the current metadata location; ErrNotFound if there is no such table.
	Load(ctx context.Context, id TableID) (string, error)
	// Swap replaces the location old by new in one step. An empty old creates the entry; ErrConflict if it is
	// there. With another old, ErrNotFound if there is no such table. An empty new and a context that is done
	// already are refused, see [CheckSwap]. The meanings of the errors are those of [ErrConflict],
	// [ErrRefused], [ErrThrottled] and [ErrUnknown].
	Swap(ctx context.Context, id TableID, old, new string) error
}

// CheckSwap returns the refusal, wrapping [ErrRefused], of a swap that is not to be sent at all: one without a
// new location, or under a context that is done.
func CheckSwap(ctx context.Context, id TableID, new string) error {
	if err := ctx.Err(); err != nil {
		return NameError("swap", id.String(), fmt.Errorf("%w: %w", ErrRefused, err))
	}
	if new == "" {
		return NameError("swap", id.String(), fmt.Errorf("%w: the new location is empty", ErrRefused))
	}
	return nil
}

// NameError wraps err with the operation and the object's or table's name.
func NameError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", op, name, err)
}

// ReaderAt reads an object in ranges. Its context bounds every read.
type ReaderAt struct {
	ctx     context.Context
	objects Objects
	name    string
}

// NewReaderAt returns an [io.ReaderAt] over one object, for use within the life of ctx.
func NewReaderAt(ctx context.Context, objects Objects, name string) *ReaderAt {
	return &ReaderAt{ctx: ctx, objects: objects, name: name}
}

// ReadAt implements [io.ReaderAt].
func (r *ReaderAt) ReadAt(p []byte, offset int64) (int, error) {
	return r.objects.GetRange(r.ctx, r.name, offset, p)
}
