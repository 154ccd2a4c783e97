package dir

import "os"

// Fail replaces one step of writing; nil leaves a step as it is.
func (o *Objects) Fail(write func(*os.File, []byte) error, link func(from, to string) error, syncFolder func(string) error) {
	o.system.fail(write, link, syncFolder)
}

// Fail replaces one step of writing; nil leaves a step as it is.
func (c *Catalog) Fail(write func(*os.File, []byte) error, link func(from, to string) error, syncFolder func(string) error) {
	c.system.fail(write, link, syncFolder)
}

func (s *system) fail(write func(*os.File, []byte) error, link func(from, to string) error, syncFolder func(string) error) {
	if write != nil {
		s.write = write
	}
	if link != nil {
		s.link = link
	}
	if syncFolder != nil {
		s.syncFolder = syncFolder
	}
}
