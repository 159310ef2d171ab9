package compile

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// pos returns the position of the instruction being lowered. Many go/ssa
// instructions have no position (jumps, extracts, returns, implicit loads and
// stores); they get that of the last instruction with one.
func (fr *frame) pos(lo *lowerer) ir.Pos { return fr.posOf(lo, fr.at) }

// posOf interns a position together with the chain of inlining.
func (fr *frame) posOf(lo *lowerer, p token.Pos) ir.Pos {
	if i, ok := fr.known[p]; ok {
		return i
	}
	// What a method of package gpu does is shown where the kernel calls it.
	if fr.parent != nil && lo.c.ofGPU(fr.fn) && (fr.fn.Signature.Recv() != nil || lo.c.ofGPU(fr.parent.fn) && fr.parent.fn.Signature.Recv() != nil) {
		fr.known[p] = fr.call
		return fr.call
	}
	if !p.IsValid() {
		if fr.at.IsValid() {
			return fr.posOf(lo, fr.at)
		}
		p = fr.fn.Pos()
	}
	if !p.IsValid() { // a wrapper made by go/ssa: use the caller's line
		return fr.call
	}
	at := lo.c.fset.Position(p)
	i := lo.f.AddPos(ir.PosInfo{File: at.Filename, Line: at.Line, Col: at.Column, Func: funcName(fr.fn), Parent: fr.call})
	fr.known[p] = i
	return i
}

// funcName returns the displayed name of a function: "Push", "BFS.Active",
// "Push.func1".
func funcName(fn *ssa.Function) string {
	name := fn.Name()
	if o := fn.Origin(); o != nil {
		name = o.Name()
	}
	if p := fn.Parent(); p != nil {
		_, n, _ := strings.Cut(name, "$")
		if i := strings.LastIndex(name, "$"); i >= 0 {
			n = name[i+1:]
		}
		return funcName(p) + ".func" + n
	}
	if recv := fn.Signature.Recv(); recv != nil {
		return recvName(recv.Type()) + "." + name
	}
	return name
}

// lineKey identifies the line of a call and the lines from which it was
// inlined.
func (c *icall) lineKey() string {
	var s strings.Builder
	pos := c.at
	for fr := c.frame; fr != nil; pos, fr = fr.callPos, fr.parent {
		p := c.c.fset.Position(pos)
		s.WriteString(p.Filename)
		s.WriteByte(':')
		s.WriteString(strconv.Itoa(p.Line))
		s.WriteByte(' ')
	}
	return s.String()
}

// varName returns the variable to which the source assigns the result of a
// call, or a name made from n.
func (c *Compiler) varName(in *ssa.Call, n int) string {
	if c.names == nil {
		c.names = map[token.Pos]string{}
	}
	for _, p := range c.pkgs {
		if p.noted {
			continue
		}
		for _, file := range p.files {
			p.noted = true // not before it has files: it may be loading
			ast.Inspect(file, c.noteNames)
		}
	}
	if name := c.names[in.Pos()]; name != "" {
		return name
	}
	return "shared" + strconv.Itoa(n)
}

// noteNames records the names in "x := f(...)" and "var x = f(...)" by the
// position of the call, which for go/ssa is that of its parenthesis.
func (c *Compiler) noteNames(n ast.Node) bool {
	note := func(x ast.Expr, name string) {
		if call, ok := x.(*ast.CallExpr); ok && name != "_" {
			c.names[call.Lparen] = name
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, x := range n.Rhs {
			if id, ok := n.Lhs[i].(*ast.Ident); ok {
				note(x, id.Name)
			}
		}
	case *ast.ValueSpec:
		for i, x := range n.Values {
			note(x, n.Names[i].Name)
		}
	}
	return true
}
