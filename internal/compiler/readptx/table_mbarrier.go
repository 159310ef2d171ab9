package readptx

import "github.com/weft-gpu/weft/internal/compiler/ir"

const (
	ofBlock      = "{.shared,.shared::cta}"
	ofCluster    = "{.shared,.shared::cta,.shared::cluster}"
	arrivalOrder = "{.release,.relaxed}{.cta,.cluster}" + ofCluster
	waitOrder    = "{.acquire,.relaxed}{.cta,.cluster}" + ofBlock
)

// mbarrierRows are the operations on mbarriers of the block (PTX ISA, "Parallel Synchronization and Communication Instructions:
// mbarrier"). A time to suspend is a hint.
var mbarrierRows = []row{
	{pattern: "mbarrier.init" + ofBlock + ".b64", args: "[a], count", build: buildMBarrier(ir.OpMBarInit)},
	{pattern: "mbarrier.inval" + ofBlock + ".b64", args: "[a]", build: buildMBarrier(ir.OpMBarInval)},
	{pattern: "mbarrier.arrive" + arrivalOrder + ".b64", args: "state, [a], {count}", build: buildMBarrier(ir.OpMBarArrive)},
	{pattern: "mbarrier.arrive.expect_tx" + arrivalOrder + ".b64", args: "state, [a], bytes", build: buildMBarrier(ir.OpMBarArriveExpect)},
	{pattern: "mbarrier.arrive_drop" + arrivalOrder + ".b64", args: "state, [a], {count}", build: buildMBarrier(ir.OpMBarDrop)},
	{pattern: "mbarrier.arrive_drop.expect_tx" + arrivalOrder + ".b64", args: "state, [a], bytes", build: buildMBarrier(ir.OpMBarDropExpect)},
	{pattern: "mbarrier.arrive.noComplete{.release}{.cta}" + ofBlock + ".b64", args: "state, [a], count", build: buildMBarrier(ir.OpMBarArrivePart)},
	{pattern: "mbarrier.arrive_drop.noComplete{.release}{.cta}" + ofBlock + ".b64", args: "state, [a], count", build: buildMBarrier(ir.OpMBarDropPart)},
	{pattern: "mbarrier.expect_tx{.relaxed}{.cta,.cluster}" + ofCluster + ".b64", args: "[a], bytes", build: buildMBarrier(ir.OpMBarExpect)},
	{pattern: "mbarrier.test_wait" + waitOrder + ".b64", args: "p, [a], state", build: buildMBarrierWait(ir.OpMBarTest)},
	{pattern: "mbarrier.test_wait.parity" + waitOrder + ".b64", args: "p, [a], parity", build: buildMBarrierWait(ir.OpMBarTestParity)},
	{pattern: "mbarrier.try_wait" + waitOrder + ".b64", args: "p, [a], state, {time}", build: buildMBarrierWait(ir.OpMBarTry)},
	{pattern: "mbarrier.try_wait.parity" + waitOrder + ".b64", args: "p, [a], parity, {time}", build: buildMBarrierWait(ir.OpMBarTryParity)},
}

// onMBarrier emits an operation on the mbarrier at an address. Without an order it has the usual one.
func (b *builder) onMBarrier(s *inst, op ir.Op, at operand, usual ir.Order, y *ir.Value) *ir.Value {
	space := s.space()
	base, off := b.memory(at, space)
	v := b.ins(op, ir.U64, base, y)
	if s.has(".relaxed") {
		usual = ir.Relaxed
	}
	scope := ir.ScopeBlock
	if usual == ir.Release && s.has(".cluster") {
		scope = ir.ScopeDevice // as fences of a cluster: on an H200 such an arrival is a fence of the device and an arrival (results/hw/asynchronous/sends.cu)
	}
	v.Imm, v.Mem = off, ir.Mem{Kind: ir.U64, Vec: 1, Space: space, Order: usual, Scope: scope}
	return v
}

// wide returns an operand of 32 bits as one of 64.
func (b *builder) wide(o operand) *ir.Value {
	x := b.value(o, types[".u32"])
	if x.Op == ir.OpConst {
		return b.number(ir.U64, x.Bits())
	}
	v := b.ins(ir.OpCvt, ir.U64, x)
	v.ArgK = ir.U32
	return v
}

func buildMBarrier(op ir.Op) func(*builder, *inst) {
	return func(b *builder, s *inst) {
		args, order := s.args, ir.Relaxed
		arrives := op.Arrives()
		if arrives {
			args, order = args[1:], ir.Release
		}
		y := b.number(ir.U64, 0)
		switch {
		case len(args) > 1:
			y = b.wide(args[1])
		case arrives:
			y = b.number(ir.U64, 1)
		}
		if v := b.onMBarrier(s, op, args[0], order, y); arrives {
			b.set(s, s.args[0], types[".b64"], v)
		}
	}
}

func buildMBarrierWait(op ir.Op) func(*builder, *inst) {
	return func(b *builder, s *inst) {
		var phase *ir.Value
		if op.ByParity() {
			phase = b.ins(ir.OpShl, ir.U64, b.wide(s.args[2]), b.u32(63))
		} else {
			phase = b.value(s.args[2], types[".b64"])
		}
		v := b.onMBarrier(s, op, s.args[1], ir.Acquire, phase)
		// Bit 63 says whether the phase is complete: see the op.
		done := b.ins(ir.OpShr, ir.U64, b.ins(ir.OpXor, ir.U64, v, phase), b.u32(63))
		p := b.ins(ir.OpNe, ir.Pred, done, b.number(ir.U64, 0))
		p.ArgK = ir.U64
		b.set(s, s.args[0], types[".pred"], p)
	}
}
