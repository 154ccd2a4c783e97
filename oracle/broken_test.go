package oracle_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/firn-io/firn/oracle"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/mem"
)

// TestBrokenManifests has one finding for each manifest that is missing or broken, with or without history.
func TestBrokenManifests(t *testing.T) {
	for _, test := range []struct {
		end, rule string
		damage    func(data []byte) []byte
		row       int64
	}{
		{"-m0.parquet", "READ-LEAF", nil, -1},
		{"-m0.parquet", "READ-LEAF", func(data []byte) []byte { return data[:len(data)/2] }, -1},
		{"-m0.parquet", "READ-LEAF", func(data []byte) []byte { return append(data, "PAR1"...) }, -1},
		{"-root-3.parquet", "READ-ROOT", nil, -1},
		{"-root-3.parquet", "READ-ROOT", func(data []byte) []byte { return []byte("PAR1 and nothing more") }, -1},
	} {
		objects, target := loaded(t, "leaves")
		name := object(t, objects, test.end)
		data, err := objects.Get(t.Context(), name, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := objects.Delete(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		if test.damage != nil {
			replace(t, objects, name, test.damage(data))
		}
		for _, history := range []bool{false, true} {
			findings, err := collect(t.Context(), target, oracle.Options{History: history})
			if err != nil || len(findings) != 1 || findings[0].Rule != test.rule || findings[0].Object != name ||
				findings[0].Row != test.row || findings[0].Severity != oracle.Error || findings[0].Snapshot == 0 {
				t.Errorf("%s, history %t: %+v, %v", test.end, history, findings, err)
			}
		}
		findings, err := collect(t.Context(), target, oracle.Options{Rules: []string{"E-DOTS"}})
		if err != nil || len(findings) != 1 {
			t.Errorf("%s with another rule asked for: %+v, %v", test.end, findings, err)
		}
		findings, err = collect(t.Context(), target, oracle.Options{Skip: []string{test.rule}})
		if err != nil || len(findings) != 0 {
			t.Errorf("%s with its rule left out: %+v, %v", test.end, findings, err)
		}
	}
}

// TestBrokenOnce reports a broken leaf once, also if snapshots in between do not have it.
func TestBrokenOnce(t *testing.T) {
	objects, target := loaded(t, "leaves")
	others, _ := loaded(t, "loose-only")
	root := object(t, others, "-root-1.parquet")
	data, err := others.Get(t.Context(), root, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := objects.Put(t.Context(), root, data); err != nil {
		t.Fatal(err)
	}
	edit(t, objects, target, func(m map[string]any) {
		for _, s := range m["snapshots"].([]any) {
			delete(s.(map[string]any), "parent-snapshot-id")
		}
		m["snapshots"].([]any)[1].(map[string]any)["root-manifest"] = root
	})
	if err := objects.Delete(t.Context(), object(t, objects, "-m0.parquet")); err != nil {
		t.Fatal(err)
	}
	findings, err := collect(t.Context(), target, oracle.Options{History: true})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range findings {
		if f.Rule == "READ-LEAF" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d findings of the same leaf, want 1", n)
	}
}

// failing is a store that fails for some objects, as a network does.
type failing struct {
	*mem.Objects
	end string
}

var errNetwork = errors.New("connection reset")

func (f failing) Get(ctx context.Context, name string, limit int64) ([]byte, error) {
	if strings.HasSuffix(name, f.end) {
		return nil, errNetwork
	}
	return f.Objects.Get(ctx, name, limit)
}

func (f failing) Stat(ctx context.Context, name string) (store.Info, error) {
	if strings.HasSuffix(name, f.end) {
		return store.Info{}, errNetwork
	}
	return f.Objects.Stat(ctx, name)
}

func (f failing) GetRange(ctx context.Context, name string, offset int64, p []byte) (int, error) {
	if strings.HasSuffix(name, f.end) {
		return 0, errNetwork
	}
	return f.Objects.GetRange(ctx, name, offset, p)
}

// TestFailingStore is no finding: of what cannot be had at the moment nothing can be said.
func TestFailingStore(t *testing.T) {
	for _, end := range []string{".metadata.json", "-root-3.parquet", "-m0.parquet"} {
		objects, target := loaded(t, "leaves")
		target.Objects = failing{objects, end}
		for _, history := range []bool{false, true} {
			findings, err := collect(t.Context(), target, oracle.Options{History: history})
			if !errors.Is(err, errNetwork) || len(findings) != 0 {
				t.Errorf("%s, history %t: %v, %v", end, history, findings, err)
			}
		}
	}
	_, target := loaded(t, "leaves")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := collect(ctx, target, oracle.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
