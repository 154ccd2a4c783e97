package dir

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/firn-io/firn/store"
)

// system is what writing asks of the operating system; tests put failures in its place.
type system struct {
	// write fills a new file and syncs it.
	write func(file *os.File, data []byte) error
	// link gives a file another name, which must be free.
	link func(from, to string) error
	// syncFolder makes the names in a folder durable.
	syncFolder func(path string) error
}

// hostSystem is the operating system itself.
var hostSystem = system{write: writeSync, link: os.Link, syncFolder: syncFolder}

// Put implements [store.Objects].
func (o *Objects) Put(ctx context.Context, name string, data []byte) error {
	return store.NameError("put", name, o.put(ctx, name, data))
}

// put writes the object's file.
func (o *Objects) put(ctx context.Context, name string, data []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path, err := objectPath(name)
	if err != nil {
		return err
	}
	_, err = o.system.create(path, data)
	return err
}

// create writes a new file in one step: it is there as a whole and durably, or not at all. [store.ErrExists] if
// the path is taken. With another error, tried says whether the file may be there none the less.
func (s system) create(path string, data []byte) (tried bool, err error) {
	folder := filepath.Dir(path)
	temp, err := s.writeTemp(folder, data)
	if err != nil {
		return false, err
	}
	// What stays behind if this fails is a second name of a file that exists or was never published.
	defer os.Remove(temp)
	err = s.link(temp, path)
	switch {
	case err == nil || sameFile(temp, path):
	case errors.Is(err, fs.ErrExist):
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return false, errors.New("a folder has this name")
		}
		return false, store.ErrExists
	default:
		return true, reason(err)
	}
	if err := s.syncFolder(folder); err != nil {
		return true, fmt.Errorf("%w: the name is not durable yet: %w", store.ErrUnknown, reason(err))
	}
	return true, nil
}

// writeTemp writes a temporary file in the folder, making the folder if it is missing, and returns its path.
func (s system) writeTemp(folder string, data []byte) (string, error) {
	temp := filepath.Join(folder, tempPrefix+rand.Text())
	file, err := createFile(temp)
	if errors.Is(err, fs.ErrNotExist) {
		if err := s.makeFolder(folder); err != nil {
			return "", err
		}
		file, err = createFile(temp)
	}
	if err != nil {
		return "", reason(err)
	}
	err = s.write(file, data)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(temp) // there may be nothing that can be removed
		return "", reason(err)
	}
	return temp, nil
}

// createFile creates a file that must not be there, with the permissions that the process gives new files.
func createFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// writeSync writes the data and waits until they are on the medium.
func writeSync(file *os.File, data []byte) error {
	if _, err := file.Write(data); err != nil {
		return err
	}
	return file.Sync()
}

// makeFolder makes a folder and those above it, each of them durably.
func (s system) makeFolder(path string) error {
	err := os.Mkdir(path, 0o777)
	if errors.Is(err, fs.ErrNotExist) {
		if err := s.makeFolder(filepath.Dir(path)); err != nil {
			return err
		}
		err = os.Mkdir(path, 0o777)
	}
	if err == nil {
		err = s.syncFolder(filepath.Dir(path))
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// syncFolder makes the names in a folder durable, where the file system has a call for that.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

// sameFile reports whether two names are those of one file. It settles what a failed link did: over a network
// the call can succeed and its answer get lost.
func sameFile(a, b string) bool {
	first, err := os.Lstat(a)
	if err != nil {
		return false
	}
	second, err := os.Lstat(b)
	return err == nil && os.SameFile(first, second)
}
