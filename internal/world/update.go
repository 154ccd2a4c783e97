package world

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/metadata"
)

// update changes the metadata as the command's writer, up to a call of the store or to its end.
func (w *World) update(ctx context.Context, c command, change commit.MetadataChange) (string, error) {
	x := w.by(c)
	if x.run != nil {
		return "", fmt.Errorf("writer %q is in the middle of a commit", x.name)
	}
	r := x.start(ctx, func(ctx context.Context) (commit.Result, error) { return x.table.Update(ctx, change) })
	r.update, r.change = true, change
	return x.goOn(ctx, c)
}

// columnTypes are the types that a script can give to a column.
var columnTypes = map[string]iceberg.Type{
	"int": iceberg.PrimitiveTypes.Int32, "long": iceberg.PrimitiveTypes.Int64,
	"float": iceberg.PrimitiveTypes.Float32, "double": iceberg.PrimitiveTypes.Float64,
	"boolean": iceberg.PrimitiveTypes.Bool, "string": iceberg.PrimitiveTypes.String,
	"date": iceberg.PrimitiveTypes.Date, "timestamp": iceberg.PrimitiveTypes.Timestamp,
	"timestamp_ns": iceberg.PrimitiveTypes.TimestampNs, "unknown": iceberg.PrimitiveTypes.Unknown,
}

// schema changes the columns.
func (w *World) schema(ctx context.Context, c command) (string, error) {
	step, err := schemaChange(c.names)
	if err != nil {
		return "", err
	}
	return w.update(ctx, c, func(m metadata.Table) (metadata.Table, error) {
		if column, ok := step.(metadata.AddColumn); ok && column.Required {
			return require(m, column), nil
		}
		return m.EvolveSchema(step)
	})
}

// schemaChange reads what follows the verb schema.
func schemaChange(words []string) (metadata.SchemaChange, error) {
	typed := func(words []string) (string, iceberg.Type, error) {
		if len(words) == 1 {
			words = strings.Fields(words[0])
		}
		if len(words) != 2 || columnTypes[words[1]] == nil {
			return "", nil, errors.New("want a column and its type")
		}
		return words[0], columnTypes[words[1]], nil
	}
	var what string
	if len(words) > 1 {
		what, words = words[0], words[1:]
	}
	switch {
	case what == "add" || what == "require":
		name, typ, err := typed(words)
		return metadata.AddColumn{Name: name, Type: typ, Required: what == "require"}, err
	case what == "promote":
		name, typ, err := typed(words)
		return metadata.PromoteColumn{Column: name, Type: typ}, err
	case what == "drop" && len(words) == 1:
		return metadata.DropColumn{Column: words[0]}, nil
	case what == "rename" && len(words) == 2:
		return metadata.RenameColumn{Column: words[0], To: words[1]}, nil
	}
	return nil, errors.New("want add, require, drop, rename or promote, and columns")
}

// require adds a required column without a default, as this engine does not and others may.
func require(m metadata.Table, c metadata.AddColumn) metadata.Table {
	m.LastColumnID++
	fields := append(slices.Clone(m.Schema().Fields()),
		iceberg.NestedField{ID: m.LastColumnID, Name: c.Name, Type: c.Type, Required: true})
	s := iceberg.NewSchema(len(m.Schemas), fields...)
	m.Schemas, m.CurrentSchemaID = append(slices.Clone(m.Schemas), s), s.ID
	return m
}

// spec changes the partition spec.
func (w *World) spec(ctx context.Context, c command) (string, error) {
	if len(c.names) != 2 {
		return "", errors.New("want add and a term, or drop and a field, or forget and a spec")
	}
	switch what, name := c.names[0], c.names[1]; what {
	case "add":
		field, err := metadata.ParsePartitionField(name)
		if err != nil {
			return "", err
		}
		return w.update(ctx, c, func(m metadata.Table) (metadata.Table, error) { return m.EvolveSpec(field) })
	case "drop":
		return w.update(ctx, c, func(m metadata.Table) (metadata.Table, error) {
			return m.EvolveSpec(metadata.DropPartitionField{Name: name})
		})
	case "forget":
		id, err := strconv.Atoi(name)
		if err != nil {
			return "", err
		}
		return w.update(ctx, c, func(m metadata.Table) (metadata.Table, error) {
			m.Specs = slices.DeleteFunc(slices.Clone(m.Specs), func(s iceberg.PartitionSpec) bool { return s.ID() == id })
			return m, nil
		})
	}
	return "", fmt.Errorf("spec knows no %s", c.names[0])
}

// props sets properties, or removes those without a value.
func (w *World) props(ctx context.Context, c command) (string, error) {
	set := make(map[string]string)
	var remove []string
	for _, o := range c.options {
		switch {
		case o.name == "by" || o.name == "until":
		case o.text == "":
			remove = append(remove, o.name)
		default:
			set[o.name] = unquote(o.text)
		}
	}
	return w.update(ctx, c, func(m metadata.Table) (metadata.Table, error) { return m.UpdateProperties(set, remove...) })
}

// branch creates, drops or forwards a branch.
func (w *World) branch(ctx context.Context, c command) (string, error) {
	return w.ref(ctx, c, metadata.Branch)
}

// tag creates or drops a tag.
func (w *World) tag(ctx context.Context, c command) (string, error) {
	return w.ref(ctx, c, metadata.Tag)
}

func (w *World) ref(ctx context.Context, c command, kind string) (string, error) {
	if len(c.names) != 2 {
		return "", fmt.Errorf("want what to do and a %s", kind)
	}
	at, err := c.number("at", 0)
	if err != nil {
		return "", err
	}
	what, name := c.names[0], c.names[1]
	to, forward := c.option("to")
	switch {
	case what == "create":
		return w.update(ctx, c, func(m metadata.Table) (metadata.Table, error) {
			ref := metadata.Ref{Name: name, Type: kind, SnapshotID: at}
			if at == 0 {
				ref.SnapshotID = m.CurrentSnapshotID.Val
			}
			return m.CreateRef(ref)
		})
	case what == "drop":
		return w.update(ctx, c, func(m metadata.Table) (metadata.Table, error) { return m.WithoutRef(name) })
	case what == "forward" && kind == metadata.Branch && forward:
		return w.update(ctx, c, func(m metadata.Table) (metadata.Table, error) {
			target, ok := m.Ref(to)
			if !ok {
				return m, fmt.Errorf("there is no ref %s", to)
			}
			return m.FastForward(name, target.SnapshotID)
		})
	}
	return "", fmt.Errorf("%s knows no %s", kind, what)
}

// expire lets go all snapshots but the last ones of each branch, and removes what nothing references any more.
func (w *World) expire(ctx context.Context, c command) (string, error) {
	keep, err := c.number("keep", 1)
	if err != nil {
		return "", err
	}
	before, err := w.referenced(ctx)
	if err != nil {
		return "", err
	}
	expired := metadata.ExpiryPolicy{KeepLast: int(keep)}
	expired.OlderThanMillis.Val, expired.OlderThanMillis.Valid = math.MaxInt64, true
	x := w.by(c)
	r := x.start(ctx, func(ctx context.Context) (commit.Result, error) {
		return x.table.Update(ctx, func(m metadata.Table) (metadata.Table, error) {
			e, err := m.Expired(expired, w.env.nowMillis)
			if err != nil {
				return m, err
			}
			return m.Expire(e)
		})
	})
	r.update = true
	r.after = func(ctx context.Context) error { return w.deleteAllBut(ctx, before) }
	return x.goOn(ctx, c)
}

// deleteAllBut removes those of the objects that nothing references any more.
func (w *World) deleteAllBut(ctx context.Context, before map[string]bool) error {
	after, err := w.referenced(ctx)
	if err != nil {
		return err
	}
	for _, name := range w.objects.Names() {
		if before[name] && !after[name] {
			if err := w.objects.Delete(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}
