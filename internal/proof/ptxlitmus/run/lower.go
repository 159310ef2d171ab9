package run

import (
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/proof/ptxlitmus"
)

// program is a test as a kernel.
type program struct {
	test     *ptxlitmus.Test
	barriers *barriers
	regs     [][]string // by thread: the names of its registers, by slot
	slots    int        // the most registers of a thread
	ctas     []int      // the numbers of the test's blocks, in order of appearance
	loops    bool
	// packed and single are the kernel for instances that share warps, and for those with warps of their own; packed
	// is nil if instances cannot share warps.
	packed, single *device.Kernel
}

// Unsupported says why a test cannot be run.
type Unsupported struct{ Why string }

// Error returns the reason.
func (u *Unsupported) Error() string { return u.Why }

// compile makes the kernels of a test. The error is an *Unsupported if the test needs what devices here do not have.
func compile(t *ptxlitmus.Test) (*program, error) {
	if why := lacks(t); why != "" {
		return nil, &Unsupported{why}
	}
	b, err := barriersOf(t)
	if err != nil {
		return nil, &Unsupported{err.Error()}
	}
	p := &program{test: t, barriers: b, loops: loops(t)}
	for i := range t.Threads {
		if !slices.Contains(p.ctas, t.Threads[i].CTA) {
			p.ctas = append(p.ctas, t.Threads[i].CTA)
		}
		p.regs = append(p.regs, registers(t, i))
		p.slots = max(p.slots, len(p.regs[i]))
	}
	if b.together {
		p.packed = p.kernel(false)
	}
	p.single = p.kernel(true)
	return p, nil
}

// lacks says what a test needs that devices here do not have; "" if nothing.
func lacks(t *ptxlitmus.Test) string {
	for i := range t.Threads {
		if g := t.Threads[i].GPU; g != t.Threads[0].GPU {
			return fmt.Sprintf("it needs two GPUs: P%d is on GPU %d and P%d on GPU %d", t.Threads[0].ID, t.Threads[0].GPU, t.Threads[i].ID, g)
		}
		for _, in := range t.Threads[i].Code {
			if why := missing(&in); why != "" {
				return fmt.Sprintf("line %d: %s: %s", in.Pos.Line, in.Text, why)
			}
		}
	}
	for _, l := range t.Locations {
		if l.Alias != "" || l.Proxy != ptxlitmus.Generic {
			return fmt.Sprintf("%s is memory that is reached in two ways, and kernels here have one (the generic proxy)", l.Name)
		}
	}
	return ""
}

// missing says why an instruction cannot be run; "" if it can.
func missing(in *ptxlitmus.Instr) string {
	switch in.Op {
	case ptxlitmus.FenceProxy:
		return "kernels here reach memory in one way (the generic proxy)"
	case ptxlitmus.BarRed:
		return "reductions by named barriers are not in the kernel language"
	case ptxlitmus.Load, ptxlitmus.Store:
		if in.Proxy != ptxlitmus.Generic {
			return fmt.Sprintf("kernels here do not reach memory by the %s proxy", in.Proxy)
		}
	case ptxlitmus.Atom, ptxlitmus.Red:
		if _, ok := atomics[in.Binary]; !ok {
			return fmt.Sprintf("%s is no atomic of the kernel language", in.Binary)
		}
	}
	return ""
}

// registers returns the registers of a thread: those that its code or the condition name.
func registers(t *ptxlitmus.Test, thread int) (list []string) {
	add := func(names ...string) {
		for _, n := range names {
			if n != "" && !slices.Contains(list, n) {
				list = append(list, n)
			}
		}
	}
	for _, in := range t.Threads[thread].Code {
		add(in.Dst, in.A.Reg, in.B.Reg)
		for _, o := range []*ptxlitmus.Operand{in.ID, in.Count} {
			if o != nil {
				add(o.Reg)
			}
		}
	}
	for _, v := range t.Outcome() {
		if v.Thread == thread {
			add(v.Reg)
		}
	}
	return list
}

var (
	orders = [...]ir.Order{
		ptxlitmus.Weak: ir.Weak, ptxlitmus.Relaxed: ir.Relaxed, ptxlitmus.Acquire: ir.Acquire,
		ptxlitmus.Release: ir.Release, ptxlitmus.AcqRel: ir.AcqRel, ptxlitmus.SC: ir.SeqCst,
	}
	scopes  = [...]ir.Scope{ptxlitmus.Block: ir.ScopeBlock, ptxlitmus.Device: ir.ScopeDevice, ptxlitmus.System: ir.ScopeSystem}
	atomics = map[ptxlitmus.Binary]ir.Op{
		ptxlitmus.Add: ir.OpAtomAdd, ptxlitmus.Sub: ir.OpAtomAdd, ptxlitmus.And: ir.OpAtomAnd, ptxlitmus.Or: ir.OpAtomOr,
		ptxlitmus.Xor: ir.OpAtomXor, ptxlitmus.Min: ir.OpAtomMin, ptxlitmus.Max: ir.OpAtomMax,
		ptxlitmus.Exch: ir.OpAtomExch, ptxlitmus.CAS: ir.OpAtomCAS,
	}
	local = [...]ir.Op{
		ptxlitmus.Move: ir.OpMov, ptxlitmus.Add: ir.OpAdd, ptxlitmus.Sub: ir.OpSub, ptxlitmus.Mul: ir.OpMul, ptxlitmus.Div: ir.OpDiv,
		ptxlitmus.Rem: ir.OpRem, ptxlitmus.And: ir.OpAnd, ptxlitmus.Or: ir.OpOr, ptxlitmus.Xor: ir.OpXor, ptxlitmus.Shl: ir.OpShl,
		ptxlitmus.Shr: ir.OpShr, ptxlitmus.Min: ir.OpMin, ptxlitmus.Max: ir.OpMax,
	}
	compares = [...]ir.Op{
		ptxlitmus.EQ: ir.OpEq, ptxlitmus.NE: ir.OpNe, ptxlitmus.LT: ir.OpLt, ptxlitmus.LE: ir.OpLe, ptxlitmus.GT: ir.OpGt, ptxlitmus.GE: ir.OpGe,
	}
)

// body emits the code of a thread, instruction by instruction.
func (h *harness) body(thread int) {
	t := h.test
	code := t.Threads[thread].Code
	label := func(pc int) string { return fmt.Sprintf("P%d.%d", thread, pc) }
	for slot, reg := range h.regs[thread] {
		h.emit(ir.OpMov, ir.U32, h.slot[slot], h.number(initial(t, thread, reg)))
	}
	for pc := range code {
		in := &code[pc]
		h.label(label(pc))
		h.at(t.File, in.Pos.Line, in.Pos.Col, fmt.Sprintf("P%d", t.Threads[thread].ID))
		switch in.Op {
		case ptxlitmus.Branch:
			h.share(thread, in.A, in.B)
			h.branch(h.compare(compares[in.Cmp], ir.S32, h.operand(thread, in.A), h.operand(thread, in.B)), label(in.Target))
		case ptxlitmus.Goto:
			h.jump(label(in.Target))
		case ptxlitmus.BarSync, ptxlitmus.BarArrive:
			h.barrier(thread, in)
		case ptxlitmus.Fence:
			h.emit(ir.OpFence, ir.Void, none).Mem = ir.Mem{Order: orders[in.Order], Scope: scopes[in.Scope]}
		case ptxlitmus.Local:
			h.local(thread, in)
		default:
			h.access1(thread, in)
		}
	}
	h.label(label(len(code)))
	h.at("", 0, 0, "")
}

// access1 emits a load, store or atomic: one instruction. PTX has no atomic subtraction: it is the addition of the
// negated operand, which is computed before.
func (h *harness) access1(thread int, in *ptxlitmus.Instr) {
	order, scope := orders[in.Order], scopes[in.Scope]
	if order == ir.Weak {
		scope = ir.NoScope
	}
	src := []ir.Operand{h.word[in.Loc]}
	op, dst := ir.OpLoad, none
	switch in.Op {
	case ptxlitmus.Store:
		op = ir.OpStore
	case ptxlitmus.Atom, ptxlitmus.Red:
		op = atomics[in.Binary]
		if order == ir.Weak {
			order, scope = ir.Relaxed, scopes[in.Scope]
		}
	}
	if op != ir.OpLoad {
		v := h.operand(thread, in.A)
		if in.Binary == ptxlitmus.Sub && op == ir.OpAtomAdd {
			v = h.op(ir.OpNeg, v)
		}
		src = append(src, v)
	}
	if op == ir.OpAtomCAS {
		src = append(src, h.operand(thread, in.B))
	}
	if in.Dst != "" {
		dst = h.reg(thread, in.Dst)
	}
	defer h.leaderOnly()()
	h.access(op, h.cells, order, scope, dst, src...)
	if op == ir.OpAtomMin || op == ir.OpAtomMax {
		last := &h.p.Code[len(h.p.Code)-1]
		last.K, last.ArgK, last.Mem.Kind = ir.S32, ir.S32, ir.S32
	}
}

// local emits an operation on registers.
func (h *harness) local(thread int, in *ptxlitmus.Instr) {
	src := []ir.Operand{h.operand(thread, in.A)}
	if in.Binary != ptxlitmus.Move {
		src = append(src, h.operand(thread, in.B))
	}
	h.emit(local[in.Binary], ir.S32, h.reg(thread, in.Dst), src...)
}

// barrier emits a barrier: of the number that belongs to its instance and ID, for warps instead of threads.
func (h *harness) barrier(thread int, in *ptxlitmus.Instr) {
	id, count := in.ID, in.Count
	base := h.barriers.first[in.Instance] - h.barriers.low[in.Instance]
	number := h.number(base)
	if v, known := value(h.test, thread, id); known {
		number = h.number(base + v)
	} else {
		h.share(thread, *id)
		number = h.op(ir.OpAdd, h.operand(thread, *id), number)
	}
	threads := ir.Operand(0)
	if n, known := h.barriers.threads(h.test, thread, in); known {
		threads = h.number(n * warp)
	} else {
		h.share(thread, *count)
		threads = h.op(ir.OpMul, h.operand(thread, *count), h.number(warp))
	}
	op := ir.OpBarSync
	if in.Op == ptxlitmus.BarArrive {
		op = ir.OpBarArrive
	}
	h.emit(op, ir.Void, none, h.number(-1), number, threads)
}

// operand returns a constant or the register of a thread.
func (h *harness) operand(thread int, o ptxlitmus.Operand) ir.Operand {
	if o.Reg == "" {
		return h.number(o.Const)
	}
	return h.reg(thread, o.Reg)
}

func (h *harness) reg(thread int, name string) ir.Operand {
	return h.slot[slices.Index(h.regs[thread], name)]
}

// share gives all lanes the values that the first lane has in registers, where a warp executes one instance: they
// decide together where the warp goes.
func (h *harness) share(thread int, list ...ptxlitmus.Operand) {
	for _, o := range list {
		if h.single && o.Reg != "" {
			r := h.reg(thread, o.Reg)
			h.emit(ir.OpShfl, ir.U32, r, h.number(-1), r, h.number(0))
		}
	}
}
