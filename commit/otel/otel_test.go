package otel_test

import (
	"context"
	"fmt"
	"testing"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/commit/otel"
)

func TestEnded(t *testing.T) {
	reader := metric.NewManualReader()
	m, err := otel.New(metric.NewMeterProvider(metric.WithReader(reader)).Meter("test"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		m.Ended(t.Context(), commit.Measurement{
			Table: "db.t", End: "conflict", Rule: commit.RuleRemoveGone, Attempts: 3, ObjectsWritten: 6, BytesWritten: 100,
			LeavesWritten: 1, LeavesOpened: 4, Events: map[commit.Rule]int{commit.RuleTargetMoved: 2},
		})
	}
	var data metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &data); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, scope := range data.ScopeMetrics {
		for _, m := range scope.Metrics {
			for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
				rule, _ := p.Attributes.Value("rule")
				got[m.Name] = fmt.Sprint(p.Value, " ", rule.AsString())
			}
		}
	}
	for name, want := range map[string]string{
		"firn.commit.ends": "2 remove-gone", "firn.commit.attempts": "6 ", "firn.commit.objects": "12 ", "firn.commit.bytes": "200 ",
		"firn.commit.leaves_written": "2 ", "firn.commit.leaves_opened": "8 ", "firn.commit.events": "4 target-moved",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}
