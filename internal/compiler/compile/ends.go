package compile

import (
	"go/ast"

	"golang.org/x/tools/go/ssa"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Threads that have returned are not waited for at a barrier, but threads that
// go around a barrier must not come to the end of the kernel instead. For a
// device both are exits. Therefore the compiler notes which exits are not due to
// a return in the source: see ir.PosInfo.Ends.

// returnsEarly reports whether a return is written in the source before the end
// of its function.
func returnsEarly(fn *ssa.Function, in *ssa.Return) bool {
	var body *ast.BlockStmt
	switch f := fn.Syntax().(type) {
	case *ast.FuncDecl:
		body = f.Body
	case *ast.FuncLit:
		body = f.Body
	}
	if body == nil || !in.Pos().IsValid() || len(body.List) == 0 {
		return false
	}
	last := body.List[len(body.List)-1]
	return in.Pos() < last.Pos() || in.Pos() >= last.End() || !isReturn(last)
}

func isReturn(s ast.Stmt) bool {
	_, ok := s.(*ast.ReturnStmt)
	return ok
}

// markEnds marks the positions at which threads come to the end of the kernel.
func (lo *lowerer) markEnds() {
	early := map[*ir.Block]bool{}
	for _, b := range lo.returns {
		early[b] = true
	}
	over := func(b *ir.Block) (ends, returns bool) { // nothing follows from b on
		for range lo.f.Blocks {
			switch {
			case early[b]:
				return false, len(b.Ins) == 0
			case len(b.Ins) > 0 || len(b.Succs) > 1:
				return false, false
			case len(b.Succs) == 0:
				return true, false
			}
			b = b.Succs[0]
		}
		return false, false
	}
	lo.f.Pos[0].Ends = true // the exit of a kernel whose last block has code
	for _, b := range lo.f.Blocks {
		ends, returns := false, early[b]
		for _, s := range b.Succs {
			e, r := over(s)
			ends, returns = ends || e, returns || r
		}
		if b.Pos != 0 && ends && !returns {
			lo.f.Pos[b.Pos].Ends = true
		}
	}
}
