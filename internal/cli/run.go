package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/target"
)

// app is one run of the program.
type app struct {
	stdin  io.Reader
	out    *bufio.Writer
	stderr io.Writer
	getenv func(string) string

	// What the flags say that every command has.
	names  target.Options
	format format
	// running says that the command line was understood: what fails before is wrong use.
	running bool
	// access is open while a command uses it.
	access *target.Access
}

// Run runs the program with the arguments that follow its name, and returns the code to exit with. When ctx is
// canceled the command stops as soon as it can, and the code says that it was interrupted.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	a := &app{stdin: stdin, out: bufio.NewWriter(answer{stdout}), stderr: stderr, getenv: getenv, format: formatText}
	a.names.Getenv = getenv
	root := a.root()
	root.SetArgs(spreadLists(root, args))
	err := root.ExecuteContext(ctx)
	if err != nil && !a.running {
		err = &target.UsageError{Err: err}
	}
	if closed := a.close(); err == nil {
		err = closed
	}
	if flushed := a.out.Flush(); err == nil {
		err = flushed
	}
	return a.report(ctx, err)
}

// answer is standard output: its errors say so.
type answer struct{ io.Writer }

// Write implements [io.Writer].
func (w answer) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil {
		err = fmt.Errorf("standard output: %w", err)
	}
	return n, err
}

// close closes what the command opened.
func (a *app) close() error {
	if a.access == nil {
		return nil
	}
	return a.access.Close()
}

// report prints the error, if there is one to print, and returns the exit code.
func (a *app) report(ctx context.Context, err error) int {
	code := exitCode(ctx, err)
	if code == exitDone || code == exitFindings {
		return code
	}
	message := withoutPackages(oneLine(err.Error()))
	if code == exitInterrupted {
		message = "interrupted: " + message
	}
	var unknown *commit.UnknownError
	errors.As(err, &unknown)
	if a.format == formatJSON {
		line, _ := json.Marshal(failure{code, message, tokenOf(unknown)}) // a number and texts
		fmt.Fprintf(a.stderr, "%s\n", line)
		return code
	}
	fmt.Fprintf(a.stderr, "firn: %s\n", message)
	if unknown != nil {
		line, _ := json.Marshal(unknown.Token)
		a.notice("firn outcome %s - tells later what became of it, with this on standard input: %s", unknown.Token.Table, line)
	}
	return code
}

// failure is an error in JSON.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	// Token asks firn outcome what became of a commit of which that is not known.
	Token *commit.Token `json:"token,omitempty"`
}

func tokenOf(unknown *commit.UnknownError) *commit.Token {
	if unknown == nil {
		return nil
	}
	return &unknown.Token
}

// packageSubject finds the names of packages with which errors begin: they tell a programmer where to look, and a user
// nothing. Names that are also words of the format, such as metadata and tree, stay.
var packageSubject = regexp.MustCompile(`(^|[:;] )(?:bound|datafile|invariants|maintain|manifestio|match|mdv|oracle|treeio|treetext): `)

// withoutPackages leaves out the names of packages. One may follow another, so that it takes several passes.
func withoutPackages(message string) string {
	for packageSubject.MatchString(message) {
		message = packageSubject.ReplaceAllString(message, "$1")
	}
	return message
}

// notice prints a line that is neither answer nor error.
func (a *app) notice(format string, args ...any) {
	fmt.Fprintln(a.stderr, withoutPackages(oneLine(fmt.Sprintf(format, args...))))
}

// oneLine joins the lines of a message: joined errors come one a line.
func oneLine(message string) string {
	lines := strings.FieldsFunc(message, func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.Join(lines, "; ")
}
