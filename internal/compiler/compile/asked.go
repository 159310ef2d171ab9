package compile

import (
	"errors"
	"fmt"
	"go/ast"
)

// A package is compiled as a whole, and so are its errors. Whoever asks for one kernel gets the errors of that kernel and of
// what it uses; of the others their number.

// decl is a package-level declaration: its names, where it stands, and all names that occur in it.
type decl struct {
	names      []string // a method has the name of its receiver's type
	file       string
	first, end int // lines
	uses       map[string]bool
}

// outline returns the declarations of a package.
func (c *Compiler) outline(files []*ast.File) (list []decl) {
	for _, file := range files {
		for _, d := range single(file.Decls) {
			names := declared(d)
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				names = []string{receiver(fn)}
			}
			from, to := c.fset.Position(d.Pos()), c.fset.Position(d.End())
			x := decl{names: names, file: from.Filename, first: from.Line, end: to.Line, uses: map[string]bool{}}
			ast.Inspect(d, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					x.uses[id.Name] = true
				}
				return true
			})
			list = append(list, x)
		}
	}
	return list
}

// reach marks the declarations that a name stands for, and those that they mention. It goes by names alone, and so may mark one
// too many where a local variable has the name of a function: that shows an error too many, and never one too few.
func reach(list []decl, name string) (marked []bool, found bool) {
	marked = make([]bool, len(list))
	wanted, todo := map[string]bool{name: true}, []string{name}
	for len(todo) > 0 {
		next := todo[0]
		todo = todo[1:]
		for i, d := range list {
			if marked[i] || !d.declares(next) {
				continue
			}
			marked[i], found = true, true
			for used := range d.uses {
				if !wanted[used] {
					wanted[used] = true
					todo = append(todo, used)
				}
			}
		}
	}
	return marked, found
}

func (d decl) declares(name string) bool {
	for _, n := range d.names {
		if n == name {
			return true
		}
	}
	return false
}

func (d decl) holds(at Place) bool {
	return at.File == d.file && d.first <= at.Line && at.Line <= d.end
}

// askedErrors returns what of the error of opening p concerns one name: the errors in it and in what it uses, and those outside of
// declarations, such as of imports. If there are none, it returns those that no package compiles with.
func askedErrors(p *pkg, name string, err error) error {
	var errs Errors
	if p == nil || !errors.As(err, &errs) {
		return err
	}
	marked, found := reach(p.outline, name)
	if !found {
		return err
	}
	var own Errors
	for _, e := range errs {
		inside, ours := false, false
		for i, d := range p.outline {
			if d.holds(e.At) {
				inside, ours = true, ours || marked[i]
			}
		}
		if ours || !inside {
			own = append(own, e)
		}
	}
	if len(own) > 0 {
		return own.and(len(errs) - len(own))
	}
	return append(p.fatal.and(0), &Error{Msg: name + " itself has no error, but a package with an error of this kind does not compile at all"})
}

// and adds that there are n more errors, which are not of what was asked for.
func (es Errors) and(n int) Errors {
	es = append(Errors(nil), es...)
	switch {
	case n == 1:
		return append(es, &Error{Msg: "and 1 error in other functions of the package"})
	case n > 1:
		return append(es, &Error{Msg: fmt.Sprintf("and %d errors in other functions of the package", n)})
	}
	return es
}

// others counts the errors that are not among es.
func (es Errors) others(all Errors) (n int) {
	type same struct {
		at  Place
		msg string
	}
	known := map[same]bool{}
	for _, e := range es {
		known[same{e.At, e.Msg}] = true
	}
	for _, e := range all {
		if !known[same{e.At, e.Msg}] {
			known[same{e.At, e.Msg}] = true
			n++
		}
	}
	return n
}
