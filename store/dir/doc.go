// Package dir keeps objects as files of the local file system, and a catalog for development in a folder.
//
// The name of an object is file:/PATH or file:///PATH; PATH is absolute and taken literally, byte by byte, without
// percent decoding. The two spellings of the scheme name the same file: a table keeps to one of them. Listings
// use the spelling of their prefix. Refused, because the file system would lead them to the object of another
// name, are: an authority (file://host/PATH), a relative path, the segments "." and "..", empty segments
// (a double slash, a slash at the end), and a zero byte. Refused, too, are segments that begin with ".firn-tmp-",
// see below, and names of twenty digits, which entries of a [Catalog] have: those may lie in the folder of a table.
//
// # How a file comes to be
//
// Put writes a temporary file ".firn-tmp-…" in the folder of the object, syncs it, gives it the object's name by
// link(2), which never replaces anything, syncs the folder, and removes the temporary name. A process that dies
// in between leaves at most the temporary file behind. It is listed once it is older than a day, and can be deleted, so that
// clean-up finds it; it is no object otherwise. Folders are made where they are missing, and are never removed.
//
// # What the file system must give
//
// Hard links (FAT and some network and container mounts have none: Put fails), names that differ when their bytes
// differ (no folding of case or of Unicode forms), and a sync of folders, unless it says that it has none. Over
// NFS an answer to link(2) may be lost; Put then looks whether the object is its own temporary file.
//
// Only regular files, and symbolic links to them, are objects. Folders behind symbolic links can be read and
// written by name, but are not listed: who links folders within a table makes two names of one object.
package dir
