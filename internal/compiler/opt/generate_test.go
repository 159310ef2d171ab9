package opt_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// generator builds random kernels in SSA form in a simple way: every join has a
// phi for each variable. Threads access only their own words.
type generator struct {
	r     *rand.Rand
	f     *ir.Func
	b     *ir.Block
	vars  []*ir.Value // the current values; their kinds are genKinds
	leafs []*ir.Value
	base  *ir.Value // address of this thread's words of out
	local *ir.Value // an array of eight words
	depth int
	// dynamic kernels also index the local array by variables.
	dynamic bool
	loops   []loopAt
}

type loopAt struct{ head, exit *ir.Block }

var genKinds = []ir.Kind{ir.U32, ir.U32, ir.S32, ir.U64, ir.S64, ir.F32, ir.Pred, ir.U32, ir.Pred}

const (
	genWords   = 16 // words of out per thread
	genThreads = 64
)

func randomFunc(seed uint64) *ir.Func {
	g := &generator{r: rand.New(rand.NewPCG(seed, 7)), f: &ir.Func{Name: fmt.Sprintf("random%d", seed)}}
	f := g.f
	g.dynamic = seed%3 == 0
	f.Leaves = []ir.Leaf{
		{Name: "in", Kind: ir.U64, Role: ir.Base, Elem: ir.U32, Size: 4},
		{Name: "in.len", Kind: ir.S64, Role: ir.Length},
		{Name: "out", Kind: ir.U64, Role: ir.Base, Elem: ir.U32, Size: 4, Param: 1},
		{Name: "out.len", Kind: ir.S64, Role: ir.Length, Param: 1},
		{Name: "n", Kind: ir.U32, Param: 2},
		{Name: "k", Kind: ir.S64, Param: 3},
	}
	g.b = f.NewBlock()
	for i, l := range f.Leaves {
		p := f.NewValue(ir.OpParam, l.Kind, 0)
		p.Imm = int64(i)
		g.leafs = append(g.leafs, p)
	}
	tid := g.emit(ir.OpSpecial, ir.U32)
	words := g.emit(ir.OpMul, ir.U32, tid, f.Const(ir.U32, genWords))
	g.base = g.lea(g.leafs[2], words)
	f.Local = []ir.Var{{Name: "tmp", Elem: ir.U32, Size: 32, ElemSize: 4, Align: 4}}
	g.local = f.NewValue(ir.OpLocal, ir.U64, 0)
	for i := range 8 {
		g.storeLocal(f.Const(ir.U32, uint64(i)), tid)
	}
	for _, k := range genKinds {
		switch k {
		case ir.Pred:
			g.vars = append(g.vars, g.compare())
		case ir.F32:
			v := g.emit(ir.OpCvt, k, tid)
			v.ArgK = ir.U32
			g.vars = append(g.vars, v)
		default:
			v := g.emit(ir.OpCvt, k, g.load(tid))
			v.ArgK = ir.U32
			g.vars = append(g.vars, v)
		}
	}
	g.statements(12)
	for i, v := range g.vars {
		g.store(uint64(i), v)
	}
	return f
}

func (g *generator) emit(op ir.Op, k ir.Kind, args ...*ir.Value) *ir.Value {
	v := g.f.NewValue(op, k, 0, args...)
	v.Block = g.b
	g.b.Ins = append(g.b.Ins, v)
	return v
}

func (g *generator) lea(base, idx *ir.Value) *ir.Value {
	v := g.emit(ir.OpLea, ir.U64, base, idx)
	v.ArgK, v.Imm = idx.K, 4
	return v
}

// load reads a word of in.
func (g *generator) load(idx *ir.Value) *ir.Value {
	i := g.emit(ir.OpAnd, ir.U32, idx, g.f.Const(ir.U32, 63))
	v := g.emit(ir.OpLoad, ir.U32, g.lea(g.leafs[0], i))
	v.Mem = ir.Mem{Kind: ir.U32, Vec: 1, Space: ir.Global}
	return v
}

// localWord returns the address of a word of the local array.
func (g *generator) localWord(idx *ir.Value) *ir.Value {
	return g.lea(g.local, g.emit(ir.OpAnd, ir.U32, idx, g.f.Const(ir.U32, 7)))
}

func (g *generator) storeLocal(idx, v *ir.Value) {
	s := g.emit(ir.OpStore, ir.Void, g.localWord(idx), v)
	s.Mem = ir.Mem{Kind: ir.U32, Vec: 1, Space: ir.Local}
}

func (g *generator) loadLocal(idx *ir.Value) *ir.Value {
	v := g.emit(ir.OpLoad, ir.U32, g.localWord(idx))
	v.Mem = ir.Mem{Kind: ir.U32, Vec: 1, Space: ir.Local}
	return v
}

// index returns an index into the local array: a constant, except in dynamic
// kernels.
func (g *generator) index() *ir.Value {
	if g.dynamic && g.r.IntN(3) == 0 {
		return g.pick(ir.U32)
	}
	return g.f.Const(ir.U32, g.r.Uint64N(8))
}

// store combines v into a word of out.
func (g *generator) store(word uint64, v *ir.Value) {
	var w *ir.Value
	switch {
	case v.K == ir.Pred:
		w = g.emit(ir.OpSelect, ir.U32, v, g.f.Const(ir.U32, 1), g.f.Const(ir.U32, 0))
	case v.K == ir.F32:
		w = g.emit(ir.OpBitcast, ir.U32, v)
		w.ArgK = ir.F32
	default:
		w = g.emit(ir.OpCvt, ir.U32, v)
		w.ArgK = v.K
	}
	s := g.emit(ir.OpStore, ir.Void, g.base, w)
	s.Imm = int64(word%genWords) * 4
	s.Mem = ir.Mem{Kind: ir.U32, Vec: 1, Space: ir.Global}
}

// pick returns a variable or constant of kind k.
func (g *generator) pick(k ir.Kind) *ir.Value {
	if k != ir.Pred && g.r.IntN(4) == 0 {
		c := []uint64{0, 1, 2, 3, 7, 8, 31, 255, 1<<32 - 1, 1 << 31, 1 << 63, 1<<64 - 1, g.r.Uint64()}
		if k == ir.F32 {
			return g.f.Const(k, uint64([]uint32{0, 0x3f800000, 0xc0a00000, 0x80000000}[g.r.IntN(4)]))
		}
		return g.f.Const(k, c[g.r.IntN(len(c))])
	}
	if k == ir.U32 && g.r.IntN(8) == 0 {
		return g.leafs[4]
	}
	if k == ir.S64 && g.r.IntN(4) == 0 {
		return g.leafs[[]int{1, 5}[g.r.IntN(2)]]
	}
	if len(g.vars) == len(genKinds) {
		for {
			if v := g.vars[g.r.IntN(len(g.vars))]; v.K == k {
				return v
			}
		}
	}
	return g.f.Const(k, uint64(g.r.IntN(2)))
}

func (g *generator) compare() *ir.Value {
	k := []ir.Kind{ir.U32, ir.S32, ir.U64, ir.S64, ir.F32}[g.r.IntN(5)]
	v := g.emit(ir.OpEq+ir.Op(g.r.IntN(6)), ir.Pred, g.pick(k), g.pick(k))
	v.ArgK = k
	return v
}

// assign gives variable i a new value.
func (g *generator) assign(i int) {
	k := genKinds[i]
	var v *ir.Value
	choose := func(ops ...ir.Op) ir.Op { return ops[g.r.IntN(len(ops))] }
	switch n := g.r.IntN(10); {
	case n == 0:
		v = g.emit(ir.OpSelect, k, g.pick(ir.Pred), g.pick(k), g.pick(k))
	case k == ir.Pred && n < 6:
		v = g.compare()
	case k == ir.Pred && n == 6:
		v = g.emit(choose(ir.OpEq, ir.OpNe), k, g.pick(k), g.pick(k))
		v.ArgK = ir.Pred
	case k == ir.Pred:
		v = g.emit(choose(ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot), k, g.pick(k), g.pick(k))
	case k == ir.F32 && n < 8:
		v = g.emit(choose(ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpMin, ir.OpMax), k, g.pick(k), g.pick(k))
	case k == ir.U32 && n == 1:
		v = g.load(g.pick(k))
	case k == ir.U32 && n == 7:
		v = g.loadLocal(g.index())
	case n == 2:
		from := []ir.Kind{ir.U32, ir.S32, ir.U64, ir.S64}[g.r.IntN(4)]
		v = g.emit(ir.OpCvt, k, g.pick(from))
		v.ArgK = from
	case n == 3 && k.Bits() == 32 && k.Int():
		v = g.emit(ir.OpExt, k, g.pick(k))
		v.ArgK = []ir.Kind{ir.U8, ir.S8, ir.U16, ir.S16}[g.r.IntN(4)]
	case n == 4 && k.Int():
		v = g.emit(choose(ir.OpShl, ir.OpShr), k, g.pick(k), g.pick(ir.U32))
	case n == 5 && k.Int():
		d := g.f.Const(k, []uint64{1, 2, 3, 7, 10, 64, 641, 1 << 20, 1<<31 + 1}[g.r.IntN(9)])
		v = g.emit(choose(ir.OpDiv, ir.OpRem), k, g.pick(k), d)
	case n == 6:
		v = g.emit(choose(ir.OpNeg, ir.OpNot), k, g.pick(k))
		if k == ir.F32 {
			v.Op = ir.OpNeg
		}
	case k == ir.F32:
		v = g.emit(choose(ir.OpAbs, ir.OpFloor, ir.OpTrunc), k, g.pick(k))
	default:
		v = g.emit(choose(ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot, ir.OpMin, ir.OpMax, ir.OpAdd), k, g.pick(k), g.pick(k))
	}
	g.vars[i] = v
}

func (g *generator) statements(n int) {
	for range 1 + g.r.IntN(n) {
		if len(g.b.Succs) > 0 {
			return
		}
		switch k := g.r.IntN(12); {
		case k < 6 || g.depth > 3:
			g.assign(g.r.IntN(len(g.vars)))
		case k == 6 && g.r.IntN(2) == 0:
			g.storeLocal(g.index(), g.pick(ir.U32))
		case k == 6:
			g.store(g.r.Uint64(), g.vars[g.r.IntN(len(g.vars))])
		case k < 9:
			g.branch()
		case k == 9 && len(g.loops) > 0:
			g.leave()
		default:
			g.loop()
		}
	}
}

// join starts block b with a phi for each variable; the edges supply the
// operands.
func (g *generator) join(b *ir.Block) {
	g.b = b
	g.vars = make([]*ir.Value, len(genKinds))
	for i, k := range genKinds {
		phi := g.f.NewValue(ir.OpPhi, k, 0)
		phi.Block = b
		b.Phis = append(b.Phis, phi)
		g.vars[i] = phi
	}
}

// jump ends the current block with an edge to a joined block.
func (g *generator) jump(to *ir.Block, vars []*ir.Value) {
	ir.AddEdge(g.b, to)
	for i, p := range to.Phis {
		p.Args = append(p.Args, vars[i])
	}
}

// target makes a block with phis that is joined later.
func (g *generator) target() *ir.Block {
	b, vars := g.b, g.vars
	t := g.f.NewBlock()
	g.join(t)
	g.b, g.vars = b, vars
	return t
}

func (g *generator) enter(b *ir.Block) {
	g.b, g.vars = b, append([]*ir.Value(nil), b.Phis...)
}

func (g *generator) branch() {
	g.depth++
	vars := append([]*ir.Value(nil), g.vars...)
	head, join := g.b, g.target()
	head.Cond = g.pick(ir.Pred)
	for range 2 {
		arm := g.f.NewBlock()
		ir.AddEdge(head, arm)
		g.b, g.vars = arm, append([]*ir.Value(nil), vars...)
		if g.r.IntN(4) > 0 {
			g.statements(3)
		}
		if len(g.b.Succs) == 0 {
			g.jump(join, g.vars)
		}
	}
	g.enter(join)
	g.depth--
}

// loop adds a loop with an additional counter phi and a bound of at most 7.
func (g *generator) loop() {
	g.depth++
	k := []ir.Kind{ir.U32, ir.S64}[g.r.IntN(2)]
	start, bound := g.f.Const(k, 0), g.emit(ir.OpAnd, k, g.pick(k), g.f.Const(k, 7))
	switch g.r.IntN(4) {
	case 0:
		bound = g.f.Const(k, uint64(g.r.IntN(5)))
	case 1:
		start = g.f.Const(k, 1<<64-1)
	}
	head, exit, next := g.target(), g.target(), g.target()
	i := g.f.NewValue(ir.OpPhi, k, 0, start)
	i.Block = head
	g.jump(head, g.vars)
	head.Phis = append(head.Phis, i)
	g.enter(head)
	g.vars = g.vars[:len(genKinds)]
	n := i
	if start.Imm != 0 { // counts as range over a slice does
		n = g.emit(ir.OpAdd, k, i, g.f.Const(k, 1))
	}
	if g.r.IntN(3) == 0 {
		g.assign(g.r.IntN(len(g.vars)))
	}
	head.Cond = g.emit(ir.OpLt, ir.Pred, n, bound)
	head.Cond.ArgK = k
	body, out := g.f.NewBlock(), g.f.NewBlock()
	ir.AddEdge(head, body)
	ir.AddEdge(head, out)
	vars := g.vars
	g.b = out
	g.jump(exit, vars)
	g.b, g.vars = body, append([]*ir.Value(nil), vars...)
	w := g.emit(ir.OpCvt, ir.U32, n)
	w.ArgK = k
	g.vars[0] = w
	g.loops = append(g.loops, loopAt{next, exit})
	g.statements(5)
	g.loops = g.loops[:len(g.loops)-1]
	if len(g.b.Succs) == 0 {
		g.jump(next, g.vars)
	}
	if len(next.Preds) > 0 {
		g.enter(next)
		step := n
		if start.Imm == 0 {
			step = g.emit(ir.OpAdd, k, i, g.f.Const(k, 1))
		}
		g.jump(head, append(append([]*ir.Value(nil), g.vars...), step))
	}
	g.enter(exit)
	g.depth--
}

// leave adds a break or a continue.
func (g *generator) leave() {
	l := g.loops[g.r.IntN(len(g.loops))]
	to := l.exit
	if g.r.IntN(2) == 0 {
		to = l.head
	}
	g.jump(to, g.vars)
}
