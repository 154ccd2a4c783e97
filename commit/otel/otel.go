// Package otel hands the measurements of commits to OpenTelemetry. It is a module of its own, so that those who do not
// use it do not depend on OpenTelemetry.
package otel

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/firn-io/firn/commit"
)

// Metrics is a [commit.Metrics] that counts with the instruments of a meter. Make one with [New]. It is safe for
// concurrent use.
type Metrics struct {
	ends, attempts, objects, bytes, written, opened, events metric.Int64Counter
}

var _ commit.Metrics = (*Metrics)(nil)

// New makes the instruments:
//
//	firn.commit.ends            transactions, by table, end and rule
//	firn.commit.attempts        attempts, by table
//	firn.commit.objects         objects written, by table
//	firn.commit.bytes           bytes written, by table
//	firn.commit.leaves_written  leaf manifests written, by table
//	firn.commit.leaves_opened   leaf manifests whose rows were read, by table
//	firn.commit.events          rules that fitted a change to what another writer did, by table and rule
func New(meter metric.Meter) (*Metrics, error) {
	m := new(Metrics)
	var errs []error
	for _, i := range []struct {
		counter                 *metric.Int64Counter
		name, unit, description string
	}{
		{&m.ends, "firn.commit.ends", "{transaction}", "Transactions by how they ended."},
		{&m.attempts, "firn.commit.attempts", "{attempt}", "Attempts of all transactions."},
		{&m.objects, "firn.commit.objects", "{object}", "Objects written, those of lost attempts included."},
		{&m.bytes, "firn.commit.bytes", "By", "Bytes written, those of lost attempts included."},
		{&m.written, "firn.commit.leaves_written", "{manifest}", "Leaf manifests written."},
		{&m.opened, "firn.commit.leaves_opened", "{manifest}", "Leaf manifests whose rows were read."},
		{&m.events, "firn.commit.events", "{event}", "Changes fitted to what other writers did, by rule."},
	} {
		var err error
		*i.counter, err = meter.Int64Counter(i.name, metric.WithUnit(i.unit), metric.WithDescription(i.description))
		errs = append(errs, err)
	}
	return m, errors.Join(errs...)
}

// Ended implements [commit.Metrics].
func (m *Metrics) Ended(ctx context.Context, x commit.Measurement) {
	table := attribute.String("table", x.Table)
	here := metric.WithAttributes(table)
	m.ends.Add(ctx, 1, metric.WithAttributes(table, attribute.String("end", x.End), attribute.String("rule", string(x.Rule))))
	m.attempts.Add(ctx, int64(x.Attempts), here)
	m.objects.Add(ctx, int64(x.ObjectsWritten), here)
	m.bytes.Add(ctx, x.BytesWritten, here)
	m.written.Add(ctx, int64(x.LeavesWritten), here)
	m.opened.Add(ctx, int64(x.LeavesOpened), here)
	for rule, n := range x.Events {
		m.events.Add(ctx, int64(n), metric.WithAttributes(table, attribute.String("rule", string(rule))))
	}
}
