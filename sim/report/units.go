package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// bytesText writes a size for people, to three digits.
func bytesText(v float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	i := 0
	for math.Abs(v) >= 1024 && i < len(units)-1 {
		v /= 1024
		i++
	}
	if i == 0 {
		return fmt.Sprintf("%.0f B", v)
	}
	// 1023.7 of a unit is 1 of the next, not 1024 of its own.
	if i < len(units)-1 && math.Abs(v) >= 1023.5 {
		v /= 1024
		i++
	}
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64) + " " + units[i]
	}
	return digits(v) + " " + units[i]
}

// digits writes a number to three digits.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case a >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}

// countText writes a whole number with its thousands set apart.
func countText(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// numberText writes a number that may be large and need not be whole.
func numberText(v float64) string {
	if math.Abs(v) >= 1000 && math.Abs(v) < 1<<53 {
		return countText(int64(math.Round(v)))
	}
	if math.Abs(v) >= 1<<53 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return digits(v)
}

// clean makes foreign words fit to be shown: characters that control a terminal or the direction of writing, and what is no UTF-8,
// become the sign for something that cannot be shown.
func clean(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r == ' ' || unicode.IsGraphic(r):
			return r
		default:
			return '\uFFFD'
		}
	}, s)
}

// shorten cuts s to so many characters.
func shorten(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}
