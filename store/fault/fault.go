package fault

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Fault says which calls are disturbed and how. It is a comparable value with a text form, see [Fault.String].
type Fault struct {
	// Op is the kind of call; the zero Op matches all kinds.
	Op Op
	// Name is matched against the object's name, the prefix of a listing, or namespace.name of a table. A star
	// stands for any run of bytes, slashes too; everything else for itself. An empty Name matches all names.
	Name string
	// Nth picks the n-th of the calls that match from the time when the fault is armed; 0 picks each of them.
	Nth int
	// Outcome is what becomes of the call.
	Outcome Outcome
}

// Validate returns what is wrong with the fault, all of it on one line.
func (f Fault) Validate() error {
	var wrong []string
	if f.Op != "" && !slices.Contains(Ops(), f.Op) {
		wrong = append(wrong, fmt.Sprintf("unknown operation %q", f.Op))
	} else if !slices.Contains(Outcomes(f.Op), f.Outcome) {
		wrong = append(wrong, fmt.Sprintf("outcome %q is none of %q for operation %s", f.Outcome, Outcomes(f.Op), f.Op))
	}
	if f.Nth < 0 {
		wrong = append(wrong, fmt.Sprintf("call number %d is negative", f.Nth))
	}
	if len(wrong) > 0 {
		return fmt.Errorf("fault %s: %s", f, strings.Join(wrong, "; "))
	}
	return nil
}

// Single returns the faults that disturb one of the calls each: every call with every outcome that it can have,
// call by call. The calls are those of an undisturbed run that is to be repeated with each of the faults.
func Single(calls []Call) []Fault {
	var faults []Fault
	seen := make(map[Op]int)
	for _, call := range calls {
		seen[call.Op]++
		for _, outcome := range Outcomes(call.Op) {
			faults = append(faults, Fault{Op: call.Op, Nth: seen[call.Op], Outcome: outcome})
		}
	}
	return faults
}

// matches reports whether the fault is about such a call.
func (f Fault) matches(op Op, name string) bool {
	return (f.Op == "" || f.Op == op) && (f.Name == "" || match(f.Name, name))
}

// match reports whether name has the form of the pattern, in which a star stands for any run of bytes.
func match(pattern, name string) bool {
	head, rest, starred := strings.Cut(pattern, "*")
	if !starred {
		return name == pattern
	}
	if !strings.HasPrefix(name, head) {
		return false
	}
	name = name[len(head):]
	for {
		middle, later, starred := strings.Cut(rest, "*")
		if !starred {
			return strings.HasSuffix(name, middle)
		}
		_, after, found := strings.Cut(name, middle)
		if !found {
			return false
		}
		name, rest = after, later
	}
}

// String returns the fault as [Parse] reads it: operation, name, call number and outcome, as in
//
//	put */metadata/*.json #2 land-unknown
//	swap demo.events #1 land-conflict
//	any * #7 crash
//
// The operation any and the name * match all; without a number each call is meant. A name with a space, a quote
// or the like is written as a Go string.
func (f Fault) String() string {
	fields := []string{f.Op.String(), f.pattern()}
	if f.Nth != 0 {
		fields = append(fields, "#"+strconv.Itoa(f.Nth))
	}
	return strings.Join(append(fields, string(f.Outcome)), " ")
}

// pattern returns the text form of the name.
func (f Fault) pattern() string {
	special := func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == unicode.ReplacementChar || r == '"'
	}
	switch {
	case f.Name == "":
		return "*"
	case strings.ContainsFunc(f.Name, special) || strings.HasPrefix(f.Name, "#"):
		return strconv.Quote(f.Name)
	default:
		return f.Name
	}
}

// Parse reads the text form of a fault. Name and call number may be left out.
func Parse(text string) (Fault, error) {
	words, err := split(text)
	if err != nil {
		return Fault{}, fmt.Errorf("fault %q: %w", text, err)
	}
	if len(words) < 2 {
		return Fault{}, fmt.Errorf("fault %q: an operation and an outcome are needed", text)
	}
	f := Fault{Op: Op(words[0].text), Outcome: Outcome(words[len(words)-1].text)}
	if f.Op == anyOp {
		f.Op = ""
	}
	words = words[1 : len(words)-1]
	if len(words) > 0 && !words[0].number() {
		f.Name, words = words[0].text, words[1:]
		if f.Name == "*" {
			f.Name = ""
		}
	}
	if len(words) > 0 && words[0].number() {
		f.Nth, err = strconv.Atoi(words[0].text[1:])
		if err != nil || f.Nth < 1 {
			return Fault{}, fmt.Errorf("fault %q: %s is no call number: they count from #1", text, words[0].text)
		}
		words = words[1:]
	}
	if len(words) > 0 {
		return Fault{}, fmt.Errorf("fault %q: %q is too much", text, words[0].text)
	}
	if err := f.Validate(); err != nil {
		return Fault{}, err
	}
	return f, nil
}

// word is one part of a fault's text form.
type word struct {
	text   string
	quoted bool
}

// number reports whether the word has the form of a call number.
func (w word) number() bool { return !w.quoted && strings.HasPrefix(w.text, "#") }

// split cuts the text at white space; a word in quotes is read as a Go string.
func split(text string) ([]word, error) {
	var words []word
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text == "" {
			return words, nil
		}
		if text[0] != '"' {
			end := strings.IndexFunc(text, unicode.IsSpace)
			if end < 0 {
				end = len(text)
			}
			words, text = append(words, word{text: text[:end]}), text[end:]
			continue
		}
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return nil, fmt.Errorf("bad quotes in %s", text)
		}
		name, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, fmt.Errorf("bad quotes in %s", text)
		}
		words, text = append(words, word{text: name, quoted: true}), text[len(quoted):]
	}
}
