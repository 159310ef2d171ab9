package ir

import (
	"errors"
	"fmt"
)

// Verify checks that f is well formed: blocks and edges agree, definitions
// dominate uses, phis match predecessors, kinds fit the ops. It reports every
// problem found. It renumbers blocks as Analyze does.
//
// Integer operands must have the width that the op works on; their sign does
// not matter, since each op says itself (K, ArgK) how it reads them.
func (f *Func) Verify() error {
	if len(f.Blocks) == 0 {
		return fmt.Errorf("ir: %s: no blocks", f.Name)
	}
	c := &checker{f: f, at: make([]int32, f.values), seen: make([]bool, f.values)}
	c.edges()
	if len(c.errs) > 0 {
		return errors.Join(c.errs...)
	}
	f.Analyze()
	c.places()
	for _, b := range f.Blocks {
		c.block(b)
	}
	return errors.Join(c.errs...)
}

type checker struct {
	f    *Func
	at   []int32 // by value: position in its block
	seen []bool  // by value: stands in a block
	errs []error
}

const maxVerifyErrors = 20

func (c *checker) fail(v *Value, format string, args ...any) {
	if len(c.errs) >= maxVerifyErrors {
		return
	}
	where := ""
	if v != nil {
		where = fmt.Sprintf(" v%d (%v)", v.ID, v.Op)
		if v.Block != nil {
			where += fmt.Sprintf(" in b%d", v.Block.ID)
		}
		if v.Pos > 0 && int(v.Pos) < len(c.f.Pos) {
			where += fmt.Sprintf(" at %s:%d", c.f.Pos[v.Pos].File, c.f.Pos[v.Pos].Line)
		}
	}
	c.errs = append(c.errs, fmt.Errorf("ir: %s:%s: %s", c.f.Name, where, fmt.Sprintf(format, args...)))
}

func count(list []*Block, b *Block) int {
	n := 0
	for _, x := range list {
		if x == b {
			n++
		}
	}
	return n
}

// edges checks the graph alone, which Analyze relies on.
func (c *checker) edges() {
	in := make(map[*Block]bool, len(c.f.Blocks))
	for _, b := range c.f.Blocks {
		if in[b] {
			c.fail(nil, "b%d is listed twice", b.ID)
		}
		in[b] = true
	}
	if n := len(c.f.Blocks[0].Preds); n > 0 {
		c.fail(nil, "the entry has %d predecessors", n)
	}
	for _, b := range c.f.Blocks {
		if len(b.Succs) > 2 || (len(b.Succs) == 2) != (b.Cond != nil) {
			c.fail(nil, "b%d has %d successors, condition %v", b.ID, len(b.Succs), b.Cond != nil)
		}
		if len(b.Succs) == 2 && b.Succs[0] == b.Succs[1] {
			c.fail(nil, "b%d branches to b%d on both sides", b.ID, b.Succs[0].ID)
		}
		for _, s := range b.Succs {
			if !in[s] || count(s.Preds, b) != count(b.Succs, s) {
				c.fail(nil, "edge b%d to b%d is not known to both", b.ID, s.ID)
			}
		}
		for _, p := range b.Preds {
			if !in[p] || count(p.Succs, b) != count(b.Preds, p) {
				c.fail(nil, "edge b%d to b%d is not known to both", p.ID, b.ID)
			}
		}
	}
}

func (c *checker) places() {
	for _, b := range c.f.Blocks {
		n := int32(0)
		for _, list := range [][]*Value{b.Phis, b.Ins} {
			for _, v := range list {
				switch {
				case v.ID < 0 || v.ID >= len(c.at):
					c.fail(v, "ID out of range")
					continue
				case c.seen[v.ID]:
					c.fail(v, "ID used twice")
				case v.Block != b:
					c.fail(v, "stands in b%d but says otherwise", b.ID)
				}
				c.seen[v.ID], c.at[v.ID] = true, n
				n++
			}
		}
	}
}

func (c *checker) block(b *Block) {
	for _, v := range b.Phis {
		if v.Op != OpPhi {
			c.fail(v, "stands among the phis")
		}
		if len(v.Args) != len(b.Preds) {
			c.fail(v, "%d operands for %d predecessors", len(v.Args), len(b.Preds))
			continue
		}
		for i, a := range v.Args {
			c.avail(v, a, b.Preds[i], 1<<30)
			c.same(v, a, v.K)
		}
	}
	for _, v := range b.Ins {
		if v.Op == OpPhi {
			c.fail(v, "phi among the instructions")
			continue
		}
		for _, a := range v.Args {
			c.avail(v, a, b, c.at[v.ID])
		}
		if v.Guard != nil {
			c.avail(v, v.Guard, b, c.at[v.ID])
			if v.Guard.K != Pred || Ops[v.Op].Collect || !Ops[v.Op].Effect {
				c.fail(v, "guard on it or of kind %v", v.Guard.K)
			}
		}
		if v.K == Void || v.K == Pred || v.K.Register() == v.K {
			c.types(v)
		} else {
			c.fail(v, "result of kind %v, which no register has", v.K)
		}
	}
	if b.Cond != nil {
		c.avail(nil, b.Cond, b, 1<<30)
		if b.Cond.K != Pred {
			c.fail(b.Cond, "branch on a %v", b.Cond.K)
		}
	}
}

// avail checks that a is defined before position n of block b.
func (c *checker) avail(v, a *Value, b *Block, n int32) {
	switch {
	case a == nil:
		c.fail(v, "operand missing")
	case a.ID < 0 || a.ID >= len(c.seen):
		c.fail(v, "operand v%d has an ID out of range", a.ID)
	case a.Block == nil || !c.seen[a.ID]:
		if a.Block != nil || !a.Op.Floating() {
			c.fail(v, "operand v%d (%v) stands in no block", a.ID, a.Op)
		}
	case a.Block == b && c.at[a.ID] >= n, a.Block != b && !a.Block.Dominates(b):
		c.fail(v, "operand v%d of b%d does not dominate its use in b%d", a.ID, a.Block.ID, b.ID)
	case a.Guard != nil:
		c.fail(v, "operand v%d is the result of a guarded instruction", a.ID)
	}
}

// Floating reports an op whose value may stand in no block: the same at any
// place of the kernel and for free.
func (o Op) Floating() bool {
	return o == OpConst || o == OpParam || o == OpShared || o == OpLocal
}

func (c *checker) same(v, a *Value, k Kind) {
	if a != nil && (a.K.Bits() != k.Bits() || a.K.Float() != k.Float() || a.K == Pred != (k == Pred)) {
		c.fail(v, "operand v%d (%v) of kind %v where %v is needed", a.ID, a.Op, a.K, k)
	}
}

func (c *checker) need(v *Value, ok bool, what string) {
	if !ok {
		c.fail(v, "%s (kind %v, operands %v)", what, v.K, v.ArgK)
	}
}

// types checks kinds and operand counts against what the op takes.
func (c *checker) types(v *Value) {
	if int(v.Op) >= int(NumOps) || v.Op == OpInvalid || v.Op == OpMov || v.Op >= OpBra {
		c.fail(v, "op not allowed in SSA form")
		return
	}
	if n := Ops[v.Op].NArgs; n >= 0 && n != len(v.Args) {
		c.fail(v, "%d operands where %d are needed", len(v.Args), n)
		return
	}
	for _, a := range v.Args {
		if a == nil {
			return // reported by avail
		}
	}
	args := func(kinds ...Kind) {
		for i, k := range kinds {
			c.same(v, v.Args[i], k)
		}
	}
	k := v.K
	num := k.Int() || k.Float()
	switch v.Op {
	case OpConst:
		c.need(v, k != Void, "a constant needs a kind")
	case OpParam:
		if uint64(v.Imm) >= uint64(len(c.f.Leaves)) || c.f.Leaves[v.Imm].Kind != k {
			c.fail(v, "no parameter leaf %d of kind %v", v.Imm, k)
		}
	case OpShared:
		c.need(v, uint64(v.Imm) < uint64(len(c.f.Shared)) && k == U64, "no such shared variable")
	case OpLocal:
		c.need(v, uint64(v.Imm) < uint64(len(c.f.Local)) && k == U64, "no such local variable")
	case OpSpecial, OpReadSpecial:
		wide := Special(v.Imm) == Clock64 || Special(v.Imm) == GlobalTimer
		c.need(v, uint64(v.Imm) < uint64(NumSpecials) && k.Int() && (k.Bits() == 64) == wide, "no such special value")
	case OpAdd, OpSub, OpMul, OpMin, OpMax, OpDiv, OpNeg:
		c.need(v, num, "needs a number")
		args([]Kind{k, k}[:len(v.Args)]...)
	case OpRem, OpMulHi:
		c.need(v, k.Int(), "needs an integer")
		args(k, k)
	case OpMad:
		c.need(v, k.Int(), "needs an integer")
		args(k, k, k)
	case OpFMA:
		c.need(v, k.Float(), "needs a float")
		args(k, k, k)
	case OpAnd, OpOr, OpXor, OpAndNot, OpNot:
		c.need(v, k.Int() || k == Pred, "needs an integer or predicate")
		args([]Kind{k, k}[:len(v.Args)]...)
	case OpShl, OpShr:
		c.need(v, k.Int(), "needs an integer")
		args(k, U32)
	case OpAbs, OpSqrt, OpFloor, OpCeil, OpTrunc:
		c.need(v, k.Float(), "needs a float")
		args(k)
	case OpPopc, OpClz:
		c.need(v, k == U32 && v.ArgK.Int() && v.ArgK.Bits() >= 32, "needs a u32 or u64 operand and a u32 result")
		args(v.ArgK)
	case OpBrev:
		c.need(v, k.Int(), "needs an integer")
		args(k)
	case OpBitcast:
		c.need(v, num && v.ArgK.Bits() == k.Bits(), "needs kinds of one width")
		args(v.ArgK)
	case OpCvt:
		c.need(v, num && (v.ArgK.Int() || v.ArgK.Float()) && v.ArgK.Register() == v.ArgK, "needs numbers")
		args(v.ArgK)
	case OpExt:
		c.need(v, k.Int() && k.Bits() == 32 && v.ArgK.Int() && v.ArgK.Bits() < 32, "needs a narrow kind")
		args(k)
	case OpEq, OpNe, OpLt, OpLe, OpGt, OpGe:
		ordered := v.Op != OpEq && v.Op != OpNe
		c.need(v, k == Pred && v.ArgK != Void && v.ArgK.Register() == v.ArgK && !(ordered && v.ArgK == Pred), "needs comparable operands and a predicate result")
		args(v.ArgK, v.ArgK)
	case OpSelect:
		c.need(v, k != Void, "needs a result")
		args(Pred, k, k)
	case OpLea:
		c.need(v, k == U64 && v.ArgK.Int() && v.ArgK.Bits() >= 32, "needs an index kind and a u64 result")
		args(U64, v.ArgK)
	case OpElem:
		l := v.Args[0]
		c.need(v, l.Op == OpLoad && uint64(v.Imm) < uint64(l.Mem.Vec) && l.Mem.Vec > 1, "needs a vector load")
		c.same(v, l, k)
	default:
		c.effects(v, args)
	}
	if l := v.Op; l != OpElem {
		for _, a := range v.Args {
			if a.Op == OpLoad && a.Mem.Vec > 1 {
				c.fail(v, "reads the vector v%d as a scalar", a.ID)
			}
		}
	}
}

// effects checks memory accesses, collectives and the rest.
func (c *checker) effects(v *Value, args func(...Kind)) {
	k, m := v.K, v.Mem
	if v.Op.Addressed() {
		if len(v.Args) == 0 {
			c.fail(v, "no address")
			return
		}
		c.same(v, v.Args[0], U64)
		c.need(v, (m.Kind.Int() || m.Kind.Float()) && m.Space < NumSpaces && m.Order < NumOrders && m.Scope < NumScopes && m.Cache < NumCaches, "needs an element kind")
		c.need(v, m.Vec == 1 || (m.Vec == 2 || m.Vec == 4) && m.Bytes() <= 16, "vector too wide")
		c.need(v, m.Order == Weak || m.Scope != NoScope, "an ordered access needs a scope")
	}
	switch v.Op {
	case OpLoad:
		c.need(v, k == m.Kind.Register(), "loads another kind than it names")
	case OpStore:
		c.need(v, k == Void && len(v.Args) == 1+int(m.Vec), "needs one value an element")
		for _, a := range v.Args[1:] {
			c.same(v, a, m.Kind.Register())
		}
	case OpAtomAdd, OpAtomMin, OpAtomMax, OpAtomAnd, OpAtomOr, OpAtomXor, OpAtomExch, OpAtomCAS:
		c.need(v, k.Bits() == m.Kind.Bits() && k.Bits() >= 32 && m.Vec == 1, "needs a 32- or 64-bit element")
		for _, a := range v.Args[1:] {
			c.same(v, a, k)
		}
	case OpFence:
		c.need(v, k == Void && m.Order == AcqRel && m.Scope != NoScope, "needs order acq_rel and a scope")
	case OpBar:
		c.need(v, k == Void, "has no result")
	case OpBarCount:
		c.need(v, k == U32, "gives a u32")
		args(Pred)
	case OpBarAnd, OpBarOr:
		c.need(v, k == Pred, "gives a predicate")
		args(Pred)
	case OpWarpBar:
		c.need(v, k == Void, "has no result")
		args(U32)
	case OpBallot:
		c.need(v, k == U32, "gives a u32")
		args(U32, Pred)
	case OpVoteAny, OpVoteAll:
		c.need(v, k == Pred, "gives a predicate")
		args(U32, Pred)
	case OpShfl, OpShflUp, OpShflDown, OpShflXor:
		c.need(v, k.Int() || k.Float(), "needs a number")
		args(U32, k, U32)
	case OpMatch:
		c.need(v, k == U32 && v.ArgK.Register() == v.ArgK, "gives a u32")
		args(U32, v.ArgK)
	case OpActiveMask:
		c.need(v, k == U32, "gives a u32")
	case OpSleep:
		c.need(v, k == Void, "has no result")
		args(U32)
	case OpTrap:
		c.need(v, k == Void && uint64(v.Imm) < uint64(len(c.f.Traps)), "no such trap")
	default:
		c.fail(v, "op not allowed in SSA form")
	}
}
