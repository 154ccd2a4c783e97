package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/firn-io/firn/internal/sysenv"
)

// progress is a line on a terminal that says how far a command is; elsewhere there is none.
type progress struct {
	out       io.Writer
	terminal  bool
	nowMillis func() int64
	// nextMillis is when the line may change again.
	nextMillis int64
	shown      bool
}

// progressMillis is how long a line stays at least.
const progressMillis = 200

func (a *app) newProgress() *progress {
	return &progress{out: a.stderr, terminal: isTerminal(a.stderr), nowMillis: sysenv.NowMillis}
}

// isTerminal reports whether a person may be reading.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// show replaces the line, not too often.
func (p *progress) show(text func() string) {
	if !p.terminal {
		return
	}
	now := p.nowMillis()
	if now < p.nextMillis {
		return
	}
	p.nextMillis, p.shown = now+progressMillis, true
	fmt.Fprintf(p.out, "\r\x1b[K%s", text())
}

// clear takes the line away.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}
