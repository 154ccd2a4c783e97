package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// dropTable takes the table out of the catalog. The commands that look at it go on to see what it was.
func (w *World) dropTable(ctx context.Context, _ command) (string, error) {
	return "", w.catalog.drop(ctx)
}

// replaceTable drops the table and makes a new, empty one under its name and in its place. With log=kept the table's
// metadata goes on under another identity instead, as in a catalog that replaces tables in place.
func (w *World) replaceTable(ctx context.Context, c command) (string, error) {
	head, err := w.head(ctx)
	if err != nil {
		return "", err
	}
	if _, kept := c.option("log"); kept {
		m := head.Metadata.Successor(tree.Relativize(head.Location, head.MetadataLocation), w.env.nowMillis)
		m.UUID = w.env.newUUID().String()
		return "", w.publish(ctx, head, m, head.Location)
	}
	if err := w.catalog.drop(ctx); err != nil {
		return "", err
	}
	m, err := metadata.New(metadata.NewTable{
		UUID: w.env.newUUID(), Location: head.Location, Schema: head.Metadata.Schema(),
		Spec: head.Metadata.Spec(), Properties: head.Metadata.Properties, TimestampMillis: w.env.nowMillis,
	})
	if err != nil {
		return "", err
	}
	return "", w.create(ctx, m)
}

// create makes a table.
func (w *World) create(ctx context.Context, m metadata.Table) error {
	_, err := commit.Create(ctx, tableID, w.catalog, w.objects, m, commit.Options{Env: w.env.forCommits(), Codec: w.codec})
	return err
}

// moveTable moves the table to another location, with all its objects but older metadata files.
func (w *World) moveTable(ctx context.Context, c command) (string, error) {
	if len(c.names) != 1 {
		return "", errors.New("want a location")
	}
	location := c.names[0]
	head, err := w.head(ctx)
	if err != nil {
		return "", err
	}
	referenced, err := w.referenced(ctx)
	if err != nil {
		return "", err
	}
	moved := make(map[string]string)
	for _, name := range w.objects.Names() {
		if !referenced[name] || w.names.class(name) == classMetadata {
			continue
		}
		data, err := w.objects.Get(ctx, name, 0)
		if err != nil {
			return "", err
		}
		moved[name] = tree.Resolve(location, tree.Relativize(head.Location, name))
		if err := errors.Join(w.objects.Put(ctx, moved[name], data), w.objects.Delete(ctx, name)); err != nil {
			return "", err
		}
	}
	m := head.Metadata.Successor(head.MetadataLocation, w.env.nowMillis)
	for i := range m.MetadataLog {
		m.MetadataLog[i].File = tree.Resolve(head.Location, m.MetadataLog[i].File)
	}
	m.Location.Val = location
	if err := w.publish(ctx, head, m, location); err != nil {
		return "", err
	}
	for id, state := range w.states {
		w.states[id] = state.moved(head.Location, location)
	}
	w.names.move(location, moved)
	return "", nil
}

// publish makes metadata the table's as another program does: what a writer would refuse is written too.
func (w *World) publish(ctx context.Context, head *commit.Head, m metadata.Table, location string) error {
	data, err := m.Marshal()
	if err != nil {
		return err
	}
	return w.publishBytes(ctx, head, data, location)
}

func (w *World) publishBytes(ctx context.Context, head *commit.Head, data []byte, location string) error {
	version, _ := metadata.VersionOf(head.MetadataLocation) // the world names all metadata files itself
	name := tree.Resolve(location, "metadata/"+metadata.FileName(version+1, w.env.newUUID()))
	if err := w.objects.Put(ctx, name, data); err != nil {
		return err
	}
	w.catalog.byHand = true
	defer func() { w.catalog.byHand = false }()
	return w.catalog.Swap(ctx, tableID, head.MetadataLocation, name)
}

// setVersion gives the table another format version.
func (w *World) setVersion(ctx context.Context, c command) (string, error) {
	if len(c.names) != 1 {
		return "", errors.New("want a format version")
	}
	head, err := w.head(ctx)
	if err != nil {
		return "", err
	}
	m := head.Metadata.Successor(tree.Relativize(head.Location, head.MetadataLocation), w.env.nowMillis)
	data, err := m.Marshal()
	if err != nil {
		return "", err
	}
	const member = `"format-version":`
	before := fmt.Append(nil, member, head.Metadata.FormatVersion)
	return "", w.publishBytes(ctx, head, bytes.Replace(data, before, []byte(member+c.names[0]), 1), head.Location)
}

// rollback points a branch at another snapshot.
func (w *World) rollback(ctx context.Context, c command) (string, error) {
	branch := metadata.MainBranch
	if len(c.names) == 2 {
		branch = c.names[1]
	}
	if len(c.names) < 1 || len(c.names) > 2 {
		return "", errors.New("want a snapshot, and a branch if it is not main")
	}
	id, err := strconv.ParseInt(c.names[0], 10, 64)
	if err != nil {
		return "", err
	}
	_, err = w.open().Update(ctx, func(m metadata.Table) (metadata.Table, error) { return m.MoveRef(branch, id) })
	return "", err
}

// trimLog makes the metadata log forget all older metadata files.
func (w *World) trimLog(ctx context.Context, _ command) (string, error) {
	head, err := w.head(ctx)
	if err != nil {
		return "", err
	}
	m := head.Metadata
	m.MetadataLog = nil
	return "", w.publish(ctx, head, m, head.Location)
}
