package readptx

import (
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

const (
	spaces    = "{.global,.shared,.shared::cta,.shared::cluster,.local,.const,.param,.param::entry,.param::func}"
	scopes    = "{.cta,.cluster,.gpu,.sys}"
	hints     = "{.L1::evict_normal,.L1::evict_unchanged,.L1::evict_first,.L1::evict_last,.L1::no_allocate}{.L2::evict_normal,.L2::evict_first,.L2::evict_last}{.L2::cache_hint}{.L2::64B,.L2::128B,.L2::256B}"
	elements  = "{b8,u8,s8,b16,u16,s16,f16,bf16,b32,u32,s32,b64,u64,s64,f16x2,bf16x2,f32,f64}"
	noClass   = "addresses are those of one thread block; clusters and the memory of other blocks are not supported"
	proxyText = "other proxies (textures, tensor maps that a kernel has changed) are not supported; there are the generic one and that of asynchronous copies"
)

// memoryRows are loads, stores and fences (PTX ISA, "Data Movement and Conversion
// Instructions", "membar/fence"). Of the hints for caches, .nc, .cs, .cg and .cv say something to the simulator.
var memoryRows = []row{
	{pattern: "ld{.weak,.volatile}" + spaces + "{.ca,.cg,.cs,.lu,.cv}{.nc}" + hints + "{.v2,.v4}." + elements, args: "d, [a], {policy}", build: buildLoad},
	{pattern: "ld{.mmio}.{relaxed,acquire}" + scopes + spaces + hints + "{.v2,.v4}." + elements, args: "d, [a], {policy}", build: buildLoad},
	{pattern: "ldu{.global}{.v2,.v4}." + elements, args: "d, [a]", build: buildLoad},
	{pattern: "st{.weak,.volatile}" + spaces + "{.wb,.cg,.cs,.wt}" + hints + "{.v2,.v4}." + elements, args: "[a], b, {policy}", build: buildStore, guards: true},
	{pattern: "st{.mmio}.{relaxed,release}" + scopes + spaces + hints + "{.v2,.v4}." + elements, args: "[a], b, {policy}", build: buildStore, guards: true},
	{pattern: "membar.{cta,gl,sys}", args: "", build: buildFence, guards: true},
	{pattern: "fence{.sc,.acq_rel,.acquire,.release}.{cta,cluster,gpu,sys}", args: "", build: buildFence, guards: true},
	{pattern: "prefetch{.global,.local}.{L1,L2,L2::evict_last,L2::evict_normal}", args: "[a]", pure: true, build: buildNothing},
	{pattern: "prefetchu.L1", args: "[a]", pure: true, build: buildNothing},
	{pattern: "applypriority{.global}.L2::evict_normal", args: "[a], size", pure: true, build: buildNothing},
	{pattern: "discard{.global}.L2", args: "[a], size", pure: true, build: buildNothing},
	{pattern: "createpolicy.fractional.{L2::evict_last,L2::evict_normal,L2::evict_first,L2::evict_unchanged}{.L2::evict_first,.L2::evict_unchanged}.b64", args: "d, {fraction}", pure: true, build: buildPolicy},
	{pattern: "createpolicy.range{.global}.{L2::evict_last,L2::evict_normal,L2::evict_first,L2::evict_unchanged}{.L2::evict_first,.L2::evict_unchanged}.b64", args: "d, [a], primary, total", pure: true, build: buildPolicy},
}

func buildNothing(*builder, *inst) {}

// buildPolicy returns a cache policy that says nothing.
func buildPolicy(b *builder, s *inst) {
	b.set(s, s.args[0], types[".b64"], b.number(ir.U64, 0))
}

// scope returns the scope that an instruction names; otherwise is it if it names none. That of a cluster is taken for that of the
// device, as hardware does: ptxas makes a fence of the device of one of a cluster (results/hw/clusters).
func (s *inst) scope(otherwise ir.Scope) ir.Scope {
	for _, mod := range s.mods {
		switch mod {
		case ".cta":
			return ir.ScopeBlock
		case ".cluster", ".gpu", ".gl":
			return ir.ScopeDevice
		case ".sys":
			return ir.ScopeSystem
		}
	}
	return otherwise
}

// access returns how an instruction accesses memory.
func (b *builder) access(s *inst, space ir.Space) ir.Mem {
	m := ir.Mem{Kind: s.t.mem(), Vec: 1, Space: space}
	switch {
	case s.has(".v2"):
		m.Vec = 2
	case s.has(".v4"):
		m.Vec = 4
	}
	if m.Bytes() > 16 {
		b.fail("%s accesses %d bytes; a thread accesses at most 16 at once", s.op+s.statement.mods, m.Bytes())
	}
	switch {
	case s.has(".volatile"), s.has(".mmio"):
		// "ld.volatile has the same memory synchronization semantics as ld.relaxed.sys."
		m.Order, m.Scope = ir.Relaxed, ir.ScopeSystem
	case s.has(".relaxed"):
		m.Order = ir.Relaxed
	case s.has(".acquire"):
		m.Order = ir.Acquire
	case s.has(".release"):
		m.Order = ir.Release
	}
	if m.Order != ir.Weak {
		if m.Scope = s.scope(m.Scope); m.Scope == ir.NoScope {
			b.fail("%s needs a scope: .cta, .gpu or .sys", s.op+s.statement.mods)
		}
	}
	if space == ir.Local { // nobody else sees it
		m.Order, m.Scope = ir.Weak, ir.NoScope
	}
	if m.Order == ir.Weak {
		switch {
		case s.has(".nc") && space == ir.Global:
			m.Cache = ir.CacheNonCoherent
		case s.has(".cs") && (space == ir.Global || space == ir.Generic):
			m.Cache = ir.CacheStreaming
		case (s.has(".cg") || s.has(".cv")) && s.op == "ld" && (space == ir.Global || space == ir.Generic):
			// For both ptxas makes a load that passes L1 by, as for one that is relaxed (LDG.E.STRONG.GPU).
			m.Cache = ir.CacheL2
		}
	}
	return m
}

// space returns the space that an instruction names.
func (s *inst) space() ir.Space {
	for _, mod := range s.mods {
		switch mod {
		case ".global", ".const":
			return ir.Global
		case ".shared", ".shared::cta":
			return ir.Shared
		case ".local", ".param", ".param::entry", ".param::func":
			return ir.Local
		}
	}
	if s.op == "ldu" {
		return ir.Global
	}
	return ir.Generic
}

// memory returns the address of an operand, and the offset that the access adds.
func (b *builder) memory(o operand, space ir.Space) (at *ir.Value, off int64) {
	if o.form != formAddress {
		b.fail("the operand is no address; an address stands in brackets")
	}
	if len(o.list) > 0 {
		b.fail("an address with coordinates; only textures have them")
	}
	off = int64(o.bits)
	switch {
	case o.name == "":
		at, off = b.number(ir.U64, o.bits), 0
		if space == ir.Shared {
			at = b.number(ir.U64, ir.SharedWindow|o.bits)
		}
	default:
		if v, where, ok := b.variableAt(o.name); ok {
			if where == ".func" {
				b.fail("%s is a function; it is called, and not read or written", demangled(o.name))
			}
			if space == ir.Shared != (where == ".shared") && space != ir.Generic || space == ir.Local != (where == ".local") && space != ir.Generic {
				b.fail("%s is in %s memory", original(o.name), where[1:])
			}
			at = v
			break
		}
		r, have := b.reg(o.name)
		at = b.cast(b.ssa.read(r, b.cur), typ{'u', have.bits, false}.reg())
		if have.bits == 32 && space == ir.Generic { // of .shared::cluster: a generic address has 64 bits
			at = b.from32(at, ir.Shared)
		} else if have.bits == 32 {
			at = b.from32(at, space)
		} else if have.bits != 64 {
			b.fail("the address %s has %d bits", original(o.name), have.bits)
		}
	}
	const most = 1 << 23 // of the offset in an access
	if off <= -most || off >= most {
		at, off = b.ins(ir.OpAdd, ir.U64, at, b.number(ir.U64, uint64(off))), 0
	}
	return at, off
}

// variableAt is address for a name that may be a register.
func (b *builder) variableAt(name string) (*ir.Value, string, bool) {
	if _, ok := b.frame.fn.reg(name); ok {
		return nil, "", false
	}
	return b.address(name)
}

// from32 returns the address that 32 bits are in shared memory: the offset of a variable.
func (b *builder) from32(v *ir.Value, space ir.Space) *ir.Value {
	// The lower half of an address is the address again.
	if v.Op == ir.OpCvt && (v.Args[0].Op == ir.OpShared || v.Args[0].Op == ir.OpMapShared) {
		return v.Args[0]
	}
	window := map[ir.Space]uint64{ir.Shared: ir.SharedWindow, ir.Local: ir.LocalWindow}[space]
	if window == 0 {
		return b.widen(v, false)
	}
	at := b.of(ir.OpLea, ir.U64, ir.U32, b.number(ir.U64, window), v)
	at.Imm = 1
	return at
}

// parts returns the registers of a vector, or the one of a scalar.
func (b *builder) parts(o operand, n uint8) []operand {
	if n == 1 {
		if o.form == formVector && len(o.list) == 1 {
			return o.list
		}
		return []operand{o}
	}
	if o.form != formVector || len(o.list) != int(n) {
		b.fail("a vector access of %d elements needs {a, b, ...} with as many", n)
	}
	return o.list
}

func buildLoad(b *builder, s *inst) {
	space := s.space()
	if s.has(".param") || s.has(".param::entry") {
		if o := s.args[1]; o.form == formAddress && b.parameter(o.name) >= 0 {
			if _, ok := b.frame.fn.reg(o.name); !ok {
				b.loadParameter(s, b.parameter(o.name), int(int64(o.bits)))
				return
			}
		}
	}
	at, off := b.memory(s.args[1], space)
	m := b.access(s, space)
	if space == ir.Local && (s.has(".param") || s.has(".param::func")) {
		m.Kind = integerOf(m.Kind) // so that a variable of a call has one kind, and becomes a register
	}
	to := b.parts(s.args[0], m.Vec)
	ld := b.ins(ir.OpLoad, m.Kind.Register(), at)
	ld.Imm, ld.Mem = off, m
	// An integer kind without sign leaves the extension to the reader.
	extended := func(v *ir.Value) *ir.Value {
		if s.t.signed() && s.t.bits < 32 && !m.Kind.Signed() {
			return b.of(ir.OpExt, ir.S32, s.t.mem(), v)
		}
		return v
	}
	if m.Vec == 1 {
		b.set(s, to[0], s.t.loaded(), extended(ld))
		return
	}
	for i, d := range to {
		if d.form == formSkip {
			continue
		}
		one := b.ins(ir.OpElem, ld.K, ld)
		one.Imm = int64(i)
		b.set(s, d, s.t.loaded(), extended(one))
	}
}

// loaded returns the type of what a load returns: 16-bit floats are bits.
func (t typ) loaded() typ {
	if t.real() || t.letter == 's' && !t.pair {
		return t
	}
	return t.bare()
}

// integerOf returns the unsigned integer kind of a kind's width.
func integerOf(k ir.Kind) ir.Kind {
	switch k.Bits() {
	case 8:
		return ir.U8
	case 16:
		return ir.U16
	case 32:
		return ir.U32
	}
	return ir.U64
}

// loadParameter reads a parameter of the kernel.
func (b *builder) loadParameter(s *inst, param, off int) {
	m := b.access(s, ir.Local)
	for i, d := range b.parts(s.args[0], m.Vec) {
		b.set(s, d, s.t.loaded(), b.leaf(param, off+i*m.Kind.Bytes(), m.Kind))
	}
}

func buildStore(b *builder, s *inst) {
	space := s.space()
	if s.has(".const") || space == ir.Local && b.frame.outer == nil && b.parameter(s.args[0].name) >= 0 {
		b.fail("a store to memory that a kernel cannot write")
	}
	at, off := b.memory(s.args[0], space)
	m := b.access(s, space)
	param := space == ir.Local && (s.has(".param") || s.has(".param::func"))
	if param {
		m.Kind = integerOf(m.Kind)
	}
	args := []*ir.Value{at}
	for _, o := range b.parts(s.args[1], m.Vec) {
		v := b.narrower(o, s.t.stored())
		if param {
			v = b.cast(v, m.Kind.Register())
			b.remember(at, off, v)
		}
		args = append(args, v)
	}
	st := b.ins(ir.OpStore, ir.Void, args...)
	st.Imm, st.Mem = off, m
	b.guarded(s, st)
}

// stored returns the type of the value of a store: the bits above are not stored.
func (t typ) stored() typ {
	if t.real() {
		return t
	}
	return t.bare()
}

func buildFence(b *builder, s *inst) {
	m := ir.Mem{Order: ir.AcqRel, Scope: s.scope(ir.ScopeDevice)}
	if s.op == "membar" || s.has(".sc") { // "membar is a synonym for fence.sc" since sm_70
		m.Order = ir.SeqCst
	}
	v := b.ins(ir.OpFence, ir.Void)
	v.Mem = m
	b.guarded(s, v)
}
