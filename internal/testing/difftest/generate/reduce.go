package generate

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// Reduce makes a failing kernel smaller: it drops statements, unwraps blocks
// and replaces expressions by their operands as long as fails returns true for
// the rest. fails must return false for kernels that do not compile. No edit
// introduces a race or an endless loop.
func Reduce(k Kernel, fails func(Kernel) bool) Kernel {
	for {
		smaller := false
		// The text is parsed again after each change. Edit n is the n-th
		// possible one, counted from the end of the text, so that uses are
		// removed before definitions.
		for n := 0; ; {
			try := k
			text, ok := edit(k.Source, n)
			if !ok {
				break
			}
			try.Source = text
			if text != k.Source && !breaks(text, k.Source) && fails(try) {
				k, smaller = try, true
			} else {
				n++
			}
		}
		if !smaller {
			return k
		}
	}
}

// breaks reports whether an edit removed something that the kernel needs to
// have a single correct result: the barriers of shared memory, the operations
// that raise and await flags, the threads that execute them, the end of a loop
// without a condition, or the private cells of a thread.
func breaks(text, before string) bool {
	fewer := func(s string) bool { return strings.Count(text, s) < strings.Count(before, s) }
	for what, parts := range map[string][]string{
		"gpu.Shared": {"t.Sync()", "t.Idx() <"},
		"net.flag(":  {"t.Sync()", "t.SyncWarp(", "gpu.Fence(", "t.Idx() ==", "t.Lane() ==", "t.Block() =="},
		"for {":      {"break", "++"},
	} {
		for _, part := range parts {
			if strings.Contains(text, what) && fewer(part) {
				return true
			}
		}
	}
	return len(cells.FindAllString(text, -1)) != len(owned.FindAllString(text, -1))
}

// cells matches uses of memory in which each thread has its own part, owned
// those with the thread's own index.
var (
	cells = regexp.MustCompile(`\b(?:out|own|rec|Blank)\[`)
	owned = regexp.MustCompile(`\b(?:out\[t\.Global\(\)\*Outs\+|own\[t\.Global\(\)\*Owns\+|rec\[t\.Global\(\)\]|Blank\[t\.Global\(\)\*Owns\+)`)
)

// blank matches lines that an edit left empty.
var blank = regexp.MustCompile(`\n\s*\n`)

// edit applies the n-th edit to a text; ok is false if there are fewer edits.
func edit(source string, n int) (text string, ok bool) {
	const head = "package p\n"
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", head+source, 0)
	if err != nil {
		return "", false
	}
	var edits []func()
	ast.Inspect(file, func(node ast.Node) bool {
		switch x := node.(type) {
		case *ast.BlockStmt:
			edits = append(edits, cuts(&x.List)...)
		case *ast.CaseClause:
			edits = append(edits, cuts(&x.Body)...)
		case *ast.IfStmt:
			if x.Else != nil {
				edits = append(edits, func() { x.Else = nil })
			}
		}
		for _, e := range operands(node) {
			for _, by := range inner(*e) {
				edits = append(edits, func() { *e = by })
			}
		}
		return true
	})
	for i := range file.Decls {
		edits = append(edits, func() { file.Decls = append(file.Decls[:i:i], file.Decls[i+1:]...) })
	}
	if n >= len(edits) {
		return "", false
	}
	edits[len(edits)-1-n]()
	var out strings.Builder
	if err := format.Node(&out, fset, file); err != nil {
		return source, true
	}
	return blank.ReplaceAllString(strings.TrimPrefix(out.String(), head), "\n"), true
}

// cuts returns the edits that drop a statement of a list or replace it by the
// statements in it.
func cuts(list *[]ast.Stmt) (edits []func()) {
	for i, s := range *list {
		replace := func(by ...ast.Stmt) func() {
			return func() { *list = append(append((*list)[:i:i], by...), (*list)[i+1:]...) }
		}
		switch x := s.(type) {
		case *ast.IfStmt:
			edits = append(edits, replace(x.Body.List...))
			if b, ok := x.Else.(*ast.BlockStmt); ok {
				edits = append(edits, replace(b.List...))
			}
		case *ast.ForStmt:
			edits = append(edits, replace(x.Body.List...))
		case *ast.LabeledStmt:
			edits = append(edits, replace(x.Stmt))
		}
		edits = append(edits, replace())
	}
	return edits
}

// operands returns the places of a node that hold replaceable expressions.
func operands(node ast.Node) (e []*ast.Expr) {
	switch x := node.(type) {
	case *ast.AssignStmt:
		for i := range x.Rhs {
			e = append(e, &x.Rhs[i])
		}
	case *ast.CallExpr:
		for i := range x.Args {
			e = append(e, &x.Args[i])
		}
	case *ast.ReturnStmt:
		for i := range x.Results {
			e = append(e, &x.Results[i])
		}
	case *ast.BinaryExpr:
		e = append(e, &x.X, &x.Y)
	case *ast.ParenExpr:
		e = append(e, &x.X)
	case *ast.UnaryExpr:
		e = append(e, &x.X)
	case *ast.IfStmt:
		e = append(e, &x.Cond)
	case *ast.IndexExpr:
		// An index with the thread's number keeps threads separate.
		if !strings.Contains(types.ExprString(x.Index), "t.") {
			e = append(e, &x.Index)
		}
	case *ast.KeyValueExpr:
		e = append(e, &x.Value)
	case *ast.SwitchStmt:
		if x.Tag != nil {
			e = append(e, &x.Tag)
		}
	}
	return e
}

// inner returns the expressions that may replace an expression.
func inner(e ast.Expr) (by []ast.Expr) {
	switch x := e.(type) {
	case *ast.CallExpr:
		by = append(by, x.Args...)
	case *ast.BinaryExpr:
		by = append(by, x.X, x.Y)
	case *ast.ParenExpr:
		by = append(by, x.X)
	case *ast.UnaryExpr:
		by = append(by, x.X)
	case *ast.CompositeLit:
		for i := range x.Elts {
			short := *x
			short.Elts = append(x.Elts[:i:i], x.Elts[i+1:]...)
			by = append(by, &short)
		}
	}
	return by
}
