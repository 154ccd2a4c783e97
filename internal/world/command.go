package world

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// command is a command that was read.
type command struct {
	verb string
	// names are the words that are no options, ranges spelt out.
	names []string
	// options are the words name=text, in the order in which they were written.
	options []option
	// body is what follows the first line.
	body string
}

type option struct{ name, text string }

// parseCommand reads a command: a verb, names and options on the first line, and for some verbs a body below it.
func parseCommand(text string) (command, error) {
	line, body, _ := strings.Cut(text, "\n")
	words, err := split(line)
	if err != nil {
		return command{}, err
	}
	if len(words) == 0 {
		return command{}, errors.New("there is no command")
	}
	c := command{verb: words[0], body: body}
	for _, word := range words[1:] {
		name, value, isOption := strings.Cut(word, "=")
		switch {
		case word[0] == '"':
			unquoted, err := strconv.Unquote(word)
			if err != nil {
				return command{}, fmt.Errorf("%s is not quoted rightly", word)
			}
			c.names = append(c.names, unquoted)
		case isOption:
			if _, twice := c.option(name); twice {
				return command{}, fmt.Errorf("option %s is given twice", name)
			}
			c.options = append(c.options, option{name, value})
		default:
			names, err := spellOut(word)
			if err != nil {
				return command{}, err
			}
			c.names = append(c.names, names...)
		}
	}
	return c, nil
}

// option returns the text of an option, and whether it was given.
func (c command) option(name string) (string, bool) {
	i := slices.IndexFunc(c.options, func(o option) bool { return o.name == name })
	if i < 0 {
		return "", false
	}
	return c.options[i].text, true
}

// split cuts a line at the spaces outside quotes and brackets.
func split(line string) ([]string, error) {
	var words []string
	depth, start := 0, -1
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ' && depth == 0:
			if start >= 0 {
				words, start = append(words, line[start:i]), -1
			}
			continue
		case c == '"':
			quoted, err := strconv.QuotedPrefix(line[i:])
			if err != nil {
				return nil, errors.New("a quote is not closed")
			}
			if start < 0 {
				start = i
			}
			i += len(quoted) - 1
			continue
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		}
		if start < 0 {
			start = i
		}
	}
	if depth != 0 {
		return nil, errors.New("the brackets do not match")
	}
	if start >= 0 {
		words = append(words, line[start:])
	}
	return words, nil
}

// maxRange bounds how many names a range stands for.
const maxRange = 100_000

var rangeForm = regexp.MustCompile(`^(.*?)(\d+)\.\.(.*?)(\d+)$`)

// spellOut returns the names that a word stands for: a2..a4 for a2, a3 and a4, any other word for itself.
func spellOut(word string) ([]string, error) {
	parts := rangeForm.FindStringSubmatch(word)
	if parts == nil {
		return []string{word}, nil
	}
	first, err := strconv.Atoi(parts[2])
	last, lastErr := strconv.Atoi(parts[4])
	if err != nil || lastErr != nil || parts[1] != parts[3] || last < first || last-first >= maxRange {
		return nil, fmt.Errorf("%s is no range", word)
	}
	var names []string
	for n := first; n <= last; n++ {
		names = append(names, parts[1]+strconv.Itoa(n))
	}
	return names, nil
}

// list prints names in natural order, with ranges for names that count up.
func list(names []string) string {
	type numbered struct {
		prefix string
		number int // -1 for a name that does not end in a number
	}
	var all []numbered
	for _, name := range names {
		prefix := strings.TrimRight(name, "0123456789")
		n, err := strconv.Atoi(name[len(prefix):])
		if err != nil || strconv.Itoa(n) != name[len(prefix):] || strings.ContainsAny(name, " \"=") {
			prefix, n = name, -1
		}
		all = append(all, numbered{prefix, n})
	}
	slices.SortFunc(all, func(a, b numbered) int {
		if a.prefix != b.prefix {
			return strings.Compare(a.prefix, b.prefix)
		}
		return a.number - b.number
	})
	var words []string
	for i := 0; i < len(all); {
		first := all[i]
		last := first
		for i++; i < len(all) && first.number >= 0 && all[i].prefix == first.prefix && all[i].number == last.number+1; i++ {
			last = all[i]
		}
		words = append(words, rangeWord(first.prefix, first.number, last.number))
	}
	return strings.Join(words, " ")
}

func rangeWord(prefix string, first, last int) string {
	switch {
	case first < 0 && strings.ContainsAny(prefix, " \"="):
		return strconv.Quote(prefix)
	case first < 0:
		return prefix
	case first == last:
		return prefix + strconv.Itoa(first)
	}
	return fmt.Sprintf("%s%d..%s%d", prefix, first, prefix, last)
}

// count prints a number of things.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
