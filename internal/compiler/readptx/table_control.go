package readptx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// controlRows are the instructions of control flow (PTX ISA, "Control Flow
// Instructions", "Miscellaneous Instructions").
var controlRows = []row{
	{pattern: "bra{.uni}", args: "label", build: buildBranch},
	{pattern: "brx.idx{.uni}", args: "index, list", build: buildIndexed},
	{pattern: "call{.uni}", args: "", build: buildCall},
	{pattern: "ret{.uni}", args: "", build: buildReturn},
	{pattern: "exit", args: "", build: buildReturn},
	{pattern: "trap", args: "", build: buildTrap, guards: true},
	{pattern: "brkpt", args: "", build: buildTrap, guards: true},
	{pattern: "nanosleep.u32", args: "t", build: buildSleep, guards: true},
	{pattern: "pmevent{.mask}", args: "n", pure: true, build: buildNothing},
	{pattern: "griddepcontrol.{launch_dependents,wait}", args: "", pure: true, build: buildNothing},
	{pattern: "setmaxnreg.{inc,dec}.sync.aligned.u32", args: "n", build: buildRegisters},
}

func buildBranch(b *builder, s *inst) {
	to := b.frame.blocks[s.args[0].name]
	if s.guard == "" {
		b.jump(to)
		return
	}
	next := b.next
	if next == nil { // the body ends here
		next = b.block()
	}
	b.fork(b.predicate(s.guard), s.not, to, next)
	if b.next == nil {
		b.seal(next)
		b.cur = next
	}
}

// buildIndexed is a chain of comparisons, in halves.
func buildIndexed(b *builder, s *inst) {
	if s.guard != "" {
		taken := b.block()
		next := b.next
		if next == nil {
			next = b.block()
		}
		b.fork(b.predicate(s.guard), s.not, taken, next)
		b.seal(taken)
		b.cur = taken
		defer func() {
			if b.next == nil {
				b.seal(next)
				b.cur = next
			}
		}()
	}
	index := b.value(s.args[0], types[".u32"])
	labels := b.frame.fn.tables[s.args[1].name]
	var among func(lo, hi int)
	among = func(lo, hi int) {
		if hi-lo == 1 {
			b.jump(b.frame.blocks[labels[lo]])
			return
		}
		mid := (lo + hi) / 2
		below, above := b.block(), b.block()
		b.fork(b.of(ir.OpLt, ir.Pred, ir.U32, index, b.u32(uint64(mid))), false, below, above)
		b.seal(below)
		b.seal(above)
		b.cur = below
		among(lo, mid)
		b.cur = above
		among(mid, hi)
	}
	among(0, len(labels))
}

// buildReturn ends the thread, or returns to the caller.
func buildReturn(b *builder, s *inst) {
	end := b.leave
	if s.op == "exit" {
		end = b.exit
	}
	if s.guard == "" {
		end()
		return
	}
	out, next := b.block(), b.next
	if next == nil {
		next = b.block()
	}
	b.fork(b.predicate(s.guard), s.not, out, next)
	b.seal(out)
	b.cur = out
	end()
	if b.next == nil {
		b.seal(next)
		b.cur = next
	}
}

func buildTrap(b *builder, s *inst) {
	if b.frame.fn.builtIn { // the only one
		b.trap(s, "the texture is bound to no memory")
		return
	}
	b.trap(s, s.op)
}

// trap ends the kernel with a message.
func (b *builder) trap(s *inst, text string) {
	n, ok := b.trapOf[text]
	if !ok {
		n = int64(len(b.f.Traps))
		b.f.Traps = append(b.f.Traps, text)
		b.trapOf[text] = n
	}
	v := b.ins(ir.OpTrap, ir.Void)
	v.Imm = n
	b.guarded(s, v)
}

func buildSleep(b *builder, s *inst) {
	b.guarded(s, b.ins(ir.OpSleep, ir.Void, b.value(s.args[0], types[".u32"])))
}

// buildCall builds the function that is called in line.
func buildCall(b *builder, s *inst) {
	name := b.m.target(s.call)
	fn := b.m.functions[name]
	if known := library[name]; known != nil && (fn == nil || !fn.defined) {
		known(b, s)
		return
	}
	if fn == nil {
		if _, ok := b.frame.fn.reg(s.call.target); ok {
			b.buildIndirect(s)
			return
		}
		b.fail("there is no function %s", name)
	}
	if !fn.defined {
		b.fail("function %s is declared and not defined; compile all of the program in one module", demangled(name))
	}
	b.inline(s, fn)
}

// inline builds a function where it is called.
func (b *builder) inline(s *inst, fn *function) {
	name := fn.name
	chain := demangled(name)
	for fr := b.frame; fr != nil; fr = fr.outer {
		chain = demangled(fr.fn.name) + " -> " + chain
		if fr.fn == fn {
			b.fail("function %s calls itself (%s); recursion is not supported: use a loop and an array", demangled(name), chain)
		}
	}
	if len(s.call.args) != len(fn.params) || len(s.call.results) != len(fn.results) {
		b.fail("%s takes %d arguments and returns %d values; the call has %d and %d", demangled(name), len(fn.params), len(fn.results), len(s.call.args), len(s.call.results))
	}
	inner := &frame{fn: fn, outer: b.frame, called: b.pos, regs: map[string]int32{}, vars: map[string]*ir.Value{}, blocks: map[string]*ir.Block{}, ret: b.block()}
	for i, p := range fn.params {
		b.pass(inner, p, s.call.args[i])
	}
	for i, p := range fn.results {
		if p.space == ".param" {
			inner.vars[p.name] = b.argument(s.call.results[i], p)
		} else {
			fn.regs[p.name] = p.typ
		}
	}
	outer, next, line := b.frame, b.next, b.line
	b.frame = inner
	b.run()
	b.frame, b.next, b.line, b.cur = outer, next, line, inner.ret
	b.seal(inner.ret)
	b.pos = b.position(s.at, b.frame)
	for i, p := range fn.results {
		r := s.call.results[i]
		switch {
		case p.space == ".reg":
			b.set(s, r, p.typ, b.ssa.read(inner.register(b, p.name), b.cur))
		case r.form == formReg:
			if _, ok := b.frame.fn.reg(r.name); ok { // a register takes the variable's value
				ld := b.ins(ir.OpLoad, integerOf(p.typ.mem()).Register(), inner.vars[p.name])
				ld.Mem = ir.Mem{Kind: integerOf(p.typ.mem()), Vec: 1, Space: ir.Local}
				b.set(s, r, p.typ, b.cast(ld, p.typ.reg()))
			}
		}
	}
}

// register returns the SSA register of a name in the frame.
func (fr *frame) register(b *builder, name string) int32 {
	was := b.frame
	b.frame = fr
	defer func() { b.frame = was }()
	r, _ := b.reg(name)
	return r
}

// pass gives a parameter of a called function its argument.
func (b *builder) pass(to *frame, p *variable, arg operand) {
	if p.space == ".reg" {
		to.fn.regs[p.name] = p.typ
		v := b.value(arg, p.typ)
		r := to.register(b, p.name)
		b.ssa.write(r, b.cur, b.cast(v, b.kinds[r]))
		return
	}
	to.vars[p.name] = b.argument(arg, p)
}

// argument returns the address of an operand of a call: that of a .param variable, or of a
// new one that holds the value.
func (b *builder) argument(arg operand, p *variable) *ir.Value {
	if arg.form == formReg {
		if v := b.frame.fn.vars[arg.name]; v != nil && v.space == ".param" {
			at, _, _ := b.address(arg.name)
			return at
		}
		if at := b.frame.vars[arg.name]; at != nil { // a parameter of the caller, passed on
			return at
		}
	}
	at := b.local(p)
	if arg.form == formReg {
		if _, ok := b.frame.fn.reg(arg.name); !ok {
			if i := b.parameter(arg.name); i >= 0 {
				return b.paramCopy(i)
			}
		}
	}
	k := integerOf(p.typ.mem())
	st := b.ins(ir.OpStore, ir.Void, at, b.cast(b.value(arg, p.typ), k.Register()))
	st.Mem = ir.Mem{Kind: k, Vec: 1, Space: ir.Local}
	return at
}

// remember notes what a variable of a call holds, for messages.
func (b *builder) remember(at *ir.Value, off int64, v *ir.Value) {
	if b.messages[at] == nil {
		b.messages[at] = map[int64]*ir.Value{}
	}
	b.messages[at][off] = v
}

// library are functions of CUDA's library that modules declare.
var library = map[string]func(b *builder, s *inst){
	"vprintf":       buildPrintf,
	"__assertfail":  buildAssert,
	"__assert_fail": buildAssert,
}

// buildAssert ends the kernel: "assertion x > 0 failed".
func buildAssert(b *builder, s *inst) {
	texts := []string{"?", "?"}
	for i := range texts {
		if i < len(s.call.args) {
			if at, _, ok := b.address(s.call.args[i].name); ok {
				if text, ok := b.text(b.messages[at][0]); ok {
					texts[i] = text
				}
			}
		}
	}
	b.trap(s, fmt.Sprintf("assertion %s failed (%s)", texts[0], texts[1]))
}

// text returns the string that an address is of, if it is a constant of the module.
func (b *builder) text(v *ir.Value) (string, bool) {
	off := uint64(0)
	for v != nil && v.Op == ir.OpAdd && v.Args[1].Op == ir.OpConst {
		off += v.Args[1].Bits()
		v = v.Args[0]
	}
	if v == nil || v.Op != ir.OpParam || b.f.Leaves[v.Imm].Variable == nil {
		return "", false
	}
	data := b.f.Leaves[v.Imm].Variable.Data
	if off > uint64(len(data)) {
		return "", false
	}
	data = data[off:]
	for i, c := range data {
		if c == 0 {
			return string(data[:i]), true
		}
	}
	return string(data), true
}

const (
	tensorText  = "of tensor cores there are mma.sync of dense matrices of f16, bf16, tf32, f64, 8-bit integers, 8-bit floats and bits, wmma of the same without 8-bit floats and bits, wgmma of the same without f64, ldmatrix.m8n8, stmatrix.m8n8 and movmatrix, as the tables in docs/ptx.md say"
	asyncText   = "of asynchronous copies there are those of a thread (cp.async), and those in bulk: to shared memory of the block or of its cluster, which complete on an mbarrier, and from shared to global memory, also with a reduction, and of boxes of tensors of one to three dimensions, in tiled mode and without a reduction; use these"
	clusterText = "of clusters there are mapa, getctarank, barrier.cluster, copies in bulk, st.async and red.async of 16 bytes at most that complete on an mbarrier, and loads, stores and atomics of .shared::cluster; use these"
	textureText = "of textures and surfaces only tex.1d of linear memory, with an integer coordinate, is supported; use ld.global, or ld.global.nc for what does not change"
	videoText   = "video instructions are not supported; use prmt, min, max and add on the bytes"
)

// refusedRows are instructions that are known and not supported.
var refusedRows = slices.Concat(
	refused(tensorText, "wmma* mma* wgmma* ldmatrix* stmatrix* movmatrix* tcgen05*"),
	refused(asyncText, "cp* st.bulk* tensormap*"),
	refused("of mbarriers there are init, inval, arrive, arrive_drop, expect_tx, test_wait and try_wait, at those of the block", "mbarrier*"),
	refused("multimem accesses are not supported; access the memory of each GPU", "multimem*"),
	refused(clusterText, "red.async* st.async* clusterlaunchcontrol*"),
	refused(proxyText, "fence.proxy*"),
	refused(textureText, "tex* tld4* txq* istypep* suld* sust* sured* suq*"),
	refused("memory on the stack of a size that is known at run time only is not supported; use an array of the largest size", "alloca* stacksave* stackrestore*"),
	refused(videoText, "vadd* vsub* vabsdiff* vmin* vmax* vshl* vshr* vmad* vset* vadd2* vadd4* vsub2* vsub4* vavrg2* vavrg4* vabsdiff2* vabsdiff4* vmin2* vmin4* vmax2* vmax4* vset2* vset4*"),
)

// refused returns a row for each of the patterns, which spaces separate.
func refused(why, patterns string) (rows []row) {
	for pattern := range strings.FieldsSeq(patterns) {
		rows = append(rows, row{pattern: pattern, refuse: why})
	}
	return rows
}
