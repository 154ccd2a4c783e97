package world

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/store/mem"
)

// World is a store with at most one table, and the writers that work on it. Make one with [New]. It is for one
// goroutine.
type World struct {
	options Options
	objects *mem.Objects
	catalog *entries
	transit *fault.Transit
	env     *environment
	names   *names
	codec   treeio.Codec
	writers map[string]*writer
	// states are the models of the snapshots that were seen, and intents what the snapshots that writers set out to make
	// are to do.
	states  map[int64]model
	intents map[int64]intent
	// handmade are the snapshots that scripts made by hand.
	handmade map[int64]bool
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
	w.problems = append(w.problems, w.parked()...)
	for _, x := range w.writers {
		if x.run != nil {
			x.calls.Crash()
			x.run.stop()
		}
	}
	w.objects, w.catalog, w.transit, w.env = new(mem.Objects), newEntries(), new(fault.Transit), new(environment)
	w.names = &names{location: location}
	w.codec = namingCodec{w.options.Codec, w.names}
	w.writers = make(map[string]*writer)
	w.states, w.intents, w.handmade = make(map[int64]model), make(map[int64]intent), make(map[int64]bool)
	w.noted = make(map[string]object)
	w.last = nil
}

// Err returns what the world found wrong with the engine: a commit that broke an invariant, a live set or a change feed
// that is not the model's, or a script that did not check a table before it left it. What a script does to a tree by
// hand is not held against the engine.
func (w *World) Err() error {
	problems := append(slices.Clone(w.problems), w.parked()...)
	if !w.checked {
		problems = append(problems, errors.New("the script ends without a check"))
	}
	return errors.Join(problems...)
}

// parked returns the complaint about each writer that is in the middle of a commit.
func (w *World) parked() []error {
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(w.writers)) {
		if w.writers[name].run != nil {
			problems = append(problems, fmt.Errorf("the script leaves writer %q in the middle of a commit", name))
		}
	}
	return problems
}

// problem remembers that something is wrong, and returns it as it is printed.
func (w *World) problem(format string, args ...any) string {
	err := errors.New(w.names.shorten(fmt.Sprintf(format, args...)))
	w.problems = append(w.problems, err)
	return "WRONG: " + err.Error() + "\n"
}

// Do runs one command and returns what it prints, with a newline at its end unless it prints nothing. An error is
// printed too. The commands that change the table, each for the writer that by=NAME names:
//
//	table cap=8 [location=L] [partition="day(ts)"]   leave the table and make a new, empty one; or policy=never,
//	                                                 policy=when-full root-bytes=N leaf-bytes=N
//	clock +5s, clock a +5s                           move the clock, or that of the writer a; the clock moves a second
//	                                                 before each commit by itself
//	begin [cap=5] [duplicates=unchecked]             begin a transaction with options; the verbs below begin one without.
//	    [mode=maintenance] [branch=b]                policy=scripted is the policy of fold and merge
//	    [isolation=snapshot] [attempts=2]
//	add a1..a4 [rows=10 and other fields]            add data files; fields are spelt as treetext spells them
//	remove a1 [at=2] [seq=1]                         remove files; with at= by the hint that snapshot 2 gives
//	replace a1 a2 with b1 [at=2] [seq=1]             remove files that others rewrite; seq= is their data's number
//	compact a1 a2 into b1 [asof=2] [at=2]            rewrite files with the deletes of a snapshot applied
//	setdv a1 rows=3,7-9 [merge=yes] [keep=yes]       give a file a deletion vector; merge= goes on when another writer
//	                                                 changed it too, keep= keeps a file without rows; at= and seq= too
//	extend a1 rows=5 [merge=yes] [keep=yes]          delete rows besides those that are deleted
//	refresh a1 stats={...} [at=2]                    replace statistics
//	deletewhere "id > 5", depend "id > 5"            remove what a filter matches; depend on what it matches
//	restore 2                                        make the files of snapshot 2 the live ones
//	fold L1 L2, merge L1 L2 [with=loose]             rewrite leaves, each by itself or into one; begins a transaction for
//	                                                 maintenance
//	commit [until=swap]                              commit the transaction, an empty one if nothing was begun
//	hand                                             commit the tree in the body, whatever is wrong with it
//
// Those that change the metadata alone, each at once, or with until=swap up to that call:
//
//	schema add "x long", drop x, rename x y, promote id long, require "x long"
//	spec add "day(ts)", drop ts_day, forget 0
//	props a=b c=
//	branch create b [at=2], drop b, forward b to=main
//	tag create t [at=2], drop t
//	expire keep=2                                    let go all but the last snapshots, and remove what they alone used
//
// Those that set writers against each other, and what other programs do:
//
//	step a [until=swap]        let the writer's commit begin or go on: to its end, or until it is about to make a call of
//	                           the store; put:leaf is a put of a leaf, and so on with root, vectors and metadata
//	fault a "swap #1 refuse"   disturb calls of the writer, see [fault.Parse]
//	crash a, cancel a          end the writer; end the context of its commit
//	outcome a                  ask what became of the commit whose outcome was not known
//	land                       let the calls land that faults have kept
//	rollback 1 [b]             point a branch at a snapshot
//	trim-log                   make the table forget its older metadata files
//	drop-table, replace-table [log=kept], move-table mem://elsewhere/t, version-table 3
//
// Those that look at the table, or with at=2 at its snapshot 2, or with branch=b at that branch; with= shows parts that
// treetext can hide, of numbers, counts, file, stats, foreign, header and leaves:
//
//	tree [with=numbers,leaves]   the rows of the root
//	leaf L1 [with=stats]         the rows of a leaf after inheritance, with numbers
//	live, changes                the live files, and what the snapshot changed
//	log, refs                    all snapshots with their summaries, and all branches and tags
//	plan, cost                   what the policy planned for the last commit, and what it took
//	writes a                     what each attempt of the writer's last commit wrote, and what was removed
//	objects, untouched           the manifests in the store, and since when they have had their bytes
//	check [orphans=2]            all invariants over the whole history, the model, and what nobody references
//
// A name is that of a file as it is stored, or the short name of an object that the engine wrote; a1..a4 are four
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
	if err := checkUntil(c); err != nil {
		return "", err
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

// Table returns the table as nobody's faults disturb it.
func (w *World) Table() *commit.Table { return w.open() }

// open returns the table as nobody's faults disturb it.
func (w *World) open() *commit.Table {
	return commit.Open(tableID, onlooker{w.catalog}, w.objects, commit.Options{Env: w.env.forCommits(), Codec: w.codec})
}
