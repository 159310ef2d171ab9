package opt

import "github.com/weft-gpu/weft/internal/ir"

// cseKey identifies a computation; operands by ID, -1 for none.
type cseKey struct {
	op      ir.Op
	k, argK ir.Kind
	imm     int64
	args    [3]int
}

// cse replaces a computation by an equal one that dominates it. Within a
// block it does so for plain loads, while nothing between could have changed
// the memory. Phis of one block with equal operands become one.
func cse(c *context) {
	c.f.Analyze()
	table := make(map[cseKey]*ir.Value, c.f.NumValues()/2)
	var loads []*ir.Value
	for _, b := range c.f.Blocks {
		c.equalPhis(b)
		loads = loads[:0]
		for _, v := range b.Ins {
			switch {
			case v.Op == ir.OpLoad && v.Mem.Order == ir.Weak:
				loads = c.cseLoad(v, loads)
			case clobbers(v):
				loads = survivors(loads, v)
			case ir.Ops[v.Op].Pure || v.Op == ir.OpElem || v.Op == ir.OpDiv || v.Op == ir.OpRem:
				key := c.key(v)
				if o := table[key]; o != nil && o.Block.Dominates(b) {
					c.replace(v, o)
				} else {
					table[key] = v
				}
			}
		}
	}
	c.resolve()
}

func (c *context) equalPhis(b *ir.Block) {
	for i, p := range b.Phis {
	next:
		for _, o := range b.Phis[:i] {
			if o.K != p.K || c.fwd[o.ID] != nil {
				continue
			}
			for j, a := range p.Args {
				if c.res(a) != c.res(o.Args[j]) {
					continue next
				}
			}
			c.replace(p, o)
			break
		}
	}
}

// unsigned is the kind that stands for both signs where they do not matter.
func unsigned(k ir.Kind) ir.Kind {
	switch k {
	case ir.S32:
		return ir.U32
	case ir.S64:
		return ir.U64
	}
	return k
}

// signless reports an op whose result bits do not depend on the sign of kind K.
func signless(o ir.Op) bool {
	switch o {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpMad, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot, ir.OpShl, ir.OpNeg, ir.OpNot, ir.OpSelect, ir.OpCvt, ir.OpBrev:
		return true
	}
	return false
}

func (c *context) key(v *ir.Value) cseKey {
	k := cseKey{op: v.Op, k: v.K, argK: v.ArgK, imm: v.Imm, args: [3]int{-1, -1, -1}}
	if signless(v.Op) {
		k.k = unsigned(v.K)
	}
	if v.Op == ir.OpEq || v.Op == ir.OpNe {
		k.argK = unsigned(v.ArgK)
	}
	for i, a := range v.Args {
		a = c.res(a)
		if a.Op == ir.OpConst && a.K.Int() {
			a = c.constant(unsigned(a.K), a.Bits())
		}
		k.args[i] = a.ID
	}
	if ir.Ops[v.Op].Commut && k.args[0] > k.args[1] {
		k.args[0], k.args[1] = k.args[1], k.args[0]
	}
	return k
}

// cseLoad finds an equal load among those whose result still holds.
func (c *context) cseLoad(v *ir.Value, loads []*ir.Value) []*ir.Value {
	for _, o := range loads {
		if o.Mem == v.Mem && o.K == v.K && o.Imm == v.Imm && c.res(o.Args[0]) == c.res(v.Args[0]) {
			c.replace(v, o)
			return loads
		}
	}
	return append(loads, v)
}

// clobbers reports an instruction after which memory may hold something else
// for this thread: writes, ordered accesses, fences, and every collective,
// since lanes that meet may have written.
func clobbers(v *ir.Value) bool {
	i := &ir.Ops[v.Op]
	return i.Memory || i.Collect || v.Op == ir.OpSleep
}

// survivors is the loads that the write v cannot touch: those of another
// memory space. Two parameters may well be the same buffer.
func survivors(loads []*ir.Value, v *ir.Value) []*ir.Value {
	if v.Op != ir.OpStore || v.Mem.Order != ir.Weak || v.Mem.Space == ir.Generic {
		return loads[:0]
	}
	keep := loads[:0]
	for _, l := range loads {
		if l.Mem.Space != ir.Generic && l.Mem.Space != v.Mem.Space {
			keep = append(keep, l)
		}
	}
	return keep
}
