package cases

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Check returns what is wrong with a register, given the files of the module: a part without a place, a place that is
// not there, and a case whose id none of its places names.
func Check(module fs.FS, register []Case) []string {
	c := checker{module: module}
	seen := make(map[string]bool)
	for _, k := range register {
		if seen[k.ID] {
			c.report("%s is there twice", k.ID)
		}
		seen[k.ID] = true
		c.check(k)
	}
	return c.problems
}

type checker struct {
	module   fs.FS
	problems []string
}

func (c *checker) report(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func (c *checker) check(k Case) {
	word := regexp.MustCompile(`\b(Test)?` + regexp.QuoteMeta(k.ID) + `(\b|[A-Z_])`)
	named := false
	for _, part := range k.Parts {
		if len(part.Where) == 0 {
			c.report("%s: nothing shows that %q", k.ID, part.Asks)
		}
		for _, where := range part.Where {
			text, err := c.find(where)
			if err != nil {
				c.report("%s: %v", k.ID, err)
			}
			named = named || word.MatchString(text)
		}
	}
	if !named {
		c.report("%s: none of its tests and scenarios names it", k.ID)
	}
}

// find returns the text of the file that a place stands in.
func (c *checker) find(where string) (string, error) {
	if strings.HasSuffix(where, ".txt") {
		data, err := fs.ReadFile(c.module, where)
		if err != nil {
			return "", fmt.Errorf("there is no scenario %s", where)
		}
		return string(data), nil
	}
	pkg, test := path.Split(where)
	name, test, _ := strings.Cut(test, ".")
	files, err := fs.Glob(c.module, path.Join(pkg, name, "*_test.go"))
	if err != nil {
		return "", err
	}
	for _, file := range slices.Sorted(slices.Values(files)) {
		data, err := fs.ReadFile(c.module, file)
		if err != nil {
			return "", err
		}
		if strings.Contains(string(data), "\nfunc "+test+"(") {
			return string(data), nil
		}
	}
	return "", fmt.Errorf("there is no test %s", where)
}
