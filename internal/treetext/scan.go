package treetext

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// cut splits text at the first separator outside quotes and brackets. Without one all of the text is before it.
func cut(text string, separator byte) (before, after string, found bool, err error) {
	var open []byte // the closing brackets that are due
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			n := quoted(text[i:])
			if n < 0 {
				return "", "", false, errors.New("a quote is not closed")
			}
			i += n - 1
		case '(':
			open = append(open, ')')
		case '[':
			open = append(open, ']')
		case '{':
			open = append(open, '}')
		case ')', ']', '}':
			if len(open) == 0 || open[len(open)-1] != c {
				return "", "", false, fmt.Errorf("%c closes nothing", c)
			}
			open = open[:len(open)-1]
		case separator:
			if len(open) == 0 {
				return text[:i], text[i+1:], true, nil
			}
		}
	}
	if len(open) > 0 {
		return "", "", false, fmt.Errorf("%c is missing", open[len(open)-1])
	}
	return text, "", false, nil
}

// quoted returns the length of the quoted string at the start of text, or -1 if it does not end.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// words splits a line at spaces outside quotes and brackets.
func words(line string) ([]string, error) {
	var all []string
	for line != "" {
		word, rest, _, err := cut(line, ' ')
		if err != nil {
			return nil, err
		}
		if word != "" {
			all = append(all, word)
		}
		line = rest
	}
	return all, nil
}

// list splits what stands between two brackets at the commas outside quotes and inner brackets.
func list(text string, open, closing byte) ([]string, error) {
	if len(text) < 2 || text[0] != open || text[len(text)-1] != closing {
		return nil, fmt.Errorf("%.40q does not stand between %c and %c", text, open, closing)
	}
	items := []string{}
	rest, more := text[1:len(text)-1], true
	if rest == "" {
		return items, nil
	}
	for more {
		var item string
		var err error
		item, rest, more, err = cut(rest, ',')
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// quote returns text as a word: as it is, or quoted if it would not read back as one.
func quote(text string) string {
	plain := text != "" && strconv.Quote(text) == `"`+text+`"` && !strings.ContainsAny(text, " ()[]{}")
	if plain {
		return text
	}
	return strconv.Quote(text)
}

// unquote reads what quote returned.
func unquote(word string) (string, error) {
	if !strings.HasPrefix(word, `"`) {
		return word, nil
	}
	text, err := strconv.Unquote(word)
	if err != nil {
		return "", fmt.Errorf("%.40s is not quoted rightly", word)
	}
	return text, nil
}
