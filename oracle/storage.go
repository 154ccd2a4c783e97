package oracle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
)

// checkStorage asks for the objects that the retained snapshots of a table reach, and for those that nothing reaches.
func checkStorage(ctx context.Context, target Target, s *source) error {
	c := &storage{reach: newReach(s), listed: make(map[string]store.Info), gone: make(map[string]bool)}
	for info, err := range s.objects.List(ctx, s.location+"/") {
		if err != nil {
			return err
		}
		c.listed[info.Name] = info
	}
	if err := c.follow(ctx); err != nil || s.report.done {
		return err
	}
	c.known[target.Metadata] = true
	for _, entry := range s.metadata.MetadataLog {
		c.known[c.resolve(entry.File)] = true
	}
	for _, step := range []func(context.Context) error{c.checkNeeded, c.checkVectors, c.checkGrowth, c.checkOrphans} {
		if err := step(ctx); err != nil || s.report.done {
			return err
		}
	}
	return nil
}

// storage is the check of one table's objects.
type storage struct {
	*reach
	// listed are the objects below the table's location.
	listed map[string]store.Info
	// gone are the locations of needed objects that are not there.
	gone map[string]bool
}

// found reports a finding about the object that a row names.
func (c *storage) found(rule Rule, at place, location, expected, found string) {
	f := rule.finding(at.snapshot, location, expected, found)
	f.Row = -1
	if at.object != "" {
		f.Message += fmt.Sprintf(" (row %d of %s)", at.row, at.object)
	}
	c.report.put(f)
}

// checkNeeded asks for every object that must be there. Those that the listing shows are not asked for one by one.
func (c *storage) checkNeeded(ctx context.Context) error {
	for _, o := range c.needed {
		info, ok := c.listed[o.location]
		if !ok {
			var err error
			info, err = c.objects.Stat(ctx, o.location)
			if errors.Is(err, store.ErrNotFound) {
				c.gone[o.location] = true
				c.found(missing, o.place, o.location, "a "+o.kind, "nothing")
				continue
			}
			if err != nil {
				return err
			}
		}
		if o.sizeBytes >= 0 && info.SizeBytes != o.sizeBytes {
			c.found(wrongSize, o.place, o.location, fmt.Sprintf("%d bytes", o.sizeBytes), fmt.Sprintf("%d bytes", info.SizeBytes))
		}
	}
	return nil
}

// checkVectors holds every deletion vector against its blob, and against the footer of its Puffin file.
func (c *storage) checkVectors(ctx context.Context) error {
	footers := make(map[string]*dv.Footer)
	for _, v := range c.vectors {
		if c.gone[v.location] {
			continue
		}
		faults, err := dv.CheckBlob(ctx, c.objects, v.entry, v.location, v.recordCount, dv.Limits{})
		if err := c.unread(err, v); err != nil {
			return err
		}
		for _, fault := range faults {
			c.fault(vectorBlob, v, fault)
		}
		footer, ok := footers[v.location]
		if !ok {
			if footer, err = c.footer(ctx, v); err != nil {
				return err
			}
			footers[v.location] = footer
		}
		if footer == nil {
			continue
		}
		for _, fault := range dv.CheckFooter(*footer, v.entry, v.dataFile) {
			c.fault(footerRule(fault.Fault), v, fault)
		}
	}
	return nil
}

// footer reads the footer of a vector's Puffin file; nil if it was reported.
func (c *storage) footer(ctx context.Context, v vector) (*dv.Footer, error) {
	footer, err := dv.Inspect(ctx, c.objects, v.location, dv.Limits{})
	var fault *dv.FaultError
	if errors.As(err, &fault) {
		c.fault(vectorFooter, v, fault)
		return nil, nil
	}
	if err != nil {
		return nil, c.unread(err, v)
	}
	return &footer, nil
}

func (c *storage) fault(rule Rule, v vector, fault *dv.FaultError) {
	c.found(rule, v.place, v.location, fmt.Sprintf("the deletion vector of %s at byte %d", v.dataFile, v.entry.OffsetBytes),
		fault.Fault.String()+": "+fault.Detail)
}

// unread passes on an error of the store, and notes a vector that is not to be read.
func (c *storage) unread(err error, v vector) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, dv.ErrEncrypted), errors.Is(err, store.ErrTooLarge):
		c.found(skipStorage, v.place, v.location, "a deletion vector that is read here", err.Error())
		return nil
	case errors.Is(err, store.ErrNotFound): // since it was listed
		c.found(missing, v.place, v.location, "a Puffin file", "nothing")
		return nil
	}
	return err
}

// orphanAgeMillis is the age from which an object that nothing reaches is taken for an orphan.
const orphanAgeMillis = 72 * 60 * 60 * 1000

// checkOrphans reports the listed objects that the table does not reach, unless something was not followed.
func (c *storage) checkOrphans(context.Context) error {
	if c.untold == "" {
		c.untold = c.otherTable()
	}
	if c.untold != "" {
		c.report.put(skipStorage.finding(0, c.location, "a table all of which can be followed",
			c.untold+": orphans were not looked for"))
		return nil
	}
	reached := make(map[string]bool)
	for name := range c.known {
		reached[plainPath(name)] = true
	}
	var names []string
	for name := range c.listed {
		if !reached[plainPath(name)] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		rule := orphan
		if now := c.report.options.NowMillis; now != 0 && now-c.listed[name].Modified.UnixMilli() <= orphanAgeMillis {
			rule = newOrphan
		}
		if !c.report.put(rule.finding(0, name, "an object that the table reaches", fmt.Sprintf("%d bytes that nothing refers to", c.listed[name].SizeBytes))) {
			return nil
		}
	}
	return nil
}

// otherTable says that metadata files lie in folders that have none of the table's own.
func (c *storage) otherTable() string {
	folder := func(name string) string {
		path := plainPath(name)
		return path[:strings.LastIndexByte(path, '/')+1]
	}
	own := map[string]bool{folder(c.location + "/metadata/"): true}
	for name := range c.known {
		if metadata.IsFileName(name) {
			own[folder(name)] = true
		}
	}
	for name := range c.listed {
		if metadata.IsFileName(name) && !own[folder(name)] {
			return "metadata files of another table below this one"
		}
	}
	return ""
}

// plainPath returns a location without its scheme and without empty segments: what two spellings of one object have in
// common. That an object is an orphan is only said where not even this is reached.
func plainPath(name string) string {
	if _, rest, ok := strings.Cut(name, ":"); ok {
		name = rest
	}
	for strings.Contains(name, "//") {
		name = strings.ReplaceAll(name, "//", "/")
	}
	return strings.TrimPrefix(name, "/")
}
