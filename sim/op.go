package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/firn-io/firn/dv"
)

// Verb says what a step of a [Program] does. The zero Verb is invalid.
type Verb uint8

// The verbs of transactions come first, then those of programs that are no transaction.
const (
	// Add adds the files New with Records rows each.
	Add Verb = iota + 1
	// Remove removes Files.
	Remove
	// Replace removes Files and adds New: an overwrite.
	Replace
	// Compact rewrites Files into New, with the deletes of the base applied.
	Compact
	// Delete deletes the rows Rows of each of Files, in addition to those that are deleted.
	Delete
	// Refresh replaces the statistics of Files.
	Refresh
	// Where removes the files whose id is from Lower to below Upper.
	Where
	// Depend says that the transaction depends on such files.
	Depend
	// Restore makes the files of the snapshot Back snapshots before the base the live ones.
	Restore
	// AddColumn adds a column, and DropColumn drops the one that was added last.
	AddColumn
	DropColumn
	// Caps sets the policy of the table to the cap Number.
	Caps
	// Branch creates the branch Name at the head of main, and DropBranch drops it.
	Branch
	DropBranch
	// Expire lets go all but the last Number snapshots of each branch, and deletes what only they reached.
	Expire
	// CleanUp deletes the objects that nothing references and that are older than Number milliseconds.
	CleanUp
	// Ask asks for the outcome of the writer's transactions that ended without one.
	Ask
	// MoveBranch points the branch Name at the head of main, which need not have come from where it stood.
	MoveBranch
	// Require adds a required column without a default, as other engines may: files of before have no value in it.
	Require
	// Respec makes the spec Number the default partition spec.
	Respec
	// RollBack points main at the snapshot Number snapshots before its head, or at the oldest that is retained.
	RollBack
	// Choose sets the policy of the table to the one that is called Name, with settings that fit small tables where the table
	// has none.
	Choose
)

// syntax says how a verb is written: its word, and which operands follow it.
type syntax struct {
	word                             string
	files, news, rows, limits, names bool
	number                           bool
}

var verbs = [...]syntax{
	Add:        {word: "add", news: true},
	Remove:     {word: "remove", files: true},
	Replace:    {word: "replace", files: true, news: true},
	Compact:    {word: "compact", files: true, news: true},
	Delete:     {word: "delete", files: true, rows: true},
	Refresh:    {word: "refresh", files: true},
	Where:      {word: "where", limits: true},
	Depend:     {word: "depend", limits: true},
	Restore:    {word: "restore", number: true},
	AddColumn:  {word: "add-column"},
	DropColumn: {word: "drop-column"},
	Caps:       {word: "cap", number: true},
	Branch:     {word: "create-branch", names: true},
	DropBranch: {word: "drop-branch", names: true},
	Expire:     {word: "expire", number: true},
	CleanUp:    {word: "clean-up", number: true},
	Ask:        {word: "ask"},
	MoveBranch: {word: "move-branch", names: true},
	Require:    {word: "require-column"},
	Respec:     {word: "spec", number: true},
	RollBack:   {word: "roll-back", number: true},
	Choose:     {word: "policy", names: true},
}

// String returns the verb as it is written.
func (v Verb) String() string {
	if int(v) < len(verbs) && verbs[v].word != "" {
		return verbs[v].word
	}
	return fmt.Sprintf("verb(%d)", uint8(v))
}

// changesFiles reports whether the verb is a step of a transaction.
func (v Verb) changesFiles() bool { return v >= Add && v <= Restore }

// Range is the files from First to Last.
type Range struct{ First, Last int64 }

// Op is one step of a [Program]; its verb says which fields it has.
type Op struct {
	Verb  Verb
	Files []int64
	New   Range
	// Records are the rows of each new file.
	Records int64
	// Rows are row positions.
	Rows         dv.Vector
	Lower, Upper int64
	Number       int64
	Name         string
	// Hint says that files are named as a scan of the base found them. Merge goes on when another writer deleted rows
	// of the same file, and Keep keeps a file without rows that are left.
	Hint, Merge, Keep bool
}

// String returns the step as it is written in a trace.
func (o Op) String() string {
	s := verbs[o.Verb]
	words := []string{s.word}
	if s.files {
		words = append(words, spans(o.Files))
	}
	if s.news {
		if s.files {
			words = append(words, "into")
		}
		words = append(words, spanText(o.New.First, o.New.Last), "records="+strconv.FormatInt(o.Records, 10))
	}
	if s.rows {
		words = append(words, "rows="+o.Rows.String())
	}
	if s.limits {
		words = append(words, spanText(o.Lower, o.Upper))
	}
	if s.number {
		words = append(words, strconv.FormatInt(o.Number, 10))
	}
	if s.names {
		words = append(words, o.Name)
	}
	for _, flag := range o.flags() {
		if *flag.set {
			words = append(words, flag.word)
		}
	}
	return strings.Join(words, " ")
}

// flag is a word that may follow a step.
type flag struct {
	word string
	set  *bool
}

func (o *Op) flags() []flag {
	return []flag{{"hint", &o.Hint}, {"merge", &o.Merge}, {"keep", &o.Keep}}
}

// spans prints numbers, runs of them as 3-7.
func spans(numbers []int64) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		parts = append(parts, spanText(numbers[i], numbers[j]))
		i = j + 1
	}
	return strings.Join(parts, ",")
}

func spanText(first, last int64) string {
	if first == last {
		return strconv.FormatInt(first, 10)
	}
	return fmt.Sprintf("%d-%d", first, last)
}

// maxFiles bounds the files that one step of a trace names, and maxNumber their numbers, so that one can count behind each.
const (
	maxFiles  = 1 << 20
	maxNumber = 1 << 53
)

var errOp = errors.New("not a step of a transaction")

// parseOp reads a step.
func parseOp(text string) (Op, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return Op{}, fmt.Errorf("%q: %w", text, errOp)
	}
	verb := slices.IndexFunc(verbs[:], func(s syntax) bool { return s.word == words[0] && s.word != "" })
	if verb < 0 {
		return Op{}, fmt.Errorf("%q: %w", text, errOp)
	}
	o := Op{Verb: Verb(verb)}
	rest, err := o.operands(verbs[verb], words[1:])
	if err == nil {
		err = o.options(rest)
	}
	if err != nil {
		return Op{}, fmt.Errorf("%q: %w", text, err)
	}
	return o, nil
}

// operands reads what a verb needs and returns the words behind it.
func (o *Op) operands(s syntax, words []string) ([]string, error) {
	next := func() string {
		if len(words) == 0 {
			return ""
		}
		word := words[0]
		words = words[1:]
		return word
	}
	var errs []error
	if s.files {
		files, err := parseSpans(next())
		o.Files = files
		errs = append(errs, err)
	}
	if s.files && s.news && next() != "into" {
		errs = append(errs, errors.New("want the word into"))
	}
	if s.news {
		first, last, err := parseSpan(next())
		o.New = Range{first, last}
		errs = append(errs, err)
	}
	if s.limits {
		var err error
		o.Lower, o.Upper, err = parseSpan(next())
		errs = append(errs, err)
	}
	if s.number {
		var err error
		o.Number, err = strconv.ParseInt(next(), 10, 64)
		errs = append(errs, err)
	}
	if s.names {
		if o.Name = next(); o.Name == "" {
			errs = append(errs, errors.New("want a name"))
		}
	}
	return words, errors.Join(errs...)
}

// options reads the words behind the operands.
func (o *Op) options(words []string) error {
	for _, word := range words {
		name, value, valued := strings.Cut(word, "=")
		var err error
		switch {
		case valued && name == "records" && verbs[o.Verb].news:
			o.Records, err = strconv.ParseInt(value, 10, 64)
		case valued && name == "rows" && verbs[o.Verb].rows:
			o.Rows, err = dv.ParseText(value)
		default:
			err = fmt.Errorf("%s does not know %q", o.Verb, word)
			for _, flag := range o.flags() {
				if flag.word == word {
					*flag.set, err = true, nil
				}
			}
		}
		if err != nil {
			return err
		}
	}
	if verbs[o.Verb].news && o.Records <= 0 {
		return errors.New("want records=N above 0")
	}
	return nil
}

func parseSpan(text string) (first, last int64, err error) {
	head, tail, ranged := strings.Cut(text, "-")
	first, err = strconv.ParseInt(head, 10, 64)
	last = first
	if err == nil && ranged {
		last, err = strconv.ParseInt(tail, 10, 64)
	}
	if err == nil && (first < 0 || last < first || last-first >= maxFiles || last > maxNumber) {
		err = fmt.Errorf("%q is no range", text)
	}
	return first, last, err
}

func parseSpans(text string) ([]int64, error) {
	var numbers []int64
	for part := range strings.SplitSeq(text, ",") {
		first, last, err := parseSpan(part)
		if err != nil {
			return nil, err
		}
		for n := first; n <= last; n++ {
			numbers = append(numbers, n)
		}
		if len(numbers) > maxFiles {
			return nil, fmt.Errorf("more than %d files", maxFiles)
		}
	}
	return numbers, nil
}
