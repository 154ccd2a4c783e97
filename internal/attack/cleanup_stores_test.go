package attack_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/pgtest"
	"github.com/firn-io/firn/internal/s3test"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/dir"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/store/s3"
	"github.com/firn-io/firn/store/sqlcatalog"
	"github.com/firn-io/firn/tree"
)

// lossy loses every few requests, in turn before and after the server has seen them.
type lossy struct {
	every, n atomic.Int64
}

func (l *lossy) Do(request *http.Request) (*http.Response, error) {
	n, every := l.n.Add(1), l.every.Load()
	if every == 0 || n%every != 0 {
		return http.DefaultClient.Do(request)
	}
	if n/every%2 == 0 {
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			response.Body.Close()
		}
	}
	return nil, &url.Error{Op: request.Method, URL: request.URL.Host, Err: errors.New("the connection was reset")}
}

// realEnv is an environment whose clock is ahead and that does not wait long.
func realEnv(ahead time.Duration) commit.Env {
	return commit.Env{
		NowMillis: func() int64 { return time.Now().Add(ahead).UnixMilli() },
		Sleep:     func(context.Context, int64) error { time.Sleep(time.Millisecond); return nil },
	}
}

// told is what the writers of a test were told.
type told struct {
	sync.Mutex
	committed, failed []string
	unknown           map[string]commit.Token
}

// append appends one file and notes what came of it.
func (w *told) append(ctx context.Context, table *commit.Table, f tree.File) {
	x, err := table.Begin(ctx, commit.TxnOptions{MaxAttempts: 30})
	if err == nil {
		x.Append(f)
		_, err = x.Commit(ctx)
	}
	w.Lock()
	defer w.Unlock()
	var unknown *commit.UnknownError
	switch {
	case err == nil:
		w.committed = append(w.committed, f.Location)
	case errors.As(err, &unknown):
		w.unknown[f.Location] = unknown.Token
	default:
		w.failed = append(w.failed, f.Location)
	}
}

// settle asks for every outcome that is open, and holds what was told against the live files.
func (w *told) settle(t *testing.T, on testtable.On) {
	t.Helper()
	for name, token := range w.unknown {
		outcome, err := on.Open(0, nil).Outcome(t.Context(), token)
		switch {
		case err != nil || outcome == commit.Unknown:
			t.Errorf("%s: %s, %v", name, outcome, err)
		case outcome == commit.Committed:
			w.committed = append(w.committed, name)
		}
	}
	live, err := on.Live(t.Context())
	slices.Sort(w.committed)
	if err != nil || !slices.Equal(live, w.committed) {
		t.Errorf("%v\nlive      %q\ncommitted %q", err, live, w.committed)
	}
	if err := on.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestCleanUpLossyS3 lets writers and clean-ups work on a bucket whose server loses requests and answers.
func TestCleanUpLossyS3(t *testing.T) {
	s3test.Server(t)
	wire := &lossy{}
	objects, err := s3.Open(t.Context(), s3.Options{PartBytes: -1, MaxAttempts: 2, MaxDelay: time.Millisecond, HTTPClient: wire})
	if err != nil {
		t.Fatal(err)
	}
	on := testtable.On{Objects: objects, Catalog: &mem.Catalog{}, ID: testtable.ID, Location: "s3://" + s3test.Bucket + "/t"}
	if err := on.Make(t.Context(), map[string]string{"firn.policy": "cap", "firn.policy.rows": "6"}); err != nil {
		t.Fatal(err)
	}
	w := told{unknown: map[string]commit.Token{}}
	wire.every.Store(7)
	var group sync.WaitGroup
	for n := range 3 {
		group.Go(func() {
			table := commit.Open(on.ID, on.Catalog, objects, commit.Options{Env: realEnv(0)})
			for i := range 8 {
				f := testtable.File(100*n + i)
				f.Location = fmt.Sprintf("%s/data/%d %d.parquet", on.Location, n, i)
				// A file is added only once it is written, as no writer would else: a request may be lost at each attempt.
				for objects.Put(t.Context(), f.Location, []byte("rows")) != nil {
					if _, err := objects.Stat(t.Context(), f.Location); err == nil {
						break
					}
				}
				w.append(t.Context(), table, f)
			}
		})
	}
	group.Go(func() {
		table := commit.Open(on.ID, on.Catalog, objects, commit.Options{Env: realEnv(0)})
		for range 5 {
			_, _ = maintain.Expire(t.Context(), table, maintain.ExpireOptions{Policy: newest(2), Resume: true})
			_, _ = maintain.Orphans(t.Context(), table, maintain.OrphanOptions{Delete: true, AgeMillis: some(int64(60_000))})
		}
	})
	group.Wait()

	wire.every.Store(0)
	w.settle(t, on)
	cleanStore(t, on)
}

// cleanStore checks that a table has all that it shows, and that a search for orphans leaves nothing else.
func cleanStore(t *testing.T, on testtable.On) {
	t.Helper()
	table := commit.Open(on.ID, on.Catalog, on.Objects, commit.Options{Env: realEnv(time.Hour)})
	if _, err := show(t.Context(), table); err != nil {
		t.Error(err)
	}
	if _, err := maintain.Orphans(t.Context(), table, everything); err != nil {
		t.Error(err)
	}
	shown, err := show(t.Context(), table)
	if err != nil {
		t.Error(err)
	}
	for info, err := range on.Objects.List(t.Context(), on.Location+"/") {
		if err != nil || !shown[info.Name] {
			t.Errorf("left over: %s, %v", info.Name, err)
		}
	}
}

// TestCleanUpOddNames: names that a listing might spell in another way.
func TestCleanUpOddNames(t *testing.T) {
	odd := []string{
		"data/a b.parquet", "data/a%20b.parquet", "data/a+b.parquet", "data/a%2Bb.parquet", "data/ü.parquet", "data/u\u0308.parquet",
		"data/a&b<c>\"d'.parquet", "data/a?b#c.parquet", "data/a:b.parquet", "data/a=b/c=d%3D.parquet", "data/A B.parquet", "data/\u4e2d.parquet",
	}
	onS3, location := s3test.Store(t)
	for name, on := range map[string]testtable.On{
		"folder":                   {Objects: dir.New(), Location: "file://" + t.TempDir() + "/a table%20 of+ü"},
		"bucket":                   {Objects: onS3, Location: location + "/a table%20 of+ü"},
		"bucket, slash at the end": {Objects: onS3, Location: location + "/slash/"},
		"memory, another name":     {Objects: &mem.Objects{}, Location: "mem://wh/t t%20"},
	} {
		t.Run(name, func(t *testing.T) {
			on.Catalog, on.ID = &mem.Catalog{}, testtable.ID
			if err := on.Make(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			table := commit.Open(on.ID, on.Catalog, on.Objects, commit.Options{Env: realEnv(time.Hour)})
			x, err := table.Begin(t.Context(), commit.TxnOptions{Policy: simple.Cap{Rows: 5}})
			if err != nil {
				t.Fatal(err)
			}
			var strays []string
			for n, name := range odd {
				f := testtable.File(n)
				f.Location = on.Location + "/" + name
				stray := f.Location + " x"
				if err := errors.Join(on.Objects.Put(t.Context(), f.Location, []byte("a")), on.Objects.Put(t.Context(), stray, []byte("b"))); err != nil {
					t.Fatal(err)
				}
				strays = append(strays, stray)
				x.Append(f)
			}
			if _, err := x.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			r, err := maintain.Orphans(t.Context(), table, everything)
			var got []string
			for _, o := range r.Deleted {
				got = append(got, o.Location)
			}
			slices.Sort(got)
			slices.Sort(strays)
			if err != nil || !slices.Equal(got, strays) {
				t.Errorf("%v\n got %q\nwant %q", err, got, strays)
			}
			cleanStore(t, on)
		})
	}
}

// cutter is a proxy of a database that cuts every few connections at their COMMIT, in turn before and after the server has it.
type cutter struct {
	server string
	every  int64
	n      atomic.Int64
}

func (c *cutter) serve(t *testing.T) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var links sync.WaitGroup
	links.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			links.Go(func() { c.link(client) })
		}
	})
	t.Cleanup(func() { listener.Close(); links.Wait() })
	return listener.Addr().String()
}

func (c *cutter) link(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", c.server)
	if err != nil {
		return
	}
	defer server.Close()
	var answers sync.WaitGroup
	var silent atomic.Bool
	answers.Go(func() { copyWhile(client, server, func([]byte) bool { return !silent.Load() }); client.Close() })
	defer answers.Wait()
	defer server.Close()
	copyWhile(server, client, func(message []byte) bool {
		if !bytes.Contains(bytes.ToLower(message), []byte("commit\x00")) {
			return true
		}
		n := c.n.Add(1)
		if n%c.every != 0 {
			return true
		}
		if n/c.every%2 == 0 {
			silent.Store(true) // the answer is lost
			return true
		}
		return false
	})
}

func copyWhile(to, from net.Conn, passes func([]byte) bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil || !passes(buffer[:n]) {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// TestCleanUpCutCommits lets eight writers and an expiry share a PostgreSQL server whose connections are cut at COMMIT.
func TestCleanUpCutCommits(t *testing.T) {
	uri, err := url.Parse(pgtest.Schema(t))
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{server: uri.Host, every: 3}
	if _, err := sqlcatalog.Open(t.Context(), uri.String()); err != nil {
		t.Fatal(err)
	}
	straight, err := sqlcatalog.Open(t.Context(), uri.String())
	if err != nil {
		t.Fatal(err)
	}
	defer straight.Close()
	uri.Host = c.serve(t)
	catalog, err := sqlcatalog.Options{Existing: true}.Open(t.Context(), uri.String())
	if err != nil {
		t.Fatal(err)
	}
	defer catalog.Close()
	on := testtable.On{Objects: &mem.Objects{Now: time.Now}, Catalog: straight, ID: store.TableID{Namespace: "db", Name: uuid.NewString()}, Location: "mem://wh/t"}
	if err := on.Make(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	w := told{unknown: map[string]commit.Token{}}
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			table := commit.Open(on.ID, catalog, on.Objects, commit.Options{Env: realEnv(0)})
			for i := range 5 {
				f := testtable.File(100*n + i)
				_ = on.Objects.Put(t.Context(), f.Location, nil)
				w.append(t.Context(), table, f)
			}
		})
	}
	group.Wait()

	if c.n.Load() == 0 {
		t.Error("no commit was cut")
	}
	w.settle(t, on)
	cleanStore(t, on)
}
