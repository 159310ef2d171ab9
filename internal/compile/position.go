package compile

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/weft-gpu/weft/internal/ir"
)

// pos returns the position of the instruction being lowered. go/ssa gives none
// to many (jumps, extracts, returns, implicit loads and stores): the last one
// that had one stands for it.
func (fr *frame) pos(lo *lowerer) ir.Pos { return fr.posOf(lo, fr.at) }

// posOf interns a position with the chain of inlining.
func (fr *frame) posOf(lo *lowerer, p token.Pos) ir.Pos {
	if i, ok := fr.known[p]; ok {
		return i
	}
	if !p.IsValid() {
		if fr.at.IsValid() {
			return fr.posOf(lo, fr.at)
		}
		p = fr.fn.Pos()
	}
	if !p.IsValid() { // a wrapper that go/ssa made: its caller's line
		return fr.call
	}
	at := lo.c.fset.Position(p)
	i := lo.f.AddPos(ir.PosInfo{File: at.Filename, Line: at.Line, Col: at.Column, Func: funcName(fr.fn), Parent: fr.call})
	fr.known[p] = i
	return i
}

// funcName returns a function as people know it: "Push", "BFS.Active",
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

// lineKey names the line of a call with the lines it was inlined from.
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

// varName returns the variable that a call's result is assigned to in the
// source, or a name made of n.
func (c *Compiler) varName(in *ssa.Call, n int) string {
	if c.names == nil {
		c.names = map[token.Pos]string{}
		for _, p := range c.pkgs {
			for _, file := range p.files {
				ast.Inspect(file, c.noteNames)
			}
		}
	}
	if name := c.names[in.Pos()]; name != "" {
		return name
	}
	return "shared" + strconv.Itoa(n)
}

// noteNames keeps the names in "x := f(...)" and "var x = f(...)" by the
// position of the call, which go/ssa puts at its parenthesis.
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
