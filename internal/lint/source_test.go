package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// source is one Go file of the module.
type source struct {
	path    string // from the module's root, with slashes
	pkg     string // folder of the package, from the module's root
	test    bool
	outside bool // of an external test package
	file    *ast.File
	fset    *token.FileSet
}

// sources parses every Go file of the module, nested modules and testdata left out.
func sources(t *testing.T) []source {
	t.Helper()
	root := filepath.Join("..", "..")
	fset := token.NewFileSet()
	var all []source
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skipFolder(root, name, d)
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		rel = filepath.ToSlash(rel)
		all = append(all, source{
			path: rel, pkg: path.Dir(rel), file: file, fset: fset,
			test:    strings.HasSuffix(rel, "_test.go"),
			outside: strings.HasSuffix(file.Name.Name, "_test"),
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("no Go files found")
	}
	return all
}

func skipFolder(root, name string, d fs.DirEntry) error {
	if name == root {
		return nil
	}
	if base := d.Name(); base == "testdata" || strings.HasPrefix(base, ".") || base == "bin" {
		return fs.SkipDir
	}
	if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

// imports returns the import paths of a file.
func (s source) imports() []string {
	var paths []string
	for _, spec := range s.file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value) // the parser accepted it
		paths = append(paths, p)
	}
	return paths
}

// localName returns the name by which the file uses an imported package, or "".
func (s source) localName(importPath string) string {
	for _, spec := range s.file.Imports {
		if p, _ := strconv.Unquote(spec.Path.Value); p != importPath {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		base := path.Base(importPath)
		if base == "v2" {
			base = path.Base(path.Dir(importPath))
		}
		return base
	}
	return ""
}

// at returns a position for messages.
func (s source) at(p token.Pos) string {
	return s.path + ":" + strconv.Itoa(s.fset.Position(p).Line)
}

// uses yields the positions where a file uses a symbol; an empty name stands for any.
func (s source) uses(sym symbol) []token.Pos {
	local := s.localName(sym.pkg)
	if local == "" {
		return nil
	}
	var found []token.Pos
	ast.Inspect(s.file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == local && (sym.name == "" || sel.Sel.Name == sym.name) {
			found = append(found, sel.Pos())
		}
		return true
	})
	return found
}

func isCore(pkg string) bool { return slices.Contains(core, pkg) }
