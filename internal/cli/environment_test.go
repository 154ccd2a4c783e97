package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/firn-io/firn/internal/s3test"
)

// TestUnreachable says which server does not answer, and no password.
func TestUnreachable(t *testing.T) {
	in(t)
	const catalog = "postgres://someone:secret@127.0.0.1:1/d"
	for _, args := range [][]string{
		{"log", "a.b", "--catalog", catalog},
		{"init", "a.b", "--like", event("01"), "--catalog", catalog},
	} {
		r := run(t, args...)
		checkFailure(t, r, 6, "catalog postgres://someone@127.0.0.1:1/d", args...)
		if strings.Contains(r.stderr, "secret") {
			t.Errorf("the password is shown: %s", r.stderr)
		}
	}
	s3test.Environ(t, "http://127.0.0.1:1")
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	refuse(t, 6, "server unreachable", "init", "a.b", "--like", event("01"), "--warehouse", "s3://b/w")
}

// TestPasswords shows none of a catalog that cannot be understood.
func TestPasswords(t *testing.T) {
	in(t)
	for _, catalog := range []string{
		"mysql://someone:secret@h/d", "postgres://someone:sec/ret@h/d", "postgres:someone:secret@h", "postgresql://someone:secret@h:port/d",
	} {
		r := run(t, "log", "a.b", "--catalog", catalog)
		checkFailure(t, r, 2, "catalog", "log")
		if strings.Contains(r.stderr, "sec") {
			t.Errorf("%s: the password is shown: %s", catalog, r.stderr)
		}
	}
}

// TestBuckets says what is wrong with a bucket or with the credentials, and makes no table.
func TestBuckets(t *testing.T) {
	in(t)
	endpoint := s3test.Server(t)
	begin := func(warehouse string) []string {
		return []string{"init", "a.b", "--like", event("01"), "--warehouse", warehouse}
	}
	refuse(t, 6, "no such bucket", begin("s3://nowhere/w")...)
	refuse(t, 6, `no store for scheme "s3a": --map s3a://`+s3test.Bucket+"=s3://"+s3test.Bucket, begin("s3a://"+s3test.Bucket+"/w")...)
	do(t, append(begin("s3a://"+s3test.Bucket+"/w"), "--map", "s3a://"+s3test.Bucket+"=s3://"+s3test.Bucket)...)

	origin, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(origin)
	careless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("If-None-Match")
		proxy.ServeHTTP(w, r)
	}))
	defer careless.Close()
	t.Setenv("AWS_ENDPOINT_URL", careless.URL)
	in(t)
	refuse(t, 6, "no conditional writes", begin("s3://"+s3test.Bucket+"/careless")...)

	expired := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>`)
	}))
	defer expired.Close()
	t.Setenv("AWS_ENDPOINT_URL", expired.URL)
	refuse(t, 6, "bad credentials", begin("s3://"+s3test.Bucket+"/w")...)
	refuse(t, 6, "get new ones", "log", "s3://"+s3test.Bucket+"/w/a/b")
}

// TestBrokenEntries are entries of the catalog that lead to no metadata of this program.
func TestBrokenEntries(t *testing.T) {
	for _, test := range []struct {
		code         int
		text, advice string
		damage       func(name string, data []byte)
	}{
		{6, "not found", "put it back from a copy", func(name string, _ []byte) { removeFile(t, name) }},
		{5, "metadata", "put the right file back", func(name string, _ []byte) { writeFile(t, name, []byte(`{"rows": 1}`)) }},
		{5, "metadata", "put the right file back", func(name string, data []byte) { writeFile(t, name, data[:len(data)/2]) }},
		{5, "format version 5 is not supported", "a newer version of firn may read it", func(name string, data []byte) {
			writeFile(t, name, []byte(strings.Replace(string(data), `"format-version":4`, `"format-version":5`, 1)))
		}},
	} {
		newTable(t)
		do(t, "append", "a.b", copyEvent(t, "01"))
		name := only(t, "warehouse/a/b/metadata/00001-*.metadata.json")
		test.damage(name, readFile(t, name))
		where := "catalog sqlite:firn.db names this file as the metadata of table a.b"
		for _, args := range [][]string{
			{"log", "a.b"}, {"files", "a.b"}, {"stats", "a.b"}, {"changes", "a.b", "~0", "~0"}, {"branch", "a.b", "list"},
			{"append", "a.b", event("02")}, {"remove", "a.b", "x"}, {"delete-rows", "a.b", "x", "--positions", "1"},
			{"restore", "a.b", "~0"}, {"maintain", "a.b"}, {"expire", "a.b", "--keep", "1"}, {"orphans", "a.b"},
			{"branch", "a.b", "create", "x"},
		} {
			r := run(t, args...)
			for _, text := range []string{test.text, where, test.advice} {
				checkFailure(t, r, test.code, text, args...)
			}
		}
	}
}

func removeFile(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}
