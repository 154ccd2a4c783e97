package world

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/mem"
)

// World is a store with at most one table, and the writers that work on it. Make one with [New]. It is for one
// goroutine.
type World struct {
	options Options
	objects *mem.Objects
	catalog *mem.Catalog
	env     *environment
	names   *names
	codec   treeio.Codec
	writers map[string]*writer
	model   model
	// noted are the objects as they were when they were first seen.
	noted map[string]object
	// last is the last commit of the engine, nil before the first and after a failed one.
	last *finished
	// checked says that the last command was a check.
	checked  bool
	problems []error
}

// Options are the settings of a World. The zero Options are good.
type Options struct {
	// Codec writes and reads manifests; default [treeio.Parquet].
	Codec treeio.Codec
}

// tableID names the table of every world.
var tableID = store.TableID{Namespace: "world", Name: "t"}

// New returns a world without a table.
func New(o Options) *World {
	if o.Codec == nil {
		o.Codec = treeio.Parquet{}
	}
	w := &World{options: o, checked: true}
	w.reset("")
	return w
}

// reset begins a new world for a table at a location.
func (w *World) reset(location string) {
	w.objects, w.catalog, w.env = new(mem.Objects), new(mem.Catalog), new(environment)
	w.names = &names{location: location}
	w.codec = namingCodec{w.options.Codec, w.names}
	w.writers = make(map[string]*writer)
	w.model, w.noted = make(model), make(map[string]object)
	w.last = nil
}

// Err returns what the world found wrong with the engine: a commit that broke an invariant, a live set or a change feed
// that is not the model's, or a script that did not check a table before it left it. What a script does to a tree by
// hand is not held against the engine.
func (w *World) Err() error {
	problems := slices.Clone(w.problems)
	if !w.checked {
		problems = append(problems, errors.New("the script ends without a check"))
	}
	return errors.Join(problems...)
}

// problem remembers that something is wrong, and returns it as it is printed.
func (w *World) problem(format string, args ...any) string {
	err := errors.New(w.names.shorten(fmt.Sprintf(format, args...)))
	w.problems = append(w.problems, err)
	return "WRONG: " + err.Error() + "\n"
}

// verb is a command of the interpreter.
type verb struct {
	run func(*World, context.Context, command) (string, error)
	// options are those that it takes, as words; a star takes any.
	options string
}

// verbs are all commands by name.
var verbs = map[string]verb{
	"table": {(*World).table, "cap policy root-bytes leaf-bytes location partition"},
	"clock": {(*World).clock, ""},

	"begin":   {(*World).begin, "by cap policy root-bytes leaf-bytes duplicates"},
	"add":     {(*World).add, "*"},
	"remove":  {(*World).remove, "by at seq"},
	"replace": {(*World).replace, "*"},
	"commit":  {(*World).commit, "by"},
	"hand":    {(*World).hand, ""},

	"tree":      {(*World).tree, "with at"},
	"leaf":      {(*World).leaf, "with at"},
	"live":      {(*World).live, "at"},
	"changes":   {(*World).changes, "at"},
	"plan":      {(*World).plan, ""},
	"cost":      {(*World).cost, ""},
	"objects":   {(*World).listObjects, ""},
	"untouched": {(*World).untouched, ""},
	"check":     {(*World).check, ""},
}

// Do runs one command and returns what it prints, with a newline at its end unless it prints nothing. An error is
// printed too. The commands that change the table, each for the writer that by=NAME names:
//
//	table cap=8 [location=L] [partition="day(ts)"]   leave the table and make a new, empty one; or policy=never,
//	                                                 policy=when-full root-bytes=N leaf-bytes=N
//	clock +5s                                        move the clock; it moves a second before each commit by itself
//	begin [cap=5] [duplicates=unchecked]             begin a transaction with options; the verbs below begin one without
//	add a1..a4 [rows=10 and other fields]            add data files; fields are spelt as treetext spells them
//	remove a1 [at=2] [seq=1]                         remove files; with at= by the hint that snapshot 2 gives
//	replace a1 a2 with b1 [at=2] [seq=1]             remove files that others rewrite; seq= is their data's number
//	commit                                           commit the transaction, an empty one if nothing was begun
//	hand                                             commit the tree in the body, whatever is wrong with it
//
// Those that look at the table, or with at=2 at its snapshot 2; with= shows parts that treetext can hide, of numbers,
// counts, file, stats, foreign, header and leaves:
//
//	tree [with=numbers,leaves]   the rows of the root
//	leaf L1 [with=stats]         the rows of a leaf after inheritance, with numbers
//	live, changes                the live files, and what the snapshot changed
//	plan, cost                   what the policy planned for the last commit, and what it took
//	objects, untouched           the manifests in the store, and since when they have had their bytes
//	check                        all invariants over the whole history, the model, and what nobody references
//
// A name is that of a file as it is stored, or the short name of a manifest that the engine wrote; a1..a4 are four
// names. One with spaces or an equals sign is quoted.
func (w *World) Do(text string) string {
	out, err := w.do(context.Background(), text)
	if err != nil {
		out += "error: " + strings.TrimRight(err.Error(), "\n") + "\n"
	}
	return w.names.shorten(out)
}

func (w *World) do(ctx context.Context, text string) (string, error) {
	c, err := parseCommand(text)
	if err != nil {
		return "", err
	}
	v, known := verbs[c.verb]
	if !known {
		return "", fmt.Errorf("there is no command %s", c.verb)
	}
	for _, o := range c.options {
		if v.options != "*" && !slices.Contains(strings.Fields(v.options), o.name) {
			return "", fmt.Errorf("%s has no option %s", c.verb, o.name)
		}
	}
	if c.verb != "hand" && c.body != "" {
		return "", fmt.Errorf("%s has no body", c.verb)
	}
	out, err := v.run(w, ctx, c)
	w.checked = c.verb == "check" && err == nil
	return out, err
}

// Run runs a script, one command a line, and returns what its commands print. Lines that begin with a space or a tab are
// the body of the command above them.
func (w *World) Run(script string) string {
	var out strings.Builder
	for _, text := range Commands(script) {
		out.WriteString(w.Do(text))
	}
	return out.String()
}

// Commands returns the commands of a script as [World.Do] takes them.
func Commands(script string) []string {
	var commands []string
	for line := range strings.Lines(script) {
		line = strings.TrimRight(line, " \t\n")
		switch {
		case line == "":
		case line[0] != ' ' && line[0] != '\t' || len(commands) == 0:
			commands = append(commands, line)
		default:
			commands[len(commands)-1] += "\n" + line
		}
	}
	return commands
}

// open returns the table as nobody's faults disturb it.
func (w *World) open() *commit.Table {
	return commit.Open(tableID, w.catalog, w.objects, commit.Options{Env: w.env.forCommits(), Codec: w.codec})
}
