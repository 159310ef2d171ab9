package compile

import (
	"context"
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// restErrors returns the errors of a package other than its type errors. It
// removes functions and declarations with a type error, then those that depend
// on them, and lowers the remaining kernels. It prefers to miss errors over
// reporting some that would not exist without the type errors.
func (c *Compiler) restErrors(ctx context.Context, p *pkg) (Errors, error) {
	src := p.broken
	for _, file := range src.files {
		file.Decls = single(file.Decls)
	}
	part := &pkg{path: p.path}
	for {
		var found []types.Error
		info := newInfo()
		conf := c.typesConfig(soundImporter{c, src.path})
		conf.Error = func(err error) {
			if te, ok := err.(types.Error); ok && !harmless(te) {
				found = append(found, te)
			}
		}
		tp, _ := conf.Check(src.path, c.fset, src.files, info)
		if len(found) == 0 {
			if c.build(part, tp, src.files, info, false); part.errs != nil {
				return nil, nil
			}
			return c.checkPackage(ctx, part)
		}
		if !c.takeOut(src.files, found) {
			return nil, nil
		}
	}
}

// harmless reports whether te does not affect the meaning of other code.
func harmless(te types.Error) bool {
	return strings.HasPrefix(te.Msg, "declared and not used") || strings.Contains(te.Msg, "imported and not used") ||
		strings.Contains(te.Msg, "imported as")
}

// soundImporter imports packages that have no errors.
type soundImporter struct {
	c    *Compiler
	from string // the package that imports
}

// Import returns a package that has already been loaded.
func (i soundImporter) Import(path string) (*types.Package, error) {
	at, _ := i.c.imported(i.from, path)
	if d := i.c.pkgs[at]; d != nil && d.errs == nil && !d.loading && d.types != nil {
		return d.types, nil
	}
	return nil, errors.New("it has errors")
}

// takeOut removes the code with the errors: the body of a function if the error
// is inside (the results of its calls are then not examined), else the whole
// declaration, for a method together with its type. It returns false if it
// removed nothing, or if a predeclared name would regain its own meaning.
func (c *Compiler) takeOut(files []*ast.File, errs []types.Error) (removed bool) {
	gone := map[string]bool{}
	for _, te := range errs {
		for _, file := range files {
			for _, d := range file.Decls {
				if d.Pos() > te.Pos || te.Pos >= d.End() {
					continue
				}
				fn, ok := d.(*ast.FuncDecl)
				if ok && fn.Body != nil && fn.Body.Pos() <= te.Pos && !c.bodiless[fn.Name.Pos()] {
					c.bodiless[fn.Name.Pos()] = true
					fn.Body = panics(fn.Body.Lbrace)
					removed = true
				} else if ok && fn.Recv != nil {
					gone[receiver(fn)] = true
				} else {
					for _, name := range declared(d) {
						gone[name] = true
					}
				}
			}
		}
	}
	for name := range gone {
		if types.Universe.Lookup(name) != nil {
			return false
		}
	}
	for _, file := range files {
		n := len(file.Decls)
		file.Decls = slices.DeleteFunc(file.Decls, func(d ast.Decl) bool {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				return gone[receiver(fn)]
			}
			return slices.ContainsFunc(declared(d), func(name string) bool { return gone[name] })
		})
		removed = removed || len(file.Decls) < n
	}
	return removed
}

// panics returns a body that is valid for a function of any type.
func panics(at token.Pos) *ast.BlockStmt {
	call := &ast.CallExpr{Fun: &ast.Ident{Name: "panic", NamePos: at}, Args: []ast.Expr{&ast.BasicLit{Kind: token.STRING, Value: `""`, ValuePos: at}}}
	return &ast.BlockStmt{Lbrace: at, Rbrace: at, List: []ast.Stmt{&ast.ExprStmt{X: call}}}
}

// receiver returns the name of the type that a method belongs to.
func receiver(fn *ast.FuncDecl) (name string) {
	ast.Inspect(fn.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// declared returns the names that a declaration other than a method declares. A
// list of constants stays together, since each may depend on its position.
func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return []string{d.Name.Name}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ImportSpec:
				names = append(names, "import "+s.Path.Value)
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}

// single splits grouped declarations, except those of constants, into single
// ones.
func single(decls []ast.Decl) (out []ast.Decl) {
	for _, d := range decls {
		list, ok := d.(*ast.GenDecl)
		if !ok || list.Tok == token.CONST || !list.Lparen.IsValid() {
			out = append(out, d)
			continue
		}
		for _, s := range list.Specs {
			out = append(out, &ast.GenDecl{Tok: list.Tok, TokPos: s.Pos(), Specs: []ast.Spec{s}})
		}
	}
	return out
}
