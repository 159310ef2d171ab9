package compile

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// frame is one inlined copy of a function.
type frame struct {
	fn      *ssa.Function
	parent  *frame
	callPos token.Pos // position of the call, in parent
	call    ir.Pos
	at      token.Pos // last valid position
	known   map[token.Pos]ir.Pos
	vals    map[ssa.Value][]leaf
	blk     []*ir.Block // by index of the ssa block: its first IR block
	edges   [][]int     // by index: for each predecessor of blk, the index of the ssa edge
	done    []bool
	dead    []bool
	phis    []*ssa.Phi
	ret     []*slot // results of a function with several blocks
	rets    []leaf  // results of a function with one block
	exit    *ir.Block
	bad     bool // a result could not be lowered
}

func (lo *lowerer) newFrame(fn *ssa.Function, callPos token.Pos) *frame {
	fr := &frame{fn: fn, parent: lo.frame, callPos: callPos, known: map[token.Pos]ir.Pos{}, vals: map[ssa.Value][]leaf{}}
	if lo.frame != nil {
		fr.call = lo.frame.posOf(lo, callPos)
	}
	return fr
}

// maxDepth limits the nesting of calls. It also ends the instantiation of
// functions that recur with ever new types.
const maxDepth = 200

// maxNested limits how often a function may be nested in itself by way of
// function literals, as when loops over one iterator are nested. Such calls are
// not recursion unless they never end.
const maxNested = 4

// recurs reports whether a call of fn cannot be inlined here because fn is
// already being inlined.
func (lo *lowerer) recurs(fn *ssa.Function) bool {
	depth, nested, literal := 0, 0, fn.Parent() != nil
	for fr := lo.frame; fr != nil; fr = fr.parent {
		depth++
		literal = literal || fr.fn.Parent() != nil
		if fr.fn == fn {
			if nested++; !literal || depth == 1 || nested > maxNested {
				return true
			}
		}
	}
	return false
}

// nestsTooDeep reports whether a call of fn here would be nested deeper than
// maxDepth. generic reports whether instantiations of fn are among the
// enclosing calls.
func (lo *lowerer) nestsTooDeep(fn *ssa.Function) (deep, generic bool) {
	depth := 0
	for fr := lo.frame; fr != nil; fr = fr.parent {
		depth++
		generic = generic || fn.Origin() != nil && fr.fn.Origin() == fn.Origin()
	}
	return depth > maxDepth, generic
}

// inline lowers a call of fn in place and returns its results.
func (lo *lowerer) inline(fn *ssa.Function, args, free [][]leaf, pos token.Pos) []leaf {
	if fn.Blocks == nil {
		lo.fail(pos, "%s has no Go body, so it cannot be used in device code", fn.Name())
	}
	deep, generic := lo.nestsTooDeep(fn)
	if deep && !generic {
		lo.fail(pos, "calls nest deeper than %d here, at %s; device code has no stack, so calls are inlined: use a loop, or nest fewer calls", maxDepth, funcName(fn))
	}
	if deep || lo.recurs(fn) {
		lo.fail(pos, "%s calls itself; device code has no stack: write a loop", funcName(fn))
	}
	fr := lo.newFrame(fn, pos)
	lo.frame = fr
	for i, p := range fn.Params {
		fr.vals[p] = args[i]
		lo.try(func() { lo.spillParam(p, args[i]) })
	}
	for i, v := range fn.FreeVars {
		fr.vals[v] = free[i]
	}
	// One block has one return: its results are the leaves themselves, and need no slots.
	if len(fn.Blocks) > 1 {
		for _, t := range lo.layoutAt(fn.Signature.Results(), fn.Pos()).leaves {
			fr.ret = append(fr.ret, &slot{t: t})
		}
		fr.exit = lo.newBlock()
	}
	lo.body(fr)
	r := fr.rets
	if fr.exit != nil {
		lo.seal(fr.exit)
		lo.begin(fr.exit)
		r = make([]leaf, len(fr.ret))
		for i, s := range fr.ret {
			fr.bad = !lo.try(func() { r[i] = lo.read(s, token.NoPos) }) || fr.bad
		}
	}
	lo.frame = fr.parent
	if fr.bad {
		panic(silent{})
	}
	return r
}

// begin makes b the current block.
func (lo *lowerer) begin(b *ir.Block) {
	lo.cur = b
	lo.state(b).age = lo.f.NumValues()
}

// body lowers the blocks of a function in reverse post-order, so that only loop
// headers begin before all their predecessors are lowered.
func (lo *lowerer) body(fr *frame) {
	n := len(fr.fn.Blocks)
	fr.blk, fr.edges = make([]*ir.Block, n), make([][]int, n)
	fr.done, fr.dead = make([]bool, n), make([]bool, n)
	order := lo.c.rpo(fr.fn)
	for i, block := range order {
		if i == 0 {
			fr.blk[block.Index] = lo.cur
		} else {
			fr.blk[block.Index] = lo.newBlock()
		}
	}
	for i, block := range order {
		if i > 0 && len(fr.blk[block.Index].Preds) == 0 {
			fr.dead[block.Index] = true // after a condition that is constant
		} else {
			if i > 0 {
				lo.begin(fr.blk[block.Index])
			}
			for _, in := range block.Instrs {
				if lo.try(func() { lo.instr(fr, in) }) {
					continue
				}
				// Lowering goes on with a value whose uses say nothing, so that all errors of a kernel are found at once.
				if v, ok := in.(ssa.Value); ok {
					fr.vals[v] = poisoned
				}
				lo.afterError(fr, in)
			}
		}
		fr.done[block.Index] = true
		// A block whose predecessors are all lowered gets the operands of its phis (Braun and others, "Simple and Efficient
		// Construction of Static Single Assignment Form", 2013).
		for _, s := range block.Succs {
			lo.sealIfDone(fr, s)
		}
	}
	for _, phi := range fr.phis {
		lo.fillGoPhi(fr, phi)
	}
}

func (lo *lowerer) sealIfDone(fr *frame, b *ssa.BasicBlock) {
	for _, p := range b.Preds {
		if !fr.done[p.Index] {
			return
		}
	}
	lo.seal(fr.blk[b.Index])
}

// rpo returns the blocks of a function in reverse post-order.
func (c *Compiler) rpo(fn *ssa.Function) []*ssa.BasicBlock {
	if o := c.orders[fn]; o != nil {
		return o
	}
	seen := make([]bool, len(fn.Blocks))
	out := make([]*ssa.BasicBlock, 0, len(fn.Blocks))
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		seen[b.Index] = true
		// The last successor first, so that the first one follows its block.
		for i := len(b.Succs) - 1; i >= 0; i-- {
			if !seen[b.Succs[i].Index] {
				visit(b.Succs[i])
			}
		}
		out = append(out, b)
	}
	visit(fn.Blocks[0])
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	c.orders[fn] = out
	return out
}

// edge connects the current block with successor i of an ssa block.
func (lo *lowerer) edge(fr *frame, from *ssa.BasicBlock, i int) {
	to := from.Succs[i]
	if fr.dead[to.Index] {
		lo.fail(token.NoPos, gotoMsg)
	}
	both := i == 1 && from.Succs[0] == to // both sides of the branch lead to one block
	nth := 0
	if both {
		nth = 1
	}
	for j, p := range to.Preds {
		if p != from {
			continue
		}
		if nth == 0 {
			fr.edges[to.Index] = append(fr.edges[to.Index], j)
			break
		}
		nth--
	}
	b := lo.cur
	if both {
		b = lo.newBlock() // a branch needs two different targets
		lo.state(b).sealed = true
		ir.AddEdge(lo.cur, b)
	}
	ir.AddEdge(b, fr.blk[to.Index])
}

// goPhi lowers a phi of go/ssa. Its registers get their operands when all edges
// are known; leaves known at compile time must be the same on all edges.
func (lo *lowerer) goPhi(fr *frame, in *ssa.Phi) []leaf {
	l := lo.layoutAt(in.Type(), in.Pos())
	out := make([]leaf, len(l.leaves))
	for i, t := range l.leaves {
		var first leaf
		all := lo.state(lo.cur).sealed
		static, mixed := t.k == ir.Void, false
		for _, e := range fr.edges[in.Block().Index] {
			d := lo.val(fr, in.Edges[e], in.Pos())[i]
			if _, ok := d.(*ir.Value); !ok {
				static = true
			}
			if first == nil {
				first = d
			} else if !same(first, d) {
				mixed = true
			}
		}
		switch {
		// If it is the same on all edges, no phi is needed; what exists only at compile time must be.
		case (static || all) && !mixed:
			out[i] = first
		case t.k == ir.Void:
			out[i] = unknown{first}
		default:
			out[i] = lo.newPhi(lo.cur, t.k)
		}
	}
	fr.phis = append(fr.phis, in)
	return out
}

// fillGoPhi sets the operands of a phi's registers and checks its compile-time
// leaves against the edges that were added later.
func (lo *lowerer) fillGoPhi(fr *frame, in *ssa.Phi) {
	block := in.Block()
	for i, l := range fr.vals[in] {
		switch l.(type) {
		case poison:
			return
		case unknown:
			continue
		}
		phi, ok := l.(*ir.Value)
		if ok && (phi.Op != ir.OpPhi || phi.Block != fr.blk[block.Index] || len(phi.Args) > 0) {
			continue // the same value on all edges known at that time
		}
		for _, e := range fr.edges[block.Index] {
			lo.try(func() {
				d := lo.val(fr, in.Edges[e], in.Pos())[i]
				if !ok {
					lo.sameOnEdge(l, d, in.Pos())
					return
				}
				r := lo.reg(d, in.Pos())
				lo.outlives(fr.blk[block.Index], r, in.Pos())
				phi.Args = append(phi.Args, r)
			})
		}
		if ok {
			lo.simplify(phi)
		}
	}
}

func (lo *lowerer) sameOnEdge(want, got leaf, pos token.Pos) {
	if same(want, got) {
		return
	}
	if a, ok := want.(localAddr); ok {
		lo.noteInMemory(a.l)
		panic(silent{})
	}
	lo.failUnknown(want, pos)
}
