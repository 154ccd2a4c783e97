package s3_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
)

// fate is what becomes of a request.
type fate func(request *http.Request) (*http.Response, error)

// wire is the way to a server. Conditional writes, those of probes left out, meet their fates one after the other;
// when there are no more, and for all other requests, the way is clear.
type wire struct {
	fates []fate
	// before, if set, changes each request, or answers it.
	before func(request *http.Request) *http.Response
	// all, if set, is what becomes of every request.
	all fate

	mu       sync.Mutex
	requests []string // METHOD and path of each, as sent
}

// RoundTrip implements [http.RoundTripper].
func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	meets := w.next(request)
	request = request.Clone(request.Context())
	if w.before != nil {
		if response := w.before(request); response != nil {
			return drain(request, response)
		}
	}
	return meets(request)
}

// next notes a request and takes its fate from the list.
func (w *wire) next(request *http.Request) fate {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = append(w.requests, request.Method+" "+request.URL.EscapedPath())
	write := request.Header.Get("If-None-Match") != "" && !strings.Contains(request.URL.Path, "firn-probe")
	if w.all != nil {
		return w.all
	}
	if !write || len(w.fates) == 0 {
		return arrives
	}
	first := w.fates[0]
	w.fates = w.fates[1:]
	return first
}

// sent returns how many requests contain a text.
func (w *wire) sent(text string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Count(strings.Join(w.requests, "\n"), text)
}

// errReset is a connection that broke.
var errReset = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}

// arrives brings the request to the server and its answer back.
func arrives(request *http.Request) (*http.Response, error) {
	return http.DefaultTransport.RoundTrip(request)
}

// lost brings the request to the server, and loses the answer.
func lost(request *http.Request) (*http.Response, error) {
	response, err := arrives(request)
	if err != nil {
		return nil, err
	}
	response.Body.Close()
	return nil, errReset
}

// dropped loses the request.
func dropped(request *http.Request) (*http.Response, error) {
	_, _ = drain(request, nil)
	return nil, errReset
}

// refusedConnection is a server that is not there.
func refusedConnection(request *http.Request) (*http.Response, error) {
	_, _ = drain(request, nil)
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

// says answers in the server's place.
func says(status int, code string) fate {
	return func(request *http.Request) (*http.Response, error) { return drain(request, answer(status, code)) }
}

// landsAndSays brings the request to the server, and gives another answer.
func landsAndSays(status int, code string) fate {
	return func(request *http.Request) (*http.Response, error) {
		if _, err := lost(request); !errors.Is(err, errReset) {
			return nil, err
		}
		response := answer(status, code)
		response.Request = request
		return response, nil
	}
}

// drain reads the request's content, as a server does.
func drain(request *http.Request, response *http.Response) (*http.Response, error) {
	if request.Body != nil {
		if _, err := io.Copy(io.Discard, request.Body); err != nil {
			return nil, err
		}
		request.Body.Close()
	}
	if response != nil {
		response.Request = request
	}
	if response != nil && request.Method == http.MethodHead {
		response.Body = http.NoBody
	}
	return response, nil
}

// answer is an error of S3.
func answer(status int, code string) *http.Response {
	text := fmt.Sprintf("<Error><Code>%s</Code><Message>in words</Message><RequestId>R1</RequestId></Error>", code)
	return plainAnswer(status, text)
}

// plainAnswer is any answer; the headers are names and values in turn.
func plainAnswer(status int, text string, headers ...string) *http.Response {
	header := make(http.Header)
	for i := 0; i < len(headers); i += 2 {
		header.Set(headers[i], headers[i+1])
	}
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), ProtoMajor: 1, ProtoMinor: 1, Header: header,
		ContentLength: int64(len(text)), Body: io.NopCloser(bytes.NewReader([]byte(text))),
	}
}
