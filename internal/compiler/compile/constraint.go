package compile

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// unsatisfied matches go/types' message for a type argument that is not in the
// set of a constraint; the last group is the set.
var unsatisfied = regexp.MustCompile(`^(.+?) does not satisfy .+ \(.+ missing in (.+)\)$`)

// constraintMessage returns the message of te. For a constraint it says in
// plain words which types the function accepts.
func constraintMessage(te types.Error, files []*ast.File) string {
	m := unsatisfied.FindStringSubmatch(te.Msg)
	if m == nil {
		return te.Msg
	}
	name := instanceAt(te.Pos, files)
	if name == "" {
		return te.Msg
	}
	set := strings.Split(strings.ReplaceAll(m[2], "~", ""), " | ")
	msg := name + " takes " + anyOf(set) + ", and types based on these; " + m[1] + " is not one of them"
	switch {
	case m[1] == "bool":
		msg += "; use a uint32 that is 0 or 1"
	case slices.Contains([]string{"uint8", "int8", "uint16", "int16"}, m[1]):
		msg += "; use a wider type"
	}
	return msg
}

// anyOf joins a list: "a, b and c".
func anyOf(list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// instanceAt returns the name of the innermost generic function or type that is
// called or instantiated at pos; "" if there is none.
func instanceAt(pos token.Pos, files []*ast.File) (name string) {
	for _, file := range files {
		if pos < file.FileStart || pos > file.FileEnd {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil || pos < n.Pos() || pos > n.End() {
				return false
			}
			var of ast.Expr
			switch n := n.(type) {
			case *ast.CallExpr:
				of = n.Fun
			case *ast.IndexExpr:
				of = n.X
			case *ast.IndexListExpr:
				of = n.X
			}
			switch of.(type) {
			case *ast.Ident, *ast.SelectorExpr:
				name = types.ExprString(of)
			}
			return true
		})
	}
	return name
}
