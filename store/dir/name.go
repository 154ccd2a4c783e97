package dir

import (
	"fmt"
	"strings"
)

// tempPrefix begins the names of files that are being written.
const tempPrefix = ".firn-tmp-"

// swapDigits is how many digits the name of a catalog's file has.
const swapDigits = 20

// splitScheme cuts a name into the spelling of its scheme, file: or file://, and the path, which begins with a
// slash.
func splitScheme(name string) (scheme, path string, err error) {
	rest, ok := strings.CutPrefix(name, "file:")
	if !ok {
		return "", "", fmt.Errorf("%q is no name of a local file: file:/… or file:///… is needed", name)
	}
	scheme = "file:"
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		scheme, rest = "file://", after
	}
	if !strings.HasPrefix(rest, "/") {
		return "", "", fmt.Errorf("%q has an authority or a relative path: file:/… or file:///… is needed", name)
	}
	return scheme, rest, nil
}

// objectPath returns the path of the object's file.
func objectPath(name string) (string, error) {
	_, path, err := splitScheme(name)
	if err != nil {
		return "", err
	}
	folders, last := splitLast(path)
	if err := checkFolders(folders); err != nil {
		return "", err
	}
	if err := checkSegment(last); err != nil {
		return "", err
	}
	if isSwap(last) {
		return "", fmt.Errorf("the name %q is reserved for entries of catalogs", last)
	}
	return path, nil
}

// leftoverPath returns the path of an object's file, or of a temporary file that a listing showed.
func leftoverPath(name string) (string, error) {
	_, path, err := splitScheme(name)
	if folders, last := splitLast(path); err == nil && len(last) > len(tempPrefix) && strings.HasPrefix(last, tempPrefix) && checkFolders(folders) == nil {
		return path, nil
	}
	return objectPath(name)
}

// isSwap reports whether a file has a name that a [Catalog] gives to a swap. Such a file may lie in the folder of a table,
// whose clean-up must not see it.
func isSwap(name string) bool {
	return len(name) == swapDigits && strings.Trim(name, "0123456789") == ""
}

// splitLast cuts an absolute path behind its last slash.
func splitLast(path string) (folder, last string) {
	cut := strings.LastIndexByte(path, '/') + 1
	return path[:cut], path[cut:]
}

// checkFolders checks the segments of an absolute path that ends in a slash.
func checkFolders(path string) error {
	if path == "/" {
		return nil
	}
	for segment := range strings.SplitSeq(path[1:len(path)-1], "/") {
		if err := checkSegment(segment); err != nil {
			return err
		}
	}
	return nil
}

// checkSegment refuses what the file system does not take literally.
func checkSegment(segment string) error {
	switch {
	case segment == "" || segment == "." || segment == "..":
		return fmt.Errorf("the path segment %q means another file to the file system", segment)
	case strings.IndexByte(segment, 0) >= 0:
		return fmt.Errorf("the path segment %q has a zero byte", segment)
	case strings.HasPrefix(segment, tempPrefix):
		return fmt.Errorf("the path segment %q is reserved for a file that is being written", segment)
	}
	return nil
}
