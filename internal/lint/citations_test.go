package lint

import (
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The forms of citations: a list of rules such as "rules 8.1 to 8.4, 20.9", and the ID of a choice such as Q18.
var (
	ruleList   = regexp.MustCompile(`\brules ` + ruleNumber + `(?:(?:, and |, | and | or | to )` + ruleNumber + `)*`)
	ruleOne    = regexp.MustCompile(ruleNumber)
	choiceOne  = regexp.MustCompile(`\b(?:Q|T|M|MD|MB|MF|DF|DV|MT|MN|IV|F|SC|OS|CL)[1-9][0-9]*\b`)
	ruleItem   = regexp.MustCompile(`(?m)^(?:##+ |- \*\*)(` + ruleNumber + `)[ *]`)
	choiceItem = regexp.MustCompile(`(?m)^\| ([A-Z]+[0-9]+) \|`)
	symbolName = regexp.MustCompile("`([a-z][a-z0-9]*(?:/[a-z][a-z0-9]*)*)\\.([A-Z][A-Za-z0-9]*(?:\\.[A-Z][A-Za-z0-9]*)?)`")
	lineBreak  = regexp.MustCompile(`\n\s*(?://\s*)?`)
)

const ruleNumber = `[0-9]+(?:\.[0-9]+)*(?:-[0-9]+)?`

// TestCitations looks up every rule and every choice that the source cites, in docs/format.md and SPEC_NOTES.md.
func TestCitations(t *testing.T) {
	rules := items(t, "docs/format.md", ruleItem)
	choices := items(t, "SPEC_NOTES.md", choiceItem)
	maps.Copy(choices, items(t, "docs/format.md", choiceItem))
	for _, s := range sources(t) {
		for _, c := range cited(s) {
			known := choices[c.text]
			if c.rule {
				known = rules[c.text]
			}
			if !known {
				t.Errorf("%s: %s is cited and not documented", s.path, c.text)
			}
		}
	}
}

// TestChoicesAreCited looks for each of the project's own choices in the source, so that who reads the code where a
// choice is made finds the reason. The open questions of the format (Q) may concern what is not written yet.
func TestChoicesAreCited(t *testing.T) {
	found := make(map[string]bool)
	for _, s := range sources(t) {
		for _, c := range cited(s) {
			found[c.text] = found[c.text] || !c.rule && !s.test
		}
	}
	for _, id := range sortedKeys(items(t, "SPEC_NOTES.md", choiceItem)) {
		if !found[id] && id[0] != 'Q' {
			t.Errorf("SPEC_NOTES.md lists %s, and no code cites it", id)
		}
	}
}

// items returns the numbers or IDs that a document explains.
func items(t *testing.T, name string, form *regexp.Regexp) map[string]bool {
	t.Helper()
	found := make(map[string]bool)
	for _, m := range form.FindAllStringSubmatch(read(t, name), -1) {
		if found[m[1]] {
			t.Errorf("%s explains %s twice", name, m[1])
		}
		found[m[1]] = true
	}
	if len(found) < 10 {
		t.Fatalf("%s: found %d items only: %v", name, len(found), found)
	}
	return found
}

type citation struct {
	text string
	rule bool
}

// cited returns what a file cites in its comments and in texts for people. Comments of tests may call a file F1 or a
// manifest M1.
func cited(s source) []citation {
	var all []citation
	take := func(text string) {
		for _, list := range ruleList.FindAllString(text, -1) {
			for _, number := range ruleOne.FindAllString(list, -1) {
				all = append(all, citation{number, true})
			}
		}
		for _, id := range choiceOne.FindAllString(text, -1) {
			if prefix := strings.TrimRight(id, "0123456789"); !s.test || prefix == "Q" || len(prefix) == 2 {
				all = append(all, citation{text: id})
			}
		}
	}
	for _, group := range s.file.Comments {
		take(lineBreak.ReplaceAllString(group.Text(), " "))
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && strings.Contains(l.Value, "rules ") {
			take(l.Value)
		}
		return true
	})
	return all
}

// TestNamedSymbols looks up every symbol that SPEC_NOTES.md names.
func TestNamedSymbols(t *testing.T) {
	declared := declarations(sources(t))
	names := symbolName.FindAllStringSubmatch(read(t, "SPEC_NOTES.md"), -1)
	for _, m := range names {
		if !slices.Contains(declared[m[1]], m[2]) {
			t.Errorf("SPEC_NOTES.md names %s.%s, which is not declared", m[1], m[2])
		}
	}
	if len(names) < 50 {
		t.Errorf("SPEC_NOTES.md names %d symbols only", len(names))
	}
}

// declarations returns the top-level names of each package, methods as Type.Method.
func declarations(all []source) map[string][]string {
	declared := make(map[string][]string)
	for _, s := range all {
		add := func(names ...string) { declared[s.pkg] = append(declared[s.pkg], names...) }
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				add(methodName(d))
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch sp := spec.(type) {
					case *ast.TypeSpec:
						add(sp.Name.Name)
					case *ast.ValueSpec:
						for _, n := range sp.Names {
							add(n.Name)
						}
					}
				}
			}
		}
	}
	return declared
}

// methodName returns the name of a function, with its receiver's type in front.
func methodName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if name, ok := typ.(*ast.Ident); ok {
		return name.Name + "." + d.Name.Name
	}
	return d.Name.Name
}
