package compile

import (
	"github.com/weft-gpu/weft/internal/base/floats"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// allLanes returns the mask of all lanes of a warp.
func (c *icall) allLanes() *ir.Value { return c.constant(ir.U32, 1<<32-1) }

// multiply lowers a product of matrices, whose arguments are registers and arrays of them.
func (c *icall) multiply(m ir.MMA) []leaf {
	args := []*ir.Value{c.allLanes()}
	for _, list := range c.args {
		for _, l := range list {
			args = append(args, c.reg(l, c.at))
		}
	}
	k, argK := m.Kinds()
	v := c.emit(ir.OpMMA, k, args...)
	v.ArgK, v.Imm = argK, int64(m)
	return c.elements(v, v.Results())
}

// elements returns the registers of a vector.
func (c *icall) elements(v *ir.Value, n int) []leaf {
	list := make([]leaf, n)
	for i := range list {
		e := c.emit(ir.OpElem, v.K, v)
		e.Imm = int64(i)
		list[i] = e
	}
	return list
}

// convertTo lowers a conversion between formats of floats.
func convertTo(from, to ir.Number, mode floats.Rounding) func(*icall) []leaf {
	return func(c *icall) []leaf {
		v := c.f.NewValue(ir.OpCalc1, c.result[0].k, c.frame.pos(c.lowerer), c.res(c.arg(0)))
		v.ArgK, v.Imm = c.kind(0), ir.CalcImm(ir.FuncConvert, int64(ir.NewConvert(from, to, mode, 0, false)))
		return c.one(c.folded(v))
	}
}

// packAs lowers a conversion of two numbers to a format of 16 bits, for the halves of a word.
func packAs(to ir.Number) func(*icall) []leaf {
	return func(c *icall) []leaf {
		v := c.f.NewValue(ir.OpCalc2, ir.U32, c.frame.pos(c.lowerer), c.res(c.arg(0)), c.res(c.arg(1)))
		v.ArgK, v.Imm = ir.F32, ir.CalcImm(ir.FuncPack, int64(ir.NewConvert(ir.NumberSingle, to, floats.NearestEven, 0, false)))
		return c.one(c.folded(v))
	}
}

// loadMatrices lowers a load of matrices, each lane of which passes the address of a row of 16 bytes.
func (c *icall) loadMatrices(op ir.Op) []leaf {
	at := c.pointer(1)                                  // behind the thread
	c.aligned(at, 0, int64(ir.MatrixMem.Bytes()), true) // where that is not known, the access finds it
	v := c.emit(op, ir.U32, at)
	v.Mem = ir.MatrixMem
	if n := v.Results(); n > 1 {
		return c.elements(v, n)
	}
	return c.one(v)
}

// storeMatrices lowers a store of matrices, which follow the address in registers or an array of them.
func (c *icall) storeMatrices(op ir.Op) []leaf {
	at := c.pointer(1)
	c.aligned(at, 0, int64(ir.MatrixMem.Bytes()), true)
	args := []*ir.Value{at}
	for _, l := range c.args[2] {
		args = append(args, c.reg(l, c.at))
	}
	for len(args) <= int(ir.MatrixMem.Vec) {
		args = append(args, c.constant(ir.U32, 0))
	}
	c.emit(op, ir.Void, args...).Mem = ir.MatrixMem
	return nil
}
