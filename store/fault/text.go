package fault

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// manual is the number of a [Late] call that lands by hand.
const manual = "manual"

// synonyms are words for outcomes that [Parse] reads besides the outcomes' own.
var synonyms = map[string]Outcome{"drop": Unknown, "land-lose": LandUnknown, "land-409": LandConflict}

// String returns the fault as [Parse] reads it: operation, name, call number, outcome and its number, as in
//
//	put */metadata/*.json #2 land-unknown
//	swap demo.events #1 land-conflict
//	swap demo.events #1 late 3
//	swap demo.events late manual
//	any * #7 crash
//
// The operation any and the name * match all; without a call number each call is meant. A name with a space, a
// quote or the like is written as a Go string.
func (f Fault) String() string {
	fields := []string{f.Op.String(), f.pattern()}
	if f.Nth != 0 {
		fields = append(fields, "#"+strconv.Itoa(f.Nth))
	}
	fields = append(fields, string(f.Outcome))
	switch {
	case f.Outcome == Late && f.Number == 0:
		fields = append(fields, manual)
	case f.Number != 0 || f.Outcome.Numbered():
		fields = append(fields, strconv.Itoa(f.Number))
	}
	return strings.Join(fields, " ")
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

// Parse reads the text form of a fault. Name and call number may be left out, and the number of an outcome where
// it is 0.
func Parse(text string) (Fault, error) {
	f, err := parse(text)
	if err != nil {
		return Fault{}, fmt.Errorf("fault %q: %w", text, err)
	}
	if err := f.Validate(); err != nil {
		return Fault{}, err
	}
	return f, nil
}

// parse reads the text form of a fault that may be invalid.
func parse(text string) (f Fault, err error) {
	words, err := split(text)
	if err != nil {
		return f, err
	}
	if len(words) < 2 {
		return f, errors.New("an operation and an outcome are needed")
	}
	if f.Op = Op(words[0].text); f.Op == anyOp {
		f.Op = ""
	}
	if words, err = f.takeOutcome(words[1:]); err != nil {
		return f, err
	}
	if len(words) > 0 && !words[0].ordinal() {
		f.Name, words = words[0].text, words[1:]
		if f.Name == "*" {
			f.Name = ""
		}
	}
	if len(words) > 0 && words[0].ordinal() {
		f.Nth, err = strconv.Atoi(words[0].text[1:])
		if err != nil || f.Nth < 1 {
			return f, fmt.Errorf("%s is no call number: they count from #1", words[0].text)
		}
		words = words[1:]
	}
	if len(words) > 0 {
		return f, fmt.Errorf("%q is too much", words[0].text)
	}
	return f, nil
}

// takeOutcome reads the outcome and its number from the end of the words and returns the words before them. A
// number alone is taken for an outcome, which it is not.
func (f *Fault) takeOutcome(words []word) (rest []word, err error) {
	last := len(words) - 1
	if number := words[last]; last > 0 && number.number() {
		last--
		by := number.text == manual
		if by && words[last].text != string(Late) {
			return nil, fmt.Errorf("%s goes with %s alone", manual, Late)
		}
		if !by {
			if f.Number, err = strconv.Atoi(number.text); err != nil {
				return nil, fmt.Errorf("%s is too large a number", number.text)
			}
		}
	}
	f.Outcome = Outcome(words[last].text)
	if outcome, known := synonyms[words[last].text]; known {
		f.Outcome = outcome
	}
	return words[:last], nil
}

// word is one part of a fault's text form.
type word struct {
	text   string
	quoted bool
}

// ordinal reports whether the word has the form of a call number.
func (w word) ordinal() bool { return !w.quoted && strings.HasPrefix(w.text, "#") }

// number reports whether the word has the form of an outcome's number.
func (w word) number() bool {
	return !w.quoted && (w.text == manual || strings.Trim(w.text, "0123456789") == "")
}

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
