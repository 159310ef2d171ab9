package llvm

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// operation returns a kernel with one operation on constants.
func operation(op ir.Op, k, argK ir.Kind, imm int64, args ...*ir.Value) *ir.Func {
	f := &ir.Func{Name: "k"}
	b := f.NewBlock()
	v := f.NewValue(op, k, 0, args...)
	v.ArgK, v.Imm, v.Block = argK, imm, b
	b.Ins = append(b.Ins, v)
	return f
}

// What a target does not have is refused by name.
func TestRefuses(t *testing.T) {
	one := new(ir.Func).Const(ir.U32, 1)
	for _, c := range []struct {
		target Target
		f      *ir.Func
		want   string
	}{
		{X86, operation(ir.OpActiveMask, ir.U32, ir.Void, 0), "activemask"},
		{X86, operation(ir.OpCalc2, ir.U32, ir.U32, ir.CalcImm(ir.FuncPrmt, 0), one, one), "calc2 prmt"},
		{GFX803, operation(ir.OpBar, ir.Void, ir.Void, 0), "bar"},
		{GFX803, operation(ir.OpFence, ir.Void, ir.Void, 0), "fence"},
		{GFX803, operation(ir.OpTrap, ir.Void, ir.Void, 0), "panic and integer division that may fault"},
		{GFX803, operation(ir.OpSpecial, ir.U32, ir.Void, int64(ir.LaneID)), "laneid"},
		{GFX803, operation(ir.OpApproxSin, ir.F32, ir.Void, 0, one), "approx.sin"},
	} {
		_, err := Module(c.target, c.f)
		var refused *Refused
		require.True(t, errors.As(err, &refused), c.want)
		assert.EqualError(t, err, "llvm: kernel k: no "+c.want)
	}
}

// The text of a small operation, whose meaning the LLVM Language Reference gives.
func TestText(t *testing.T) {
	f := operation(ir.OpFence, ir.Void, ir.Void, 0)
	f.Blocks[0].Ins[0].Mem = ir.Mem{Order: ir.SeqCst, Scope: ir.ScopeDevice}
	text, err := Module(X86, f)
	require.NoError(t, err)
	assert.Equal(t, "target triple = \"x86_64-pc-linux-gnu\"\n\ndefine void @weft_kernel(ptr %leaves, ptr %thread) {\nentry:\n\tbr label %b0\nb0:\n\tfence seq_cst\n\tret void\n}\n\n\n", text)
}
