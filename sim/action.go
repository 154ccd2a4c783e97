package sim

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/firn-io/firn/store/fault"
)

// Program is what a writer does from its first look at the table to the answer: a transaction of one or more steps, or one
// step that is no transaction.
type Program struct {
	// Branch is the branch that a transaction commits to; empty for main.
	Branch string
	// Snapshot isolates a transaction with a filter by snapshot; else it is serializable.
	Snapshot bool
	// Maintenance lets the policy of maintenance, see [Tidy], fold and merge leaves, or, if Own is set, the table's own policy.
	Maintenance, Own bool
	// Unchecked adds files without looking whether they are live already.
	Unchecked bool
	Ops       []Op
}

// transaction reports whether the program makes a snapshot.
func (p Program) transaction() bool { return len(p.Ops) == 0 || p.Ops[0].Verb.changesFiles() }

// verb is the verb of the first step, 0 without one.
func (p Program) verb() Verb {
	if len(p.Ops) == 0 {
		return 0
	}
	return p.Ops[0].Verb
}

// String returns the program as it is written in a trace.
func (p Program) String() string {
	var words []string
	if p.Branch != "" {
		words = append(words, "branch="+p.Branch)
	}
	if p.Snapshot {
		words = append(words, "isolation=snapshot")
	}
	if p.Maintenance {
		words = append(words, "mode=maintenance")
	}
	if p.Own {
		words = append(words, "policy=own")
	}
	if p.Unchecked {
		words = append(words, "duplicates=unchecked")
	}
	parts := []string{strings.Join(words, " ")}
	for _, o := range p.Ops {
		parts = append(parts, o.String())
	}
	return strings.TrimPrefix(strings.TrimSpace(strings.Join(parts, "; ")), "; ")
}

// parseProgram reads a program.
func parseProgram(text string) (Program, error) {
	var p Program
	for i, part := range strings.Split(text, ";") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		if i == 0 && strings.Contains(strings.Fields(part)[0], "=") {
			if err := p.options(part); err != nil {
				return Program{}, err
			}
			continue
		}
		o, err := parseOp(part)
		if err != nil {
			return Program{}, err
		}
		p.Ops = append(p.Ops, o)
	}
	for _, o := range p.Ops {
		if o.Verb.changesFiles() != p.transaction() || !p.transaction() && len(p.Ops) > 1 {
			return Program{}, fmt.Errorf("%q: %s is not a step of the same program", text, o.Verb)
		}
	}
	return p, nil
}

func (p *Program) options(text string) error {
	for _, word := range strings.Fields(text) {
		switch name, value, _ := strings.Cut(word, "="); {
		case name == "branch" && value != "":
			p.Branch = value
		case word == "isolation=snapshot":
			p.Snapshot = true
		case word == "mode=maintenance":
			p.Maintenance = true
		case word == "policy=own":
			p.Own = true
		case word == "duplicates=unchecked":
			p.Unchecked = true
		default:
			return fmt.Errorf("%q is no option of a program", word)
		}
	}
	return nil
}

// ActionKind says what an [Action] does. The zero ActionKind is invalid.
type ActionKind uint8

// The kinds of actions.
const (
	// Start starts the program of a writer that is idle.
	Start ActionKind = iota + 1
	// Step lets the writer's program go on until it is about to call the catalog, or ends.
	Step
	// Creep lets it go on until it is about to make any call of the stores.
	Creep
	// Crash ends the writer's program, and its memory of the table.
	Crash
	// Fall ends the writer's program, and keeps its memory of the table.
	Fall
	// Land lets the oldest call land that was given up.
	Land
	// Tick moves the clock of a writer, or without a writer that of all.
	Tick
)

var actionWords = [...]string{Start: "start", Step: "step", Creep: "creep", Crash: "crash", Fall: "fall", Land: "land", Tick: "tick"}

// Action is one move of the scheduler. Writers count from 1.
type Action struct {
	Kind    ActionKind
	Writer  int
	Program Program
	// Fault disturbs a call of the step; the zero Fault none.
	Fault fault.Fault
	// Millis is how far a clock moves; back, if it is negative.
	Millis int64
}

// String returns the action as it is written in a trace.
func (a Action) String() string {
	text := actionWords[a.Kind]
	if a.Kind != Land {
		text += " " + strconv.Itoa(a.Writer)
	}
	switch a.Kind {
	case Start:
		text += " " + a.Program.String()
	case Tick:
		text += " " + strconv.FormatInt(a.Millis, 10)
	case Step, Creep:
		if a.Fault != (fault.Fault{}) {
			text += " " + a.Fault.String()
		}
	}
	return strings.TrimSpace(text)
}

var errAction = errors.New("not an action")

// ParseAction reads an action as [Action.String] prints it.
func ParseAction(text string) (Action, error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	var a Action
	for kind, known := range actionWords {
		if known == word && word != "" {
			a.Kind = ActionKind(kind)
		}
	}
	if a.Kind == 0 {
		return Action{}, fmt.Errorf("%q: %w", text, errAction)
	}
	if a.Kind == Land {
		if rest != "" {
			return Action{}, fmt.Errorf("%q: %w", text, errAction)
		}
		return a, nil
	}
	number, rest, _ := strings.Cut(rest, " ")
	var err error
	if a.Writer, err = strconv.Atoi(number); err != nil || a.Writer < 0 || a.Writer == 0 && a.Kind != Tick {
		return Action{}, fmt.Errorf("%q: want the number of a writer", text)
	}
	switch a.Kind {
	case Start:
		a.Program, err = parseProgram(rest)
	case Tick:
		a.Millis, err = strconv.ParseInt(rest, 10, 64)
	case Step, Creep:
		if rest != "" {
			a.Fault, err = fault.Parse(rest)
		}
	default:
		if rest != "" {
			err = errAction
		}
	}
	if err != nil {
		return Action{}, fmt.Errorf("%q: %w", text, err)
	}
	return a, nil
}
