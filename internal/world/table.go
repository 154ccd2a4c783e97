package world

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/policy/simple"
)

// defaultLocation is where the table is unless a script says otherwise.
const defaultLocation = "mem://wh/t"

// schema returns the columns of every table.
func schema() *iceberg.Schema {
	return iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64, Required: true},
		iceberg.NestedField{ID: 2, Name: "name", Type: iceberg.PrimitiveTypes.String},
		iceberg.NestedField{ID: 3, Name: "ts", Type: iceberg.PrimitiveTypes.Timestamp},
		iceberg.NestedField{ID: 4, Name: "price", Type: iceberg.PrimitiveTypes.Float64},
	)
}

// table makes a new world with an empty table.
func (w *World) table(ctx context.Context, c command) (string, error) {
	if !w.checked {
		w.problems = append(w.problems, errors.New("the script leaves a table without a check"))
	}
	location := defaultLocation
	if text, given := c.option("location"); given {
		location = unquote(text)
	}
	properties, err := policyProperties(c)
	if err != nil {
		return "", err
	}
	partition, _ := c.option("partition")
	spec, err := metadata.ParsePartition(unquote(partition), schema())
	if err != nil {
		return "", err
	}
	w.reset(location)
	w.env.tick()
	m, err := metadata.New(metadata.NewTable{
		UUID: w.env.newUUID(), Location: location, Schema: schema(), Spec: spec,
		Properties: properties, TimestampMillis: w.env.nowMillis,
	})
	if err != nil {
		return "", err
	}
	return "", w.create(ctx, m)
}

// policyProperties returns the table properties that choose the policy of a command: none if it chooses none.
func policyProperties(c command) (map[string]string, error) {
	properties := make(map[string]string)
	if rows, given := c.option("cap"); given {
		properties[choose.PropertyPolicy], properties[choose.PropertyRows] = simple.Cap{}.Name(), rows
	}
	for name, property := range map[string]string{
		"policy": choose.PropertyPolicy, "root-bytes": choose.PropertyRootBytes, "leaf-bytes": choose.PropertyLeafBytes,
	} {
		if text, given := c.option(name); given {
			properties[property] = text
		}
	}
	_, err := choose.ForTable(properties)
	return properties, err
}

// clock moves the clock, also backwards, or with a writer's name that writer's alone.
func (w *World) clock(_ context.Context, c command) (string, error) {
	if len(c.names) < 1 || len(c.names) > 2 {
		return "", errors.New("want how far the clock moves, such as +5s, and before that whose")
	}
	d, err := time.ParseDuration(c.names[len(c.names)-1])
	if err != nil {
		return "", err
	}
	if len(c.names) == 1 {
		w.env.nowMillis += d.Milliseconds()
		return fmt.Sprintf("%d ms\n", w.env.nowMillis), nil
	}
	x := w.writer(c.names[0])
	x.skewMillis += d.Milliseconds()
	return fmt.Sprintf("%d ms\n", w.env.nowMillis+x.skewMillis), nil
}
