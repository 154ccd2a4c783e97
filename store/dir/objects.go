package dir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/firn-io/firn/store"
)

// Objects is a [store.Objects] in the local file system. Its errors wrap those of the operating system; a full
// disk or a folder without permission fails one call and leaves nothing behind. Make it with [New].
type Objects struct {
	system system
}

var _ store.Objects = (*Objects)(nil)

// New returns the store of all local files.
func New() *Objects { return &Objects{system: hostSystem} }

// open opens the object for reading. The caller closes the file.
func open(ctx context.Context, name string) (*os.File, fs.FileInfo, error) {
	info, path, err := stat(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, readReason(err)
	}
	return file, info, nil
}

// stat describes the object's file. It asks before anything is opened, because opening what is no regular file,
// a pipe for instance, may wait for ever.
func stat(ctx context.Context, name string) (fs.FileInfo, string, error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	path, err := objectPath(name)
	if err != nil {
		return nil, "", err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, "", readReason(err)
	case info.IsDir():
		return nil, "", fmt.Errorf("%w: it is a folder", store.ErrNotFound)
	case !info.Mode().IsRegular():
		return nil, "", errors.New("it is not a regular file")
	}
	return info, path, nil
}

// missing reports whether the error says that there is no such file. A file in the place of a folder leaves no
// room for files below it.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// reason shortens an error of package os to the call and its cause: the object's name will stand before it.
func reason(err error) error {
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		return fmt.Errorf("%s: %w", pathErr.Op, pathErr.Err)
	case errors.As(err, &linkErr):
		return fmt.Errorf("%s: %w", linkErr.Op, linkErr.Err)
	}
	return err
}

// readReason is [reason] for a file that should be there.
func readReason(err error) error {
	var pathErr *fs.PathError
	if missing(err) && errors.As(err, &pathErr) {
		return fmt.Errorf("%w: %w", store.ErrNotFound, pathErr.Err)
	}
	return reason(err)
}

// Get implements [store.Objects].
func (o *Objects) Get(ctx context.Context, name string, limitBytes int64) ([]byte, error) {
	data, err := get(ctx, name, limitBytes)
	return data, store.NameError("get", name, err)
}

// get reads the whole object.
func get(ctx context.Context, name string, limitBytes int64) ([]byte, error) {
	file, info, err := open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if limitBytes > 0 && info.Size() > limitBytes {
		return nil, fmt.Errorf("%w: %d bytes, limit %d", store.ErrTooLarge, info.Size(), limitBytes)
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, reason(err)
	}
	return data, nil
}

// GetRange implements [store.Objects].
func (o *Objects) GetRange(ctx context.Context, name string, offset int64, p []byte) (int, error) {
	file, _, err := open(ctx, name)
	if err != nil {
		return 0, store.NameError("get", name, err)
	}
	defer file.Close()
	n, err := file.ReadAt(p, offset)
	if err != nil {
		return n, store.NameError("get", name, reason(err))
	}
	return n, nil
}

// Stat implements [store.Objects].
func (o *Objects) Stat(ctx context.Context, name string) (store.Info, error) {
	info, _, err := stat(ctx, name)
	if err != nil {
		return store.Info{}, store.NameError("stat", name, err)
	}
	return store.Info{Name: name, SizeBytes: info.Size(), Modified: info.ModTime()}, nil
}

// Delete implements [store.Objects]. A folder is no object: it stays.
func (o *Objects) Delete(ctx context.Context, name string) error {
	return store.NameError("delete", name, remove(ctx, name))
}

// remove deletes the object's file.
func remove(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path, err := leftoverPath(name)
	if err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err == nil && info.IsDir() {
		return nil
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err == nil || missing(err) {
		return nil
	}
	return reason(err)
}
