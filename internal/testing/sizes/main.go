// Command sizes prints how large the house is: packages, lines, public names, folders that import each other, the types with
// the most methods, the rows of rules, and the files that a change touches. "make sizes" runs it here; with a folder as its argument it reads another checkout, such as one of
// an earlier commit.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// pkg has what is read of "go list".
type pkg struct {
	ImportPath, Name, Dir string
	GoFiles, CgoFiles     []string
	TestGoFiles           []string
	XTestGoFiles          []string
	Imports               []string
	Module                struct{ Path string }
}

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := run(dir, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
}

func run(dir string, w io.Writer) error {
	list, err := packages(dir)
	if err != nil {
		return err
	}
	h := newHouse(list)
	for i := range list {
		if err := h.add(&list[i]); err != nil {
			return err
		}
	}
	h.print(w)
	rows, always, err := rules(dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "rows of rules in archtest        %d that say what may import what, %d rules without exceptions\n", rows, always)
	found, err := touched(dir)
	if err != nil {
		return err
	}
	printTouched(w, found)
	return nil
}

// packages returns the packages of the module in a folder.
func packages(dir string) (list []pkg, err error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Imports,Module", "./...")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
}

// house is what is counted.
type house struct {
	bare                        map[string]bool // folders that have other folders and no code of their own
	packages, public, names     int
	product, support, testLines int
	why, body                   int // lines inside functions of the product that are comments, and all
	locals, letters             int // variables inside functions of the product, and those of one letter
	arrows                      map[[2]string]int
	methods                     map[string]int
}

func newHouse(list []pkg) *house {
	h := &house{bare: map[string]bool{}, arrows: map[[2]string]int{}, methods: map[string]int{}}
	for _, p := range list {
		if len(p.GoFiles) == 1 && p.GoFiles[0] == "doc.go" {
			h.bare[p.path(p.ImportPath)] = true
		}
	}
	return h
}

// path returns an import path relative to the module.
func (p *pkg) path(imp string) string {
	return strings.TrimPrefix(strings.TrimPrefix(imp, p.Module.Path), "/")
}

// room is the folder that counts for arrows: one at the top, or one below internal that only holds other folders.
func (h *house) room(name string) string {
	parts := strings.Split(name, "/")
	if parts[0] == "internal" && len(parts) > 1 && (h.bare["internal/"+parts[1]] || parts[1] == "function" || parts[1] == "reference") {
		return "internal/" + parts[1]
	}
	return cmp.Or(parts[0], ".")
}

// supports reports whether a package is for tests alone.
func supports(name string) bool {
	for _, s := range []string{"internal/testing", "internal/archtest", "internal/difftest", "internal/golden", "internal/readmetest", "internal/testkernels",
		"internal/undefined", "internal/native", "internal/compile/langtest", "device/devicetest", "internal/check", "internal/testtime"} {
		if name == s || strings.HasPrefix(name, s+"/") {
			return true
		}
	}
	return false
}

func (h *house) add(p *pkg) error {
	name := p.path(p.ImportPath)
	h.packages++
	out := !slices.Contains(strings.Split(name, "/"), "internal") && p.Name != "main" && !strings.HasPrefix(name, "examples/") && len(p.GoFiles)+len(p.CgoFiles) > 0
	if out {
		h.public++
	}
	for _, imp := range p.Imports {
		if to, ok := strings.CutPrefix(imp, p.Module.Path); ok && (to == "" || to[0] == '/') {
			if a, b := h.room(name), h.room(strings.TrimPrefix(to, "/")); a != b {
				h.arrows[[2]string{a, b}]++
			}
		}
	}
	for _, f := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		n, err := lines(filepath.Join(p.Dir, f))
		if err != nil {
			return err
		}
		h.testLines += n
	}
	for _, f := range slices.Concat(p.GoFiles, p.CgoFiles) {
		if err := h.file(p.Dir, f, name, out); err != nil {
			return err
		}
	}
	return nil
}

func lines(file string) (int, error) {
	text, err := os.ReadFile(file)
	return bytes.Count(text, []byte("\n")), err
}

// file counts a file that is no test.
func (h *house) file(dir, file, name string, public bool) error {
	n, err := lines(filepath.Join(dir, file))
	if err != nil {
		return err
	}
	if supports(name) {
		h.support += n
		return nil
	}
	h.product += n
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, filepath.Join(dir, file), nil, parser.ParseComments)
	if err != nil {
		return err
	}
	var bodies [][2]int
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				from, to := set.Position(d.Body.Lbrace).Line, set.Position(d.Body.Rbrace).Line
				bodies = append(bodies, [2]int{from, to})
				h.body += max(to-from-1, 0)
				h.variables(d.Body)
			}
			if d.Recv != nil {
				h.methods[name+"."+receiver(d.Recv.List[0].Type)]++
			} else if public && d.Name.IsExported() {
				h.names++
			}
		case *ast.GenDecl:
			if public {
				h.names += exported(d)
			}
		}
	}
	for _, g := range f.Comments {
		from, to := set.Position(g.Pos()).Line, set.Position(g.End()).Line
		if slices.ContainsFunc(bodies, func(b [2]int) bool { return b[0] < from && to < b[1] }) {
			h.why += to - from + 1
		}
	}
	return nil
}

// variables counts the variables that a function declares.
func (h *house) variables(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if ok && id.Name != "_" && id.Obj != nil && id.Obj.Kind == ast.Var && id.Obj.Pos() == id.Pos() {
			if h.locals++; len(id.Name) == 1 {
				h.letters++
			}
		}
		return true
	})
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
}

// exported returns how many exported names a declaration has.
func exported(d *ast.GenDecl) (n int) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				n++
			}
		case *ast.ValueSpec:
			for _, id := range s.Names {
				if id.IsExported() {
					n++
				}
			}
		}
	}
	return n
}

func (h *house) print(w io.Writer) {
	fmt.Fprintf(w, "packages                         %d, of which %d can be imported from outside\n", h.packages, h.public)
	fmt.Fprintf(w, "lines                            %d product, %d support of tests, %d tests\n", h.product, h.support, h.testLines)
	fmt.Fprintf(w, "public names                     %d (functions, types, constants and variables)\n", h.names)
	fmt.Fprintf(w, "comments inside functions        %.1f%% of %d lines\n", 100*float64(h.why)/float64(max(h.body, 1)), h.body)
	fmt.Fprintf(w, "variables of one letter          %.1f%% of %d inside functions\n", 100*float64(h.letters)/float64(max(h.locals, 1)), h.locals)
	var mutual []string
	for a := range h.arrows {
		if back := [2]string{a[1], a[0]}; a[0] < a[1] && h.arrows[back] > 0 {
			mutual = append(mutual, fmt.Sprintf("%s and %s (%d and %d imports)", a[0], a[1], h.arrows[a], h.arrows[back]))
		}
	}
	slices.Sort(mutual)
	fmt.Fprintf(w, "folders that import each other   %d\n", len(mutual))
	for _, m := range mutual {
		fmt.Fprintf(w, "  %s\n", m)
	}
	fmt.Fprintln(w, "types with the most methods")
	var types []string
	for t := range h.methods {
		types = append(types, t)
	}
	slices.SortFunc(types, func(a, b string) int { return cmp.Or(h.methods[b]-h.methods[a], cmp.Compare(a, b)) })
	for _, t := range types[:min(8, len(types))] {
		fmt.Fprintf(w, "  %-40s %d\n", t, h.methods[t])
	}
}
