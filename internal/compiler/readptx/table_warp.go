package readptx

import "github.com/weft-gpu/weft/internal/compiler/ir"

// warpRows are the instructions of a warp and of a block (PTX ISA, "Parallel
// Synchronization and Communication Instructions", "shfl").
var warpRows = []row{
	{pattern: "shfl.sync.{up,down,bfly,idx}.b32", args: "d|p, a, b, c, mask", build: buildShuffle},
	{pattern: "shfl.{up,down,bfly,idx}.b32", args: "d|p, a, b, c", build: buildShuffle},
	{pattern: "vote.sync.{all,any,uni}.pred", args: "p, a, mask", build: buildVote},
	{pattern: "vote.{all,any,uni}.pred", args: "p, a", build: buildVote},
	{pattern: "vote.sync.ballot.b32", args: "d, a, mask", build: buildVote},
	{pattern: "vote.ballot.sync.b32", args: "d, a, mask", build: buildVote}, // as CUB writes it, and ptxas takes it
	{pattern: "vote.ballot.b32", args: "d, a", build: buildVote},
	{pattern: "match.any.sync.{b32,b64}", args: "d, a, mask", build: buildMatch},
	{pattern: "match.all.sync.{b32,b64}", args: "d|p, a, mask", build: buildMatch},
	{pattern: "redux.sync.{add,min,max}.{u32,s32}", args: "d, a, mask", build: buildRedux},
	{pattern: "redux.sync.{and,or,xor}.b32", args: "d, a, mask", build: buildRedux},
	{pattern: "activemask.b32", args: "d", build: buildActiveMask},
	{pattern: "elect.sync", args: "d|p, mask", build: buildElect},
	{pattern: "bar.warp.sync", args: "mask", build: buildWarpBarrier},
	{pattern: "bar{.cta}.sync", args: "a, {b}", build: buildBarrier},
	{pattern: "barrier{.cta}.sync{.aligned}", args: "a, {b}", build: buildBarrier},
	{pattern: "bar{.cta}.arrive", args: "a, b", build: buildBarrier},
	{pattern: "barrier{.cta}.arrive{.aligned}", args: "a, b", build: buildBarrier},
	{pattern: "bar{.cta}.red.popc.u32", args: "d, a, {b}, c", build: buildBarrierVote},
	{pattern: "bar{.cta}.red.{and,or}.pred", args: "p, a, {b}, c", build: buildBarrierVote},
	{pattern: "barrier{.cta}.red.popc{.aligned}.u32", args: "d, a, {b}, c", build: buildBarrierVote},
	{pattern: "barrier{.cta}.red.{and,or}{.aligned}.pred", args: "p, a, {b}, c", build: buildBarrierVote},
}

// mask returns the operand that names the lanes, or the lanes that are there for an
// instruction that has none.
func (b *builder) mask(s *inst, arg int) *ir.Value {
	if arg >= len(s.args) {
		return b.ins(ir.OpActiveMask, ir.U32)
	}
	return b.value(s.args[arg], types[".b32"])
}

// pair returns the two destinations of d|p; the second is _ if there is one.
func pair(o operand) (d, p operand) {
	if o.form == formPair {
		return o.list[0], o.list[1]
	}
	return o, operand{form: formSkip}
}

// buildShuffle takes the value of another lane, which it computes itself unless all lanes
// of the warp are one segment.
func buildShuffle(b *builder, s *inst) {
	d, p := pair(s.args[0])
	t := types[".b32"]
	x, by, c := b.value(s.args[1], t), b.value(s.args[2], t), s.args[3]
	mask := b.mask(s, 4)
	mode := s.mods[len(s.mods)-2]
	op := map[string]ir.Op{".up": ir.OpShflUp, ".down": ir.OpShflDown, ".bfly": ir.OpShflXor, ".idx": ir.OpShfl}[mode]
	if by.Op == ir.OpConst {
		by = b.u32(by.Bits() & 31)
	} else if mode == ".up" || mode == ".down" { // the IR's take the whole distance
		by = b.ins(ir.OpAnd, ir.U32, by, b.u32(31))
	}
	whole := uint64(31)
	if mode == ".up" {
		whole = 0
	}
	if c.form == formNumber && c.bits == whole {
		b.set(s, d, t, b.ins(op, ir.U32, mask, x, by))
		if p.form == formSkip {
			return
		}
		inside := b.predicateOf(true)
		switch mode {
		case ".up":
			inside = b.of(ir.OpGe, ir.Pred, ir.U32, b.lane(), by)
		case ".down":
			inside = b.of(ir.OpLe, ir.Pred, ir.U32, b.ins(ir.OpAdd, ir.U32, b.lane(), by), b.u32(31))
		}
		b.set(s, p, types[".pred"], inside)
		return
	}
	// As the ISA computes it: c has the clamp in its lower five bits and the segment mask
	// in bits 8 to 12.
	lane, cv := b.lane(), b.value(c, t)
	segment := b.ins(ir.OpAnd, ir.U32, b.ins(ir.OpShr, ir.U32, cv, b.u32(8)), b.u32(31))
	clamp := b.ins(ir.OpAnd, ir.U32, cv, b.u32(31))
	first := b.ins(ir.OpAnd, ir.U32, lane, segment)
	last := b.ins(ir.OpOr, ir.U32, first, b.ins(ir.OpAndNot, ir.U32, clamp, segment))
	var from, inside *ir.Value
	switch mode {
	case ".up":
		from = b.ins(ir.OpSub, ir.S32, lane, by)
		inside = b.of(ir.OpGe, ir.Pred, ir.S32, from, last)
	case ".down":
		from = b.ins(ir.OpAdd, ir.U32, lane, by)
		inside = b.of(ir.OpLe, ir.Pred, ir.S32, from, last)
	case ".bfly":
		by = b.ins(ir.OpAnd, ir.U32, by, b.u32(31))
		from = b.ins(ir.OpXor, ir.U32, lane, by)
		inside = b.of(ir.OpLe, ir.Pred, ir.S32, from, last)
	default:
		by = b.ins(ir.OpAnd, ir.U32, by, b.u32(31))
		from = b.ins(ir.OpOr, ir.U32, first, b.ins(ir.OpAndNot, ir.U32, by, segment))
		inside = b.of(ir.OpLe, ir.Pred, ir.S32, from, last)
	}
	from = b.ins(ir.OpSelect, ir.U32, inside, from, lane)
	b.set(s, d, t, b.ins(ir.OpShfl, ir.U32, mask, x, from))
	b.set(s, p, types[".pred"], inside)
}

func buildVote(b *builder, s *inst) {
	pred := types[".pred"]
	x := b.value(s.args[1], pred)
	mask := b.mask(s, 2)
	switch {
	case s.has(".ballot"):
		b.set(s, s.args[0], types[".b32"], b.ins(ir.OpBallot, ir.U32, mask, x))
	case s.has(".all"):
		b.set(s, s.args[0], pred, b.ins(ir.OpVoteAll, ir.Pred, mask, x))
	case s.has(".any"):
		b.set(s, s.args[0], pred, b.ins(ir.OpVoteAny, ir.Pred, mask, x))
	default: // all have the same
		all := b.ins(ir.OpVoteAll, ir.Pred, mask, x)
		any := b.ins(ir.OpVoteAny, ir.Pred, mask, x)
		b.set(s, s.args[0], pred, b.ins(ir.OpOr, ir.Pred, all, b.not(any)))
	}
}

func buildMatch(b *builder, s *inst) {
	d, p := pair(s.args[0])
	k := unsigned(s.t.reg())
	x, mask := b.value(s.args[1], s.t), b.mask(s, 2)
	same := b.of(ir.OpMatch, ir.U32, k, mask, x)
	if s.has(".any") {
		b.set(s, d, types[".b32"], same)
		return
	}
	there := b.ins(ir.OpBallot, ir.U32, mask, b.predicateOf(true))
	all := b.of(ir.OpEq, ir.Pred, ir.U32, same, there)
	b.set(s, d, types[".b32"], b.ins(ir.OpSelect, ir.U32, all, same, b.u32(0)))
	b.set(s, p, types[".pred"], all)
}

func buildRedux(b *builder, s *inst) {
	x, mask := b.value(s.args[1], s.t), b.mask(s, 2)
	v := b.ins(ir.OpRedux, s.t.reg(), mask, x)
	for r := range ir.NumReductions {
		if s.mods[1] == "."+r.String() {
			v.Imm = int64(r)
		}
	}
	b.set(s, s.args[0], s.t, v)
}

func buildActiveMask(b *builder, s *inst) {
	b.set(s, s.args[0], types[".b32"], b.ins(ir.OpActiveMask, ir.U32))
}

// buildElect elects the lowest lane.
func buildElect(b *builder, s *inst) {
	d, p := pair(s.args[0])
	there := b.ins(ir.OpBallot, ir.U32, b.mask(s, 1), b.predicateOf(true))
	leader := b.of(ir.OpClz, ir.U32, ir.U32, b.ins(ir.OpBrev, ir.U32, there))
	b.set(s, d, types[".b32"], leader)
	b.set(s, p, types[".pred"], b.of(ir.OpEq, ir.Pred, ir.U32, leader, b.lane()))
}

func buildWarpBarrier(b *builder, s *inst) {
	b.ins(ir.OpWarpBar, ir.Void, b.mask(s, 0))
}

// buildBarrier builds the barrier of the block, or one with a number.
func buildBarrier(b *builder, s *inst) {
	t := types[".u32"]
	id := s.args[0]
	if id.form == formNumber && id.bits > 15 {
		b.fail("barrier %d; a block has barriers 0 to 15", id.bits)
	}
	if id.form == formNumber && id.bits == 0 && len(s.args) == 1 {
		b.ins(ir.OpBar, ir.Void)
		return
	}
	if id.form == formNumber && id.bits == 0 {
		b.fail("barrier 0 with a number of threads; use another of the barriers 1 to 15")
	}
	op, all := ir.OpBarSync, b.u32(1<<32-1)
	if s.has(".arrive") {
		op = ir.OpBarArrive
	}
	var n *ir.Value
	if len(s.args) > 1 {
		n = b.value(s.args[1], t)
	} else { // all threads of the block, in whole warps
		n = b.ins(ir.OpAnd, ir.U32, b.ins(ir.OpAdd, ir.U32, b.threads(), b.u32(31)), b.u32(^uint64(31)&0xFFFFFFFF))
	}
	b.ins(op, ir.Void, all, b.value(id, t), n)
}

func buildBarrierVote(b *builder, s *inst) {
	if id := s.args[1]; id.form != formNumber || id.bits != 0 || len(s.args) > 3 {
		b.fail("%s on a barrier other than 0, or of a part of the block, is not supported; use barrier 0 without a number of threads", s.op+s.statement.mods)
	}
	x := b.value(s.args[2], types[".pred"])
	switch {
	case s.has(".popc"):
		b.set(s, s.args[0], types[".u32"], b.ins(ir.OpBarCount, ir.U32, x))
	case s.has(".and"):
		b.set(s, s.args[0], types[".pred"], b.ins(ir.OpBarAnd, ir.Pred, x))
	default:
		b.set(s, s.args[0], types[".pred"], b.ins(ir.OpBarOr, ir.Pred, x))
	}
}
