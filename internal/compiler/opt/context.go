package opt

import (
	gocontext "context"
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// context is the state that the passes over one kernel share.
type context struct {
	f       *ir.Func
	fwd     []*ir.Value // by value: its replacement
	consts  map[constKey]*ir.Value
	params  []*ir.Value
	shared  []*ir.Value
	local   []*ir.Value
	uses    []int32 // by value, filled by countUses
	changed bool
	stale   bool              // some operands may still be replaced values
	done    gocontext.Context // ends the optimisation early when it is cancelled; nil for none
	most    int               // limit on the number of values of the kernel

	unchanging []bool // by value: a load from memory that nothing writes; nil except in the read-only build
	saved      int    // number of such loads that were merged or moved out of a loop
}

// stopped is the value of the panic that ends Optimize.
type stopped struct{ err error }

// look ends Optimize if its context is cancelled.
func (c *context) look() {
	if c.done != nil && c.done.Err() != nil {
		panic(stopped{c.done.Err()})
	}
}

// maxGrowth is how many values the passes may make for each value that the
// kernel had; minValues is how many they may always make. Kernels need a factor
// of two or three.
const (
	maxGrowth = 16
	minValues = 1 << 16
)

type constKey struct {
	k    ir.Kind
	bits uint64
}

func newContext(fn *ir.Func) *context {
	return &context{
		most: maxGrowth*fn.NumValues() + minValues,
		f:    fn, fwd: make([]*ir.Value, fn.NumValues(), 2*fn.NumValues()), consts: map[constKey]*ir.Value{},
		params: make([]*ir.Value, len(fn.Leaves)), shared: make([]*ir.Value, len(fn.Shared)), local: make([]*ir.Value, len(fn.Local)),
	}
}

// constant returns the constant of this kind and these bits; there is only one
// of each.
func (c *context) constant(kind ir.Kind, bits uint64) *ir.Value {
	// Constants that differ only above their width must be one value: cse and
	// the comparison of pointers rely on it.
	if kind.Bits() <= 32 {
		bits = uint64(uint32(bits))
	}
	key := constKey{kind, bits}
	value := c.consts[key]
	if value == nil {
		value = c.f.Const(kind, bits)
		c.grow()
		c.consts[key] = value
	}
	return value
}

func (c *context) boolean(b bool) *ir.Value {
	if b {
		return c.constant(ir.Pred, 1)
	}
	return c.constant(ir.Pred, 0)
}

func (c *context) grow() {
	for len(c.fwd) < c.f.NumValues() {
		c.fwd = append(c.fwd, nil)
	}
}

// value makes an instruction. The caller inserts it in block b.
func (c *context) value(b *ir.Block, op ir.Op, k ir.Kind, pos ir.Pos, args ...*ir.Value) *ir.Value {
	value := c.f.NewValue(op, k, pos, args...)
	value.Block = b
	c.grow()
	// Passes that grow the kernel all come through here, so that a cancelled
	// context ends even a pass that takes long.
	if value.ID%4096 == 0 {
		c.look()
	}
	if value.ID > c.most {
		panic(stopped{&LimitError{pos, "the kernel grows too much while it is optimised; write fewer loops one behind another that leave variables for the end, or split the kernel"}})
	}
	return value
}

// res returns the current replacement of value, or value itself.
func (c *context) res(value *ir.Value) *ir.Value {
	other := c.fwd[value.ID]
	if other == nil {
		return value
	}
	for c.fwd[other.ID] != nil {
		other = c.fwd[other.ID]
	}
	// Chains get long when one value is replaced in pass after pass; this keeps
	// each look-up short.
	c.fwd[value.ID] = other
	return other
}

// replace makes other the replacement of a value; the next resolve rewrites the uses.
func (c *context) replace(v, other *ir.Value) {
	if other = c.res(other); other != v {
		c.fwd[v.ID] = other
		c.changed, c.stale = true, true
	}
}

// resolve rewrites the uses of replaced values and removes these values. It
// also removes phis whose operands are all the same value. Most passes find
// nothing to replace; then resolve visits only the phis.
func (c *context) resolve() {
	for again := true; again; {
		again = false
		for _, b := range c.f.Blocks {
			for _, phi := range b.Phis {
				// Replacing one phi can make another trivial, for example two
				// phis of nested loops that only carry a value around.
				if c.fwd[phi.ID] == nil && c.trivial(phi) {
					again = true
				}
			}
		}
	}
	if !c.stale {
		return
	}
	c.stale = false
	for _, block := range c.f.Blocks {
		block.Phis, block.Ins = c.rewrite(block.Phis), c.rewrite(block.Ins)
		if block.Cond != nil {
			block.Cond = c.res(block.Cond)
		}
	}
}

func (c *context) rewrite(list []*ir.Value) []*ir.Value {
	keep := list[:0]
	for _, value := range list {
		if c.fwd[value.ID] != nil {
			continue
		}
		for i, arg := range value.Args {
			value.Args[i] = c.res(arg)
		}
		if value.Guard != nil {
			value.Guard = c.res(value.Guard)
		}
		keep = append(keep, value)
	}
	// The tail would keep replaced values alive for the garbage collector.
	clear(list[len(keep):])
	return keep
}

// trivial replaces a phi if all its operands are one value or the phi itself.
func (c *context) trivial(phi *ir.Value) bool {
	var one *ir.Value
	for _, arg := range phi.Args {
		arg = c.res(arg)
		if arg == phi || arg == one {
			continue
		}
		if one != nil {
			return false
		}
		one = arg
	}
	// Only itself: the block is unreachable.
	if one == nil {
		return false
	}
	c.replace(phi, one)
	return true
}

// countUses counts the uses of each value as operand, guard or condition.
func (c *context) countUses() []int32 {
	if len(c.uses) < c.f.NumValues() {
		c.uses = make([]int32, c.f.NumValues()+32)
	}
	clear(c.uses)
	count := func(list []*ir.Value) {
		for _, value := range list {
			for _, arg := range value.Args {
				c.uses[arg.ID]++
			}
			if value.Guard != nil {
				c.uses[value.Guard.ID]++
			}
		}
	}
	for _, block := range c.f.Blocks {
		count(block.Phis)
		count(block.Ins)
		if block.Cond != nil {
			c.uses[block.Cond.ID]++
		}
	}
	return c.uses
}

// prepare takes constants, parameters and addresses of variables out of the
// blocks and makes each of them unique. It sets ArgK where it follows from the
// operands.
func prepare(c *context) {
	intern := func(value *ir.Value) *ir.Value {
		one := func(at *(*ir.Value)) *ir.Value {
			// The first occurrence becomes the value for all.
			if *at == nil {
				*at = value
			}
			return *at
		}
		switch value.Op {
		case ir.OpConst:
			key := constKey{value.K, value.Bits()}
			if first := c.consts[key]; first != nil {
				return first
			}
			value.Imm = int64(key.bits)
			c.consts[key] = value
		case ir.OpParam:
			return one(&c.params[value.Imm])
		case ir.OpShared:
			return one(&c.shared[value.Imm])
		case ir.OpLocal:
			return one(&c.local[value.Imm])
		}
		return value
	}
	operand := func(arg *ir.Value) {
		if arg.Op.Floating() {
			if unique := intern(arg); unique != arg {
				c.fwd[arg.ID], c.stale = unique, true
			}
		}
	}
	// Dominate also drops unreachable blocks, whose operands nobody would
	// intern.
	c.f.Dominate()
	for _, block := range c.f.Blocks {
		for _, list := range [][]*ir.Value{block.Phis, block.Ins} {
			for _, value := range list {
				operand(value)
				for _, arg := range value.Args {
					operand(arg)
				}
				if value.Guard != nil {
					operand(value.Guard)
				}
				operandKind(value)
			}
		}
		if block.Cond != nil {
			operand(block.Cond)
		}
	}
	for _, block := range c.f.Blocks {
		keep := block.Ins[:0]
		for _, value := range block.Ins {
			if !value.Op.Floating() {
				keep = append(keep, value)
			} else if c.fwd[value.ID] == nil {
				// The unique one belongs to no block: it has the same value
				// everywhere, and Verify accepts it as an operand without a
				// dominating definition.
				value.Block = nil
			}
		}
		clear(block.Ins[len(keep):])
		block.Ins = keep
	}
	c.resolve()
}

// operandKind sets ArgK if it was left out and follows from an operand.
func operandKind(value *ir.Value) {
	if value.ArgK != ir.Void {
		return
	}
	if i := slices.Index(ir.Ops[value.Op].Args, ir.Other); i >= 0 && i < len(value.Args) {
		value.ArgK = value.Args[i].K
	}
}
