package report_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/firn-io/firn/internal/testparts"
)

// browser is a headless Chromium with one page, driven over a pipe by its debugging protocol: each message is JSON and ends with a zero
// byte. That is all that the test needs of a driver.
type browser struct {
	t       *testing.T
	in      *os.File
	out     *os.File
	lines   *bufio.Reader
	next    int
	session string
	// said are the errors and warnings of the page, asked its requests.
	said, asked []string
}

// message is what comes from the browser: an answer with an id, or an event.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// fields are the parameters of a call.
type fields map[string]any

// patience is how long an answer may take on a busy machine.
const patience = 60 * time.Second

// startBrowser starts the browser that FIRN_BROWSER names, or that is installed.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	path := os.Getenv("FIRN_BROWSER")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path == "" {
			path, _ = exec.LookPath(name)
		}
	}
	if path == "" {
		testparts.Missing(t, testparts.Browser, "no Chromium: install one, or name it in FIRN_BROWSER")
	}
	args := []string{"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + t.TempDir(), "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
		"--hide-scrollbars", "--disable-background-networking", "--disable-component-update", "--force-color-profile=srgb", "about:blank"}
	if os.Getuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...)
	}
	theirIn, in, err := os.Pipe()
	fatal(t, err)
	out, theirOut, err := os.Pipe()
	fatal(t, err)
	cmd := exec.Command(path, args...)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	var log bytes.Buffer
	cmd.Stderr = &log
	fatal(t, cmd.Start())
	theirIn.Close()
	theirOut.Close()
	b := &browser{t: t, in: in, out: out, lines: bufio.NewReaderSize(out, 1<<20)}
	t.Cleanup(func() {
		// A browser that ends by itself leaves nothing behind in its folder.
		if err := b.send("Browser.close", nil); err != nil {
			t.Logf("closing the browser: %v", err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
		in.Close()
		out.Close()
		if t.Failed() {
			for line := range strings.Lines(log.String()) {
				// Machines without a desktop have no message bus, which is nobody's fault.
				if !strings.Contains(line, ":ERROR:dbus/") {
					t.Logf("the browser said: %s", line)
				}
			}
		}
	})
	var target struct{ TargetID, SessionID string }
	b.call("Target.createTarget", fields{"url": "about:blank"}, &target)
	b.call("Target.attachToTarget", fields{"targetId": target.TargetID, "flatten": true}, &target)
	b.session = target.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (b *browser) send(method string, params fields) error {
	b.next++
	m := fields{"id": b.next, "method": method, "params": params}
	if params == nil {
		m["params"] = fields{}
	}
	if b.session != "" && method != "Browser.close" {
		m["sessionId"] = b.session
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = b.in.Write(append(data, 0))
	return err
}

// call calls a method and waits for its answer.
func (b *browser) call(method string, params fields, result any) {
	b.t.Helper()
	fatal(b.t, b.send(method, params))
	id := b.next
	for {
		m := b.read()
		if m.ID != id {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		}
		if result != nil {
			fatal(b.t, json.Unmarshal(m.Result, result))
		}
		return
	}
}

// read reads a message, and keeps what the page says and asks for.
func (b *browser) read() message {
	b.t.Helper()
	fatal(b.t, b.out.SetReadDeadline(time.Now().Add(patience)))
	data, err := b.lines.ReadBytes(0)
	fatal(b.t, err)
	var m message
	fatal(b.t, json.Unmarshal(bytes.TrimSuffix(data, []byte{0}), &m))
	switch m.Method {
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded":
		b.said = append(b.said, string(m.Params))
	case "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		fatal(b.t, json.Unmarshal(m.Params, &p))
		b.asked = append(b.asked, p.Request.URL)
	}
	return m
}

// open loads a page and waits until it is there.
func (b *browser) open(url string) {
	b.t.Helper()
	b.said, b.asked = nil, nil
	b.call("Page.navigate", fields{"url": url}, nil)
	for b.read().Method != "Page.loadEventFired" {
	}
}

// look evaluates an expression in the page.
func (b *browser) look(expression string, result any) {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", fields{"expression": expression, "returnByValue": true, "awaitPromise": true}, &r)
	if r.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, r.ExceptionDetails)
	}
	if result != nil {
		if err := json.Unmarshal(r.Result.Value, result); err != nil {
			b.t.Fatalf("%s gives %s: %v", expression, r.Result.Value, err)
		}
	}
}

// text evaluates an expression that gives a string.
func (b *browser) text(expression string) string {
	b.t.Helper()
	var s string
	b.look("String("+expression+")", &s)
	return s
}

// click clicks, as a person does, in the middle of the element that an expression gives.
func (b *browser) click(element string) {
	b.t.Helper()
	var at struct{ X, Y float64 }
	b.look(fmt.Sprintf(`(() => { const e = %s; e.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
		const r = e.getBoundingClientRect(); return {x: r.left + r.width / 2, y: r.top + r.height / 2}; })()`, element), &at)
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		b.call("Input.dispatchMouseEvent", fields{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil)
	}
}

// press presses a key.
func (b *browser) press(key string, code int) {
	b.t.Helper()
	down := fields{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code}
	if key == "Enter" {
		down["text"] = "\r"
	}
	b.call("Input.dispatchKeyEvent", down, nil)
	b.call("Input.dispatchKeyEvent", fields{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code}, nil)
}

// prefers sets the theme that the system wishes, and the size of the window.
func (b *browser) prefers(theme string, width int) {
	b.t.Helper()
	b.call("Emulation.setEmulatedMedia", fields{"features": []fields{{"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": "reduce"}}}, nil)
	b.call("Emulation.setDeviceMetricsOverride", fields{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// picture is what an element looks like, as a PNG.
func (b *browser) picture(element string) []byte {
	b.t.Helper()
	var clip struct{ X, Y, Width, Height float64 }
	b.look(fmt.Sprintf(`(() => { document.activeElement.blur(); const r = %s.getBoundingClientRect();
		return {x: r.left + scrollX, y: r.top + scrollY, width: r.width, height: r.height}; })()`, element), &clip)
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", fields{"format": "png", "captureBeyondViewport": true,
		"clip": fields{"x": clip.X - 16, "y": clip.Y, "width": clip.Width + 32, "height": clip.Height + 16, "scale": 1}}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	fatal(b.t, err)
	return data
}

// address is the URL of a file.
func address(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	fatal(t, err)
	return "file://" + filepath.ToSlash(path)
}
