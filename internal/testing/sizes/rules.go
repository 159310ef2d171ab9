package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
)

// rules counts the rows of the table that says which package may import which, and the rules of imports without exceptions,
// as archtest has them: the table is a variable called house (earlier: rules), and each rule is a sentence of the function
// never. A tree without them has 0.
func rules(dir string) (rows, always int, err error) {
	for _, at := range []string{"internal/testing/archtest", "internal/archtest"} {
		files, err := filepath.Glob(filepath.Join(dir, at, "*_test.go"))
		if err != nil {
			return 0, 0, err
		}
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				return 0, 0, err
			}
			for _, d := range parsed.Decls {
				switch d := d.(type) {
				case *ast.GenDecl:
					rows += tableRows(d)
				case *ast.FuncDecl:
					if d.Name.Name == "never" {
						always += calls(d.Body, "say")
					}
				}
			}
		}
	}
	return rows, always, nil
}

// tableRows returns the number of rows if the declaration is that of the table.
func tableRows(d *ast.GenDecl) (n int) {
	for _, s := range d.Specs {
		spec, ok := s.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || spec.Names[0].Name != "house" && spec.Names[0].Name != "rules" {
			continue
		}
		if table, ok := spec.Values[0].(*ast.CompositeLit); ok {
			n += len(table.Elts)
		}
	}
	return n
}

// calls returns how often a function is called.
func calls(body *ast.BlockStmt, name string) (n int) {
	ast.Inspect(body, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok {
			if f, ok := call.Fun.(*ast.Ident); ok && f.Name == name {
				n++
			}
		}
		return true
	})
	return n
}
