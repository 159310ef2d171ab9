package gpu

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"runtime"
	"strings"
)

// This file finds threads of a block that come to different calls of Sync, and threads that
// go around a Sync of the others. A thread that has returned before is not waited for. Plain
// Go does not tell the two apart, so the kernel's source decides: a thread went around a
// call that is conditional, if no return stands in the functions that lead to it.

// site identifies a call of a barrier, with its callers: their return addresses.
type site [8]uintptr

// barrierCall is a call of a barrier that some thread has executed.
type barrierCall struct {
	site  site
	calls []runtime.Frame // the kernel's frames, innermost first
	// around: it is conditional, and no return stands before it. known: that was determined.
	around, known bool
}

// call returns what is known of the call that the running thread executes.
func (l *launch) call(s site) *barrierCall {
	c := l.calls[s]
	if c == nil {
		if l.calls == nil {
			l.calls = map[site]*barrierCall{}
		}
		c = &barrierCall{site: s, calls: kernelCalls()}
		l.calls[s] = c
	}
	return c
}

// meet checks that th comes to the same call as the other threads of its block.
func (th *thread) meet(kind syncKind) {
	b, s := th.b, here()
	switch {
	case b.barrier == 0:
		b.at = th.l.call(s)
		if b.gone != nil && b.at.isAround() {
			panic(misuse(aroundText(kind, b.gone)))
		}
	case b.at.site != s:
		if first := b.first(); first.syncAt == kind {
			panic(misuse(fmt.Sprintf("%s, while thread %s of the block waits at another one at %s: all threads of a block must come to the same",
				syncNames[kind], th.l.blockDim.name(int(first.idx)), frameOf(&b.at.calls[0]))))
		}
	}
}

// first returns the first thread that waits at the barrier.
func (b *block) first() *thread {
	for i := range b.threads {
		if th := &b.threads[i]; th.state == atBarrier {
			return th
		}
	}
	return nil
}

func aroundText(kind syncKind, gone *thread) string {
	return fmt.Sprintf("%s, around which thread %s of the block has gone to the end of the kernel: all threads of a block must come to it",
		syncNames[kind], gone.l.blockDim.name(int(gone.idx)))
}

// wentAround ends the launch if b.gone, which has just exited, went around the barrier at
// which others wait.
func (b *block) wentAround(l *launch) bool {
	if !b.at.isAround() {
		return false
	}
	th := b.first()
	l.err = &Fault{What: aroundText(th.syncAt, b.gone), Block: l.numberOf(b.index), Thread: int(th.idx), GridDim: l.gridDim, BlockDim: l.blockDim}
	return true
}

// reads returns the fault of a shuffle of th, which waits, that reads a lane which does not
// take part. The fault has no position yet.
func (th *thread) reads(lane, warp uint32, live *uint32) *Fault {
	why := "has exited"
	switch {
	case warp*WarpSize+lane >= uint32(len(th.b.threads)):
		why = fmt.Sprintf("does not exist: the block has %d threads", len(th.b.threads))
	case th.mask>>lane&1 == 0:
		why = fmt.Sprintf("is not in its mask %08x", th.mask)
	case *live>>lane&1 != 0:
		why = "is not here"
	}
	return &Fault{What: fmt.Sprintf("%s reads lane %d, which %s: the value is undefined", th.warpAt, lane, why),
		Block: th.l.numberOf(th.b.index), Thread: int(th.idx), GridDim: th.l.gridDim, BlockDim: th.l.blockDim}
}

// isAround reports whether a thread that has exited without coming to the call went around
// it.
func (c *barrierCall) isAround() bool {
	if c.known {
		return c.around
	}
	conditional, returns, callee := false, false, ""
	for i := range c.calls {
		inside, leaves := inSource(&c.calls[i], callee)
		conditional, returns = conditional || inside, returns || leaves
		name := c.calls[i].Function
		callee = name[strings.LastIndexByte(name, '.')+1:]
	}
	c.around, c.known = conditional && !returns, true
	return c.around
}

// inSource reports whether the call in a frame is executed only under a condition, and
// whether its function may return before. It reports neither if the source is not there.
func inSource(f *runtime.Frame, callee string) (conditional, returns bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, f.File, nil, parser.SkipObjectResolution)
	if err != nil {
		return false, false
	}
	line := func(p token.Pos) int { return fset.Position(p).Line }
	covers := func(n ast.Node) bool { return line(n.Pos()) <= f.Line && f.Line <= line(n.End()) }
	var body *ast.BlockStmt // of the innermost function at the line
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || !covers(n) {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			body = n.Body
		case *ast.FuncLit:
			body = n.Body
		}
		return true
	})
	if body == nil {
		return false, false
	}
	return conditionalCall(body, covers, callee), returnsBefore(body, covers, func(n ast.Node) bool { return line(n.Pos()) <= f.Line })
}

// conditionalCall reports whether all calls of a function in the part of body that covers
// accepts are in the body of a condition or loop. Any call counts if none has this name; but
// without a barrier where one should be, it is not this source that runs.
func conditionalCall(body *ast.BlockStmt, covers func(ast.Node) bool, callee string) bool {
	named, all := []bool{}, []bool{}
	var visit func(n ast.Node, under bool)
	visit = func(n ast.Node, under bool) {
		ast.Inspect(n, func(c ast.Node) bool {
			switch c := c.(type) {
			case nil:
				return false
			case *ast.FuncLit:
				return false
			case *ast.IfStmt:
				visitAll(visit, under, c.Init, c.Cond)
				visitAll(visit, true, c.Body, c.Else)
				return false
			case *ast.ForStmt:
				visitAll(visit, under, c.Init)
				visitAll(visit, true, c.Cond, c.Post, c.Body)
				return false
			case *ast.RangeStmt:
				visitAll(visit, under, c.X)
				visitAll(visit, true, c.Body)
				return false
			case *ast.CaseClause:
				for _, s := range c.Body {
					visit(s, true)
				}
				return false
			case *ast.BinaryExpr:
				if c.Op == token.LAND || c.Op == token.LOR {
					visitAll(visit, under, c.X)
					visitAll(visit, true, c.Y)
					return false
				}
			case *ast.CallExpr:
				if covers(c) {
					all = append(all, under)
					if name := called(c.Fun); name == callee || callee == "" && strings.HasPrefix(name, "Sync") {
						named = append(named, under)
					}
				}
			}
			return true
		})
	}
	visit(body, false)
	if len(named) == 0 && callee != "" { // called by another name, such as that of a parameter
		named = all
	}
	for _, under := range named {
		if !under {
			return false
		}
	}
	return len(named) > 0
}

// visitAll visits nodes, of which some may be nil.
func visitAll(visit func(ast.Node, bool), under bool, nodes ...ast.Node) {
	for _, n := range nodes {
		switch n := n.(type) {
		case nil:
		case *ast.BlockStmt:
			for _, s := range n.List {
				visit(s, under)
			}
		default:
			visit(n, under)
		}
	}
}

// called returns the name of the function that a call calls.
func called(fun ast.Expr) string {
	switch f := fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.IndexExpr:
		return called(f.X)
	case *ast.IndexListExpr:
		return called(f.X)
	}
	return ""
}

// returnsBefore reports whether a function may return before the call at the line that covers
// accepts: above it, or in a loop around it.
func returnsBefore(body *ast.BlockStmt, covers, above func(ast.Node) bool) (found bool) {
	var visit func(n ast.Node, around bool)
	visit = func(n ast.Node, around bool) {
		ast.Inspect(n, func(c ast.Node) bool {
			switch c := c.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt, *ast.RangeStmt:
				if c != n && !around && covers(c) {
					visit(c, true)
					return false
				}
			case *ast.ReturnStmt:
				found = found || (around || above(c)) && !covers(c)
			}
			return true
		})
	}
	visit(body, false)
	return found
}
