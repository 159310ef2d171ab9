package compile

import (
	"go/types"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// atomic lowers an atomic update. An exchange and a compare-and-swap move bits.
func (c *icall) atomic(op ir.Op) []leaf {
	k := c.result[0].k
	u := k
	args := []*ir.Value{c.pointer(0)}
	n := op.NArgs()
	for i := 1; i < n; i++ {
		x := c.arg(i)
		if ir.Ops[op].Moves && k.Float() {
			x, u = c.asBits(x, k)
		}
		args = append(args, x)
	}
	v := c.emit(op, u, args...)
	if v.Mem = (ir.Mem{Kind: u, Vec: 1, Order: ir.Relaxed, Scope: c.scope(n)}); op.IsMBarrier() {
		v.Mem.Order, v.Mem.Scope = mbarrierOrder(op), ir.ScopeBlock
	}
	if u != k {
		v = c.pure(ir.OpBitcast, k, u, v)
	}
	return c.one(v)
}

func orderedLoad(o ir.Order) func(*icall) []leaf {
	return func(c *icall) []leaf {
		return c.one(c.loadLeaf(c.pointer(0), c.result[0], ir.Mem{Order: o, Scope: c.scope(1)}))
	}
}

func orderedStore(o ir.Order) func(*icall) []leaf {
	return func(c *icall) []leaf {
		c.storeLeaf(c.pointer(0), c.arg(1), c.leafOf(c.param(1), c.at, c.name), ir.Mem{Order: o, Scope: c.scope(2)})
		return nil
	}
}

func hintedLoad(h ir.Cache) func(*icall) []leaf {
	return func(c *icall) []leaf { return c.one(c.loadLeaf(c.pointer(0), c.result[0], ir.Mem{Cache: h})) }
}

func hintedStore(h ir.Cache) func(*icall) []leaf {
	return func(c *icall) []leaf {
		c.storeLeaf(c.pointer(0), c.arg(1), c.leafOf(c.param(1), c.at, c.name), ir.Mem{Cache: h})
		return nil
	}
}

func fence(o ir.Order) func(*icall) []leaf {
	return func(c *icall) []leaf {
		c.emit(ir.OpFence, ir.Void).Mem = ir.Mem{Order: o, Scope: c.scope(0)}
		return nil
	}
}

// vector returns the address of s[i] and the element type of a vector access.
func (c *icall) vector() (a *ir.Value, t leafType) {
	elem := c.param(0).Underlying().(*types.Slice).Elem()
	return c.indexed(c.pointer(0), c.arg(1), leafType{k: ir.U32, m: ir.U32}, c.c.sizes.Sizeof(elem)), c.leafOf(elem, c.at, c.name)
}

func vectorLoad(n int) func(*icall) []leaf {
	return func(c *icall) []leaf {
		a, t := c.vector()
		v := c.emit(ir.OpLoad, t.k, a)
		v.Mem = ir.Mem{Kind: t.m, Vec: uint8(n)}
		return c.elements(v, n)
	}
}

func vectorStore(n int) func(*icall) []leaf {
	return func(c *icall) []leaf {
		a, t := c.vector()
		args := []*ir.Value{a}
		for _, l := range c.args[2] {
			args = append(args, c.reg(l, c.at))
		}
		v := c.emit(ir.OpStore, ir.Void, args...)
		v.Mem = ir.Mem{Kind: t.m, Vec: uint8(n)}
		return nil
	}
}

// mbarrierOrder returns the order that operations on an mbarrier have by default (PTX ISA, "mbarrier.arrive",
// "mbarrier.test_wait/mbarrier.try_wait").
func mbarrierOrder(op ir.Op) ir.Order {
	switch {
	case op.IsMBarrierWait():
		return ir.Acquire
	case op.Arrives():
		return ir.Release
	}
	return ir.Relaxed
}
