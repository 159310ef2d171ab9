package opt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// maxRounds bounds how often simplify visits a kernel; three rounds were enough
// for all kernels seen so far.
const maxRounds = 8

// simplify replaces instructions by cheaper ones until nothing changes.
func simplify(c *context) {
	for range maxRounds {
		c.changed = false
		c.countUses()
		for _, b := range c.f.Blocks {
			c.simplifyBlock(b)
		}
		c.resolve()
		if !c.changed {
			return
		}
	}
}

// simplifyBlock simplifies in order; new instructions are inserted in front of
// the one that needs them.
func (c *context) simplifyBlock(block *ir.Block) {
	s := &simplifier{context: c, b: block}
	var out []*ir.Value // set once an instruction was inserted or removed
	for i, value := range block.Ins {
		for j, arg := range value.Args {
			// Operands that this round has replaced must be seen as their
			// replacements, or rules that compare operands would miss.
			value.Args[j] = c.res(arg)
		}
		keep := true
		if value.Guard != nil {
			keep = c.guard(value)
		}
		if keep {
			s.value(value)
		}
		// A new list only when it differs: most blocks do not change.
		if out == nil && (len(s.before) > 0 || !keep) {
			out = append(make([]*ir.Value, 0, len(block.Ins)+8), block.Ins[:i]...)
		}
		if out != nil {
			out = append(out, s.before...)
			s.before = s.before[:0]
			if keep {
				out = append(out, value)
			}
		}
	}
	if out != nil {
		block.Ins = out
	}
}

// guard simplifies the guard of the value; keep is false if the value never executes.
func (c *context) guard(value *ir.Value) (keep bool) {
	value.Guard = c.res(value.Guard)
	for value.Guard.Op == ir.OpNot {
		value.Guard, value.GuardNot, c.changed = c.res(value.Guard.Args[0]), !value.GuardNot, true
	}
	if value.Guard.Op != ir.OpConst {
		return true
	}
	keep = (value.Guard.Imm != 0) != value.GuardNot
	value.Guard, value.GuardNot, c.changed = nil, false, true
	return keep
}

type simplifier struct {
	*context
	b      *ir.Block
	before []*ir.Value // instructions to insert in front of the current one
}

// once reports whether v had at most one use when this round began.
func (s *simplifier) once(v *ir.Value) bool { return v.ID < len(s.uses) && s.uses[v.ID] <= 1 }

// insert inserts a new instruction in front of the current one.
func (s *simplifier) insert(op ir.Op, k ir.Kind, pos ir.Pos, args ...*ir.Value) *ir.Value {
	v := s.context.value(s.b, op, k, pos, args...)
	s.before = append(s.before, v)
	return v
}

// become turns v into another pure instruction.
func (s *simplifier) become(v *ir.Value, op ir.Op, k, argK ir.Kind, args ...*ir.Value) {
	v.Op, v.K, v.ArgK, v.Imm = op, k, argK, 0
	v.Args = append(v.Args[:0:0], args...)
	s.changed = true
}

// isConst returns the bits of v and whether it is a constant.
func isConst(v *ir.Value) (uint64, bool) { return v.Bits(), v.Op == ir.OpConst }

// signedBits returns the bits of a constant of integer kind k as a number,
// sign-extended.
func signedBits(k ir.Kind, bits uint64) int64 {
	if k.Bits() == 32 {
		return int64(int32(uint32(bits)))
	}
	return int64(bits)
}

// allOnes returns the bits of -1.
func allOnes(k ir.Kind) uint64 {
	switch k.Bits() {
	case 1:
		return 1
	case 32:
		return 1<<32 - 1
	}
	return 1<<64 - 1
}

var flipped = map[ir.Op]ir.Op{ir.OpEq: ir.OpEq, ir.OpNe: ir.OpNe, ir.OpLt: ir.OpGt, ir.OpGt: ir.OpLt, ir.OpLe: ir.OpGe, ir.OpGe: ir.OpLe}
var inverse = map[ir.Op]ir.Op{ir.OpEq: ir.OpNe, ir.OpNe: ir.OpEq, ir.OpLt: ir.OpGe, ir.OpGe: ir.OpLt, ir.OpGt: ir.OpLe, ir.OpLe: ir.OpGt}

func (s *simplifier) value(value *ir.Value) {
	switch {
	case value.Op.Addressed():
		s.address(value)
		return
	case !folds(value) || s.fwd[value.ID] != nil:
		return
	}
	if s.fold(value) {
		return
	}
	// A constant is the second operand from here on: the rules look for it
	// there only.
	if len(value.Args) >= 2 && value.Args[0].Op == ir.OpConst && value.Args[1].Op != ir.OpConst {
		switch {
		case value.Op.IsCompare():
			value.Op, value.Args[0], value.Args[1] = flipped[value.Op], value.Args[1], value.Args[0]
		case ir.Ops[value.Op].Commut:
			value.Args[0], value.Args[1] = value.Args[1], value.Args[0]
		}
	}
	switch {
	case value.Op.IsCompare():
		s.compare(value)
	case value.Op == ir.OpSelect:
		s.selection(value)
	case value.Op == ir.OpCvt, value.Op == ir.OpBitcast, value.Op == ir.OpExt:
		s.conversion(value)
	case value.Op == ir.OpLea:
		s.lea(value)
	case value.K == ir.Pred || value.K.Int():
		s.integer(value)
	}
}

// fold evaluates the value if all operands are constant.
func (s *simplifier) fold(value *ir.Value) bool {
	var x [3]uint64
	for i, arg := range value.Args {
		bits, ok := isConst(arg)
		if !ok {
			return false
		}
		x[i] = bits
	}
	result, err := ir.Eval(value.Op, value.K, value.ArgK, value.Imm, x[0], x[1], x[2])
	if err != nil {
		return false // a division by zero faults at run time
	}
	s.replace(value, s.constant(value.K, result))
	return true
}

// maxOffset bounds the absolute value of the offset field of a load or store.
const maxOffset = 1 << 23

// address folds a constant that is added to an address into the offset of the
// access.
func (s *simplifier) address(value *ir.Value) {
	for {
		sum := value.Args[0]
		if sum.Op != ir.OpAdd {
			return
		}
		bits, ok := isConst(s.res(sum.Args[1]))
		if !ok {
			return
		}
		off := value.Imm + int64(bits)
		if off <= -maxOffset || off >= maxOffset {
			return
		}
		value.Args[0], value.Imm, s.changed = s.res(sum.Args[0]), off, true
	}
}

// maxIndexOffset bounds the constants in an index that become an offset of the
// address (NoIndexWrap). Larger constants may be meant to wrap around.
const maxIndexOffset = 1 << 16

// lea moves constants of base and index outwards, where accesses take them as
// offsets, and lets the lea extend the index.
func (s *simplifier) lea(value *ir.Value) {
	base, idx := value.Args[0], value.Args[1]
	scale := uint64(value.Imm)
	if bits, ok := isConst(idx); ok {
		off := uint64(signedIndex(value.ArgK, bits)) * scale
		if off == 0 {
			s.replace(value, base)
			return
		}
		s.become(value, ir.OpAdd, ir.U64, ir.Void, base, s.constant(ir.U64, off))
		return
	}
	if scale == 0 {
		s.replace(value, base)
		return
	}
	// base + index*scale + off: the sum with the constant is outermost, so that
	// address can fold it into the accesses.
	outer := func(base, idx *ir.Value, off uint64) {
		inner := s.insert(ir.OpLea, ir.U64, value.Pos, base, idx)
		inner.Imm, inner.ArgK = value.Imm, value.ArgK
		s.become(value, ir.OpAdd, ir.U64, ir.Void, inner, s.constant(ir.U64, off))
	}
	if base.Op == ir.OpAdd {
		if bits, ok := isConst(s.res(base.Args[1])); ok {
			outer(s.res(base.Args[0]), idx, bits)
			return
		}
	}
	switch idx.Op {
	// The lea itself extends a 32-bit index.
	case ir.OpCvt:
		if x := s.res(idx.Args[0]); idx.ArgK.Int() && idx.ArgK.Bits() == 32 && idx.K.Bits() == 64 {
			value.Args[1], value.ArgK, s.changed = x, idx.ArgK, true
		}
	case ir.OpAdd:
		if bits, ok := isConst(s.res(idx.Args[1])); ok {
			if index := signedBits(value.ArgK, bits); -maxIndexOffset < index && index < maxIndexOffset && !(s.f.PTX && value.ArgK.Bits() == 32) {
				outer(base, s.res(idx.Args[0]), uint64(index)*scale)
			}
		}
	// Only 64-bit shifts: a 32-bit one drops bits that the product would keep.
	case ir.OpShl:
		if bits, ok := isConst(s.res(idx.Args[1])); ok && idx.K.Bits() == 64 && bits < 16 && scale < 1<<16 {
			value.Args[1], value.Imm, s.changed = s.res(idx.Args[0]), int64(scale<<bits), true
		}
	}
}

// signedIndex extends a constant index according to its kind.
func signedIndex(k ir.Kind, bits uint64) int64 {
	if k.Signed() {
		return signedBits(k, bits)
	}
	return int64(bits)
}
