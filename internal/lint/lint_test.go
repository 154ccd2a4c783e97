package lint

import (
	"bufio"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
)

func TestImports(t *testing.T) {
	for _, s := range sources(t) {
		if s.outside {
			continue
		}
		rule, known := edges[s.pkg]
		if !known {
			t.Errorf("%s: package %s is not in the table of edges", s.path, s.pkg)
			continue
		}
		for _, imported := range s.imports() {
			checkImport(t, s, rule.imports, imported)
		}
	}
}

func checkImport(t *testing.T, s source, allowed []string, imported string) {
	t.Helper()
	if local, inside := strings.CutPrefix(imported, module+"/"); inside {
		if !slices.Contains(allowed, local) {
			t.Errorf("%s: %s may not import %s", s.path, s.pkg, local)
		}
		return
	}
	for _, library := range parquetLibraries {
		if (imported == library || strings.HasPrefix(imported, library+"/")) && !slices.Contains(parquetOwners, s.pkg) {
			t.Errorf("%s: %s may not import a Parquet library", s.path, s.pkg)
		}
	}
}

func TestLayers(t *testing.T) {
	for pkg, rule := range edges {
		for _, imported := range rule.imports {
			if below, known := edges[imported]; !known || below.layer >= rule.layer {
				t.Errorf("edge %s -> %s points up, sideways or nowhere", pkg, imported)
			}
		}
	}
}

func TestForbiddenSymbols(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		if isCore(s.pkg) {
			forbid(t, s, forbiddenInCore)
			ast.Inspect(s.file, func(n ast.Node) bool {
				if g, ok := n.(*ast.GoStmt); ok {
					t.Errorf("%s: %s may not start a goroutine", s.at(g.Pos()), s.pkg)
				}
				return true
			})
		}
		if s.pkg == "invariants" {
			forbid(t, s, forbiddenInInvariants)
		}
	}
}

func forbid(t *testing.T, s source, symbols []symbol) {
	t.Helper()
	for _, sym := range symbols {
		for _, pos := range s.uses(sym) {
			t.Errorf("%s: %s may not use %s.%s: %s", s.at(pos), s.pkg, sym.pkg, sym.name, sym.why)
		}
	}
}

func TestLengths(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		lines := s.fset.File(s.file.Pos()).LineCount()
		limit := maxFileLines
		if longFiles[s.path] != "" {
			limit = maxLongLines
		}
		if lines > limit {
			t.Errorf("%s has %d lines, the limit is %d", s.path, lines, limit)
		}
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil || longFuncs[s.path+":"+f.Name.Name] != "" {
				continue
			}
			if n := s.fset.Position(f.End()).Line - s.fset.Position(f.Pos()).Line + 1; n > maxFuncLines {
				t.Errorf("%s: %s has %d lines, the limit is %d", s.at(f.Pos()), f.Name.Name, n, maxFuncLines)
			}
		}
	}
}

func TestDocumented(t *testing.T) {
	documented := make(map[string]bool)
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		documented[s.pkg] = documented[s.pkg] || s.file.Doc != nil
		for _, decl := range s.file.Decls {
			checkDocumented(t, s, decl)
		}
	}
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("package %s has no package comment", pkg)
		}
	}
}

func checkDocumented(t *testing.T, s source, decl ast.Decl) {
	t.Helper()
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && exportedReceiver(d) && d.Doc == nil {
			t.Errorf("%s: %s has no comment", s.at(d.Pos()), d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch sp := spec.(type) {
			case *ast.TypeSpec:
				if sp.Name.IsExported() && d.Doc == nil && sp.Doc == nil {
					t.Errorf("%s: %s has no comment", s.at(sp.Pos()), sp.Name.Name)
				}
			case *ast.ValueSpec:
				if sp.Names[0].IsExported() && d.Doc == nil && sp.Doc == nil && sp.Comment == nil {
					t.Errorf("%s: %s has no comment", s.at(sp.Pos()), sp.Names[0].Name)
				}
			}
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if generic, ok := typ.(*ast.IndexExpr); ok {
		typ = generic.X
	}
	name, ok := typ.(*ast.Ident)
	return ok && name.IsExported()
}

func TestExamples(t *testing.T) {
	has := make(map[string]bool)
	public := make(map[string]bool)
	for _, s := range sources(t) {
		if !s.test {
			public[s.pkg] = public[s.pkg] || !strings.Contains("/"+s.pkg, "/internal/") && s.file.Name.Name != "main"
			continue
		}
		if functionsWithPrefix(s, "Example") {
			has[s.pkg] = true
		}
	}
	for _, pkg := range sortedKeys(public) {
		if public[pkg] && !has[pkg] {
			t.Errorf("package %s has no example", pkg)
		}
	}
}

func TestFuzzTargets(t *testing.T) {
	has, there := make(map[string]bool), make(map[string]bool)
	for _, s := range sources(t) {
		there[s.pkg] = true
		if name := decoders[s.pkg]; name != "" && s.test && functionsWithPrefix(s, name) {
			has[s.pkg] = true
		}
	}
	for _, pkg := range sortedKeys(decoders) {
		if there[pkg] && !has[pkg] {
			t.Errorf("package %s decodes foreign bytes and has no fuzz target %s", pkg, decoders[pkg])
		}
	}
}

func functionsWithPrefix(s source, prefix string) bool {
	for _, decl := range s.file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, prefix) {
			return true
		}
	}
	return false
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func TestDirectDependencies(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "require "))
		name, version, isRequire := strings.Cut(line, " v")
		if !isRequire || strings.HasPrefix(line, "//") || strings.HasSuffix(version, "// indirect") {
			continue
		}
		if !slices.Contains(directDependencies, name) {
			t.Errorf("go.mod requires %s directly, which is not on the list", name)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
