package compile

import (
	"fmt"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// This file finds plain updates of one address by many threads, as in
// *total += x: of those that come at the same time, all but one are lost.

// lostUpdates finds the plain stores of f whose address is the same for all
// threads and whose value depends on a plain load of that address, if more than
// one thread executes them. Threads that hold a lock, and a thread that a
// condition singles out, may do that.
func lostUpdates(f *ir.Func) (found []Warning) {
	f.Analyze()
	l := &lost{varies: map[*ir.Value]bool{}}
	for _, b := range f.Blocks {
		for _, s := range b.Ins {
			if s.Op != ir.OpStore || s.Mem.Order != ir.Weak || s.Guard != nil || l.depends(s.Args[0]) {
				continue
			}
			root := memoryOf(s.Args[0])
			if root == nil || !loads(s.Args[1:], root) || !l.many(b) || locked(b) {
				continue
			}
			at := places(f, s.Pos)
			if len(at) == 0 {
				continue
			}
			found = append(found, Warning{At: at[0], From: at[1:], Msg: fmt.Sprintf(
				"plain update of %s, at an address that is the same for all threads: of updates at the same time all but one are lost; use an atomic", memoryName(f, root))})
		}
	}
	return found
}

// lost knows which values differ between threads.
type lost struct{ varies map[*ir.Value]bool }

// depends reports whether a value differs between threads, or may do so because
// it comes from memory.
func (l *lost) depends(v *ir.Value) bool {
	if known, ok := l.varies[v]; ok {
		return known
	}
	l.varies[v] = false // of a phi of a loop, unless another operand says otherwise
	differs := false
	switch {
	case v.Op == ir.OpSpecial:
		switch ir.Special(v.Imm) {
		// The shape of the launch is the same for all threads.
		case ir.NTID, ir.NTIDY, ir.NTIDZ, ir.NCTAID, ir.NCTAIDY, ir.NCTAIDZ, ir.DynamicBytes:
		default:
			differs = true
		}
	case v.Op == ir.OpReadSpecial, v.Op.Addressed(), v.Op.Collective():
		differs = true
	}
	for _, a := range v.Args {
		differs = differs || l.depends(a)
	}
	l.varies[v] = differs
	return differs
}

// many reports whether more than one thread executes a block: no condition before
// it may single one out, as comparisons other than by size do.
func (l *lost) many(b *ir.Block) bool {
	for d := b.Idom; d != nil; d = d.Idom {
		// A branch that all paths rejoin before the block, or that all threads take alike, singles nobody out.
		if d.Cond == nil || after(d, b) || !l.depends(d.Cond) {
			continue
		}
		switch c := d.Cond; c.Op {
		case ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
			for _, a := range c.Args {
				if a.Op == ir.OpConst && a.Bits() <= 1 {
					return false // i < 1
				}
			}
		default:
			return false
		}
	}
	return true
}

// after reports whether every path from block d leads through b.
func after(d, b *ir.Block) bool {
	for p := d.Ipdom; p != nil; p = p.Ipdom {
		if p == b {
			return true
		}
	}
	return false
}

// locked reports whether a block follows an operation by which threads take
// locks or wait for each other.
func locked(b *ir.Block) bool {
	for d := b; d != nil; d = d.Idom {
		for _, v := range d.Ins {
			if v.Op.IsAtomic() || v.Op == ir.OpLoad && v.Mem.Order != ir.Weak {
				return true
			}
		}
	}
	return false
}

// memoryOf returns the parameter or shared variable that an address derives from;
// nil if that is not known.
func memoryOf(v *ir.Value) *ir.Value {
	for {
		switch v.Op {
		case ir.OpLea, ir.OpAdd:
			v = v.Args[0]
		case ir.OpParam, ir.OpShared:
			return v
		default:
			return nil
		}
	}
}

func memoryName(f *ir.Func, root *ir.Value) string {
	if root.Op == ir.OpShared {
		return "shared " + f.Shared[root.Imm].Name
	}
	return f.Leaves[root.Imm].Name
}

// loads reports whether one of the values depends on a plain load of the memory.
func loads(values []*ir.Value, root *ir.Value) bool {
	seen := map[*ir.Value]bool{}
	var visit func(v *ir.Value) bool
	visit = func(v *ir.Value) bool {
		if seen[v] {
			return false
		}
		seen[v] = true
		if v.Op == ir.OpLoad {
			r := memoryOf(v.Args[0])
			return v.Mem.Order == ir.Weak && r != nil && r.Op == root.Op && r.Imm == root.Imm
		}
		for _, a := range v.Args {
			if visit(a) {
				return true
			}
		}
		return false
	}
	for _, v := range values {
		if visit(v) {
			return true
		}
	}
	return false
}
