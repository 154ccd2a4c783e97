package sqlcatalog_test

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// cut is what happens to the first message of a client that holds a text.
type cut struct {
	at string
	// lands says that the server gets the message and answers it; the answer is lost.
	lands bool
	// then is called instead of closing the connection, which stays as it is, without a further word.
	then func()
	// before is called before the server gets the message; nothing is lost then.
	before func()
}

// proxy stands between clients and a server. Only the first connection that meets the cut is treated so.
type proxy struct {
	server string
	cut    cut
	armed  atomic.Bool
	links  sync.WaitGroup
}

// through returns the URI of a proxy before the server of a URI, for the time of the test.
func through(t *testing.T, uri string, c cut) string {
	t.Helper()
	to, err := url.Parse(uri)
	must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p := &proxy{server: to.Host, cut: c}
	p.armed.Store(true)
	p.links.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			p.links.Go(func() { p.link(client) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		p.links.Wait()
	})
	to.Host = listener.Addr().String()
	return to.String()
}

// link forwards in both directions until one side or the cut ends it.
func (p *proxy) link(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	var lost atomic.Bool // the server's next words
	p.links.Go(func() {
		defer client.Close()
		forward(client, server, func([]byte) bool { return !lost.Load() || p.end(client) })
	})
	forward(server, client, func(message []byte) bool {
		if !bytes.Contains(message, []byte(p.cut.at)) || !p.armed.CompareAndSwap(true, false) {
			return true
		}
		if p.cut.before != nil {
			p.cut.before()
			return true
		}
		lost.Store(true)
		return p.cut.lands || p.end(client)
	})
}

// end does what the cut is for, and returns false: the message goes no further.
func (p *proxy) end(client net.Conn) bool {
	if p.cut.then != nil {
		p.cut.then()
	} else {
		client.Close()
	}
	return false
}

// forward copies what passes.
func forward(to io.Writer, from io.Reader, passes func(message []byte) bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if !passes(buffer[:n]) {
			continue
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}
