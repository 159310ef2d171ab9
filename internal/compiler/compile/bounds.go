package compile

import (
	"fmt"
	"go/ast"
	"go/token"
)

// bounds limits types and constant strings of parsed files before go/types
// evaluates them, and the size of functions before go/ssa processes them. If a
// name is declared several times, the longest declaration counts.
func (c *Compiler) bounds(files []*ast.File) (errs Errors) {
	texts := &textBounds{c: c, decls: map[string][]ast.Expr{}, busy: map[string]bool{}}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.ValueSpec); ok {
				for i, x := range s.Values {
					if i < len(s.Names) {
						texts.decls[s.Names[i].Name] = append(texts.decls[s.Names[i].Name], x)
					}
				}
			}
			return true
		})
	}
	// Types first: go/types would take exponential time over some of them, and nothing after it can be trusted.
	if errs := c.typeBounds(files); len(errs) > 0 {
		return errs
	}
	said := false
	for _, file := range files {
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && branches(fn) > maxBranches {
				errs = append(errs, c.errorAt(fn.Pos(), fmt.Sprintf("function %s has more than %d branches; split it", fn.Name.Name, maxBranches)))
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			if _, sum := x.(*ast.BinaryExpr); !sum {
				return true
			}
			if !said && texts.length(x) > maxText {
				said = true // constants derived from it are at least as long
				errs = append(errs, c.errorAt(x.Pos(), fmt.Sprintf("a constant string here is longer than %d bytes; device code can use it only as the text of a panic", maxText)))
			}
			return false // the literals in it are counted with it
		})
	}
	return errs
}

func branches(fn *ast.FuncDecl) (n int) {
	ast.Inspect(fn, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.CaseClause:
			n++
		case *ast.BinaryExpr:
			// Each becomes a branch, since its right side may have an effect.
			if x.Op == token.LAND || x.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

// textBounds computes upper bounds for the length of constant strings.
type textBounds struct {
	c     *Compiler
	decls map[string][]ast.Expr
	busy  map[string]bool
}

// length returns an upper bound for the total length of the strings in x.
func (b *textBounds) length(x ast.Node) (sum int) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // its own expressions are checked separately
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				sum += len(n.Value)
			}
		case *ast.Ident:
			sum += b.named(n.Name)
		}
		sum = min(sum, maxText+1)
		return true
	})
	return sum
}

// named returns the bound for the constants with this name.
func (b *textBounds) named(name string) int {
	if n, ok := b.c.texts[name]; ok && b.decls[name] == nil {
		return n
	}
	// A constant that names itself is an error, which go/types reports.
	if b.busy[name] {
		return 0
	}
	b.busy[name] = true
	most := b.c.texts[name]
	for _, x := range b.decls[name] {
		most = max(most, b.length(x))
	}
	delete(b.decls, name)
	b.busy[name] = false
	b.c.texts[name] = most
	return most
}

// typeBounds rejects types that are too large, before go/types traverses them
// along every path. It works with names, because nothing else is known yet: of
// several types with one name the largest counts.
func (c *Compiler) typeBounds(files []*ast.File) (errs Errors) {
	fields := &fieldBounds{c: c, decls: map[string][]*ast.TypeSpec{}, busy: map[string]bool{}}
	var specs []*ast.TypeSpec
	var instances []ast.Expr
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok {
				fields.decls[s.Name.Name] = append(fields.decls[s.Name.Name], s)
				specs = append(specs, s)
			}
			switch x := n.(type) {
			case *ast.IndexExpr:
				instances = append(instances, x)
			case *ast.IndexListExpr:
				instances = append(instances, x)
			}
			return true
		})
	}
	for _, s := range specs {
		if fields.spec(s) > maxFields {
			return Errors{c.errorAt(s.Pos(), tooManyFields(s.Name.Name))} // types derived from it are at least as large
		}
	}
	for _, x := range instances {
		if fields.size(x) > maxFields {
			return Errors{c.errorAt(x.Pos(), tooManyFields("here"))}
		}
	}
	return nil
}

// fieldBounds computes upper bounds for the number of fields of types.
type fieldBounds struct {
	c     *Compiler
	decls map[string][]*ast.TypeSpec
	busy  map[string]bool
	own   map[string]bool // type parameters of the current declaration
}

func (b *fieldBounds) spec(s *ast.TypeSpec) int {
	old := b.own
	b.own = map[string]bool{}
	if s.TypeParams != nil {
		for _, f := range s.TypeParams.List {
			for _, n := range f.Names {
				b.own[n.Name] = true
			}
		}
	}
	n := b.size(s.Type)
	b.own = old
	return n
}

func (b *fieldBounds) named(name string) int {
	if b.own[name] || b.busy[name] {
		return 1
	}
	if n, ok := b.c.fields[name]; ok && b.decls[name] == nil {
		return n
	}
	b.busy[name] = true
	most := max(b.c.fields[name], 1)
	for _, s := range b.decls[name] {
		most = max(most, b.spec(s))
	}
	b.busy[name] = false
	delete(b.decls, name)
	b.c.fields[name] = most
	return most
}

// size returns how many fields a type has, at most maxFields+1.
func (b *fieldBounds) size(x ast.Expr) int {
	fields := 1
	switch x := x.(type) {
	case *ast.Ident:
		fields = b.named(x.Name)
	case *ast.SelectorExpr:
		fields = b.named(x.Sel.Name)
	case *ast.ParenExpr:
		fields = b.size(x.X)
	case *ast.UnaryExpr:
		fields = b.size(x.X)
	case *ast.BinaryExpr: // a union in a constraint
		fields = b.size(x.X) + b.size(x.Y)
	case *ast.ArrayType:
		if x.Len != nil {
			fields = b.size(x.Elt)
		}
	case *ast.IndexExpr:
		fields = b.size(x.X) * b.size(x.Index)
	case *ast.IndexListExpr:
		args := 0
		for _, a := range x.Indices {
			args = min(args+b.size(a), maxFields+1)
		}
		fields = b.size(x.X) * args
	case *ast.StructType:
		fields = b.list(x.Fields, false)
	case *ast.InterfaceType:
		fields = b.list(x.Methods, true)
	}
	return min(fields, maxFields+1)
}

func (b *fieldBounds) list(l *ast.FieldList, embedded bool) (n int) {
	for _, f := range l.List {
		if embedded && len(f.Names) > 0 {
			continue // a method
		}
		n = min(n+b.size(f.Type)*max(len(f.Names), 1), maxFields+1)
	}
	return max(n, 1)
}
