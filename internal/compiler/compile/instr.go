package compile

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// instr lowers one instruction of go/ssa.
func (lo *lowerer) instr(fr *frame, in ssa.Instruction) {
	pos := in.Pos()
	if pos.IsValid() {
		fr.at = pos
	}
	lo.step()
	switch in := in.(type) {
	case *ssa.If:
		lo.branch(fr, in)
	case *ssa.Jump:
		lo.cur.Pos = fr.pos(lo)
		lo.edge(fr, in.Block(), 0)
	case *ssa.Return:
		lo.ret(fr, in)
	case *ssa.Panic:
		lo.trap(fr, in)
	case *ssa.Store:
		lo.goStore(fr, in)
	case *ssa.DebugRef, *ssa.RunDefers:
	case ssa.Value:
		// Nothing may walk a type before its size is known.
		if lo.c.tooBig(in.Type()) != "" {
			lo.notPoisoned(fr, in.(ssa.Instruction))
			lo.fits(in.Type(), pos)
		}
		vals := lo.value(fr, in, pos)
		fr.vals[in] = vals
		lo.spillValue(in, vals)
	default:
		lo.reject(in)
	}
}

// value lowers an instruction that has a result.
func (lo *lowerer) value(fr *frame, in ssa.Value, pos token.Pos) []leaf {
	switch in := in.(type) {
	case *ssa.Alloc:
		return []leaf{lo.alloc(in)}
	case *ssa.Phi:
		return lo.goPhi(fr, in)
	case *ssa.UnOp:
		if g := indexedTable(in); g != nil {
			lo.global(g, pos)
			return nil // index reads it
		}
		return lo.unary(fr, in)
	case *ssa.BinOp:
		return []leaf{lo.binary(fr, in)}
	case *ssa.Convert:
		return []leaf{lo.goConvert(fr, in)}
	case *ssa.ChangeType:
		return lo.val(fr, in.X, pos)
	case *ssa.ChangeInterface:
		return lo.val(fr, in.X, pos)
	case *ssa.MakeInterface:
		return []leaf{&iface{in.X.Type(), lo.val(fr, in.X, pos)}}
	case *ssa.TypeAssert:
		return lo.typeAssert(fr, in)
	case *ssa.MakeClosure:
		c := &closure{fn: in.Fn.(*ssa.Function)}
		for _, b := range in.Bindings {
			c.binds = append(c.binds, lo.val(fr, b, pos))
		}
		return []leaf{c}
	case *ssa.Extract:
		return lo.part(in.Tuple.Type(), lo.val(fr, in.Tuple, pos), in.Index, pos)
	case *ssa.Field:
		return lo.part(in.X.Type(), lo.val(fr, in.X, pos), in.Field, pos)
	case *ssa.FieldAddr:
		return []leaf{lo.fieldAddr(fr, in)}
	case *ssa.IndexAddr:
		return []leaf{lo.indexAddr(fr, in)}
	case *ssa.Index:
		return lo.index(fr, in)
	case *ssa.Slice:
		return lo.slice(fr, in)
	case *ssa.Call:
		return lo.call(fr, in)
	}
	lo.reject(in.(ssa.Instruction))
	return nil
}

// val returns the leaves of an operand.
func (lo *lowerer) val(fr *frame, v ssa.Value, pos token.Pos) []leaf {
	switch v := v.(type) {
	case *ssa.Const:
		return lo.constantOf(v, pos)
	case *ssa.Function:
		return []leaf{lo.c.functionValue(v)}
	case *ssa.Global:
		return lo.global(v, pos)
	}
	r, ok := fr.vals[v]
	if !ok {
		panic(fmt.Sprintf("no value for %s in %s", v.Name(), fr.fn))
	}
	if len(r) == 1 && r[0] == (poison{}) {
		panic(silent{})
	}
	return r
}

// functionValue returns the closure of a function that is used as a value;
// always the same one for a function.
func (c *Compiler) functionValue(fn *ssa.Function) *closure {
	f := c.funcs[fn]
	if f == nil {
		f = &closure{fn: fn}
		c.funcs[fn] = f
	}
	return f
}

// operand returns an operand of one leaf, in a register.
func (lo *lowerer) operand(fr *frame, v ssa.Value, pos token.Pos) *ir.Value {
	return lo.reg(lo.val(fr, v, pos)[0], pos)
}

// part returns component i of a struct or tuple.
func (lo *lowerer) part(t types.Type, x []leaf, i int, pos token.Pos) []leaf {
	l := lo.layoutAt(t, pos)
	if len(l.fields) == 0 {
		return nil // gpu.Thread
	}
	return x[l.fields[i]:l.fields[i+1]]
}

// branch ends a block with a branch. A constant condition leaves only one edge,
// so that what the other side does need not be known at compile time.
func (lo *lowerer) branch(fr *frame, in *ssa.If) {
	// A branch has no position in go/ssa: that of its condition is the line that a report should show.
	if p := in.Cond.Pos(); p.IsValid() {
		fr.at = p
	}
	b := in.Block()
	lo.cur.Pos = fr.pos(lo)
	cond := lo.operand(fr, in.Cond, fr.at)
	if cond.Op == ir.OpConst {
		if cond.Bits() != 0 {
			lo.edge(fr, b, 0)
		} else {
			lo.edge(fr, b, 1)
		}
		return
	}
	lo.cur.Cond = cond
	lo.edge(fr, b, 0)
	lo.edge(fr, b, 1)
}

// ret passes results to the exit of the inlined function.
func (lo *lowerer) ret(fr *frame, in *ssa.Return) {
	var all []leaf
	for _, r := range in.Results {
		all = append(all, lo.val(fr, r, in.Pos())...)
	}
	if fr.exit == nil {
		fr.rets = all
		return
	}
	for i, l := range all {
		lo.write(fr.ret[i], l)
	}
	lo.cur.Pos = fr.pos(lo)
	if returnsEarly(fr.fn, in) {
		lo.returns = append(lo.returns, lo.cur)
	}
	ir.AddEdge(lo.cur, fr.exit)
}

// leave passes dummy results to the function's exit, for a path that does not
// return.
func (lo *lowerer) leave(fr *frame) {
	if fr.exit != nil {
		for _, s := range fr.ret {
			if s.t.k != ir.Void {
				lo.write(s, lo.constant(s.t.k, 0))
			}
		}
		lo.cur.Pos = fr.pos(lo)
		ir.AddEdge(lo.cur, fr.exit)
		return
	}
	fr.rets = lo.zeros(lo.c.layoutOf(fr.fn.Signature.Results()))
}

// trap stops the launch. It continues to the function's exit, since an exit of
// its own would leave the enclosing blocks without a post-dominator.
func (lo *lowerer) trap(fr *frame, in *ssa.Panic) {
	i, ok := lo.val(fr, in.X, in.Pos())[0].(*iface)
	if !ok {
		lo.fail(in.Pos(), "the argument of panic is not known at compile time; use a constant string")
	}
	msg, ok := lo.panicText(i)
	if !ok {
		lo.fail(in.Pos(), "panic takes a constant string in device code; write the numbers to a buffer")
	}
	n, ok := lo.traps[msg]
	if !ok {
		n = int64(len(lo.f.Traps))
		lo.traps[msg] = n
		lo.f.Traps = append(lo.f.Traps, msg)
	}
	lo.emit(ir.OpTrap, ir.Void).Imm = n
	lo.leave(fr)
}

// panicText returns a constant argument of panic as text.
func (lo *lowerer) panicText(i *iface) (msg string, ok bool) {
	if len(i.v) != 1 {
		return "", false
	}
	switch x := i.v[0].(type) {
	case text:
		return string(x), true
	case null:
		return "", true
	}
	v, ok := lo.isConst(i.v[0])
	if !ok || !v.K.Int() {
		return "", false
	}
	return fmt.Sprint(constInt(v, v.K)), true
}

// goStore lowers a store to what an address points to.
func (lo *lowerer) goStore(fr *frame, in *ssa.Store) {
	var vals []leaf
	ok := lo.try(func() { vals = lo.val(fr, in.Val, in.Pos()) })
	addr := lo.val(fr, in.Addr, in.Pos())[0]
	if !ok { // the variable's value is then unknown too
		if a, isLocal := addr.(localAddr); isLocal {
			for i := range lo.layoutAt(in.Val.Type(), in.Pos()).leaves {
				lo.write(a.l.slots[a.first+i], poison{})
			}
		}
		panic(silent{})
	}
	lo.store(addr, vals, in.Val.Type(), in.Pos())
}

// afterError gives a block with an error the edges that it would have had
// without.
func (lo *lowerer) afterError(fr *frame, in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.If:
		lo.cur.Cond = lo.constant(ir.Pred, 0)
		if len(lo.cur.Succs) == 0 {
			lo.edge(fr, in.Block(), 0)
		}
		if len(lo.cur.Succs) == 1 {
			lo.edge(fr, in.Block(), 1)
		}
	case *ssa.Return, *ssa.Panic:
		fr.bad = true
		if len(lo.cur.Succs) == 0 {
			lo.leave(fr)
		}
	}
}
