package ir_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// The kinds of both packages have the same numbers, so that they can be
// converted.
func TestKindsOfHosts(t *testing.T) {
	require.False(t, device.Kind(ir.Void).Valid())
	require.False(t, device.Kind(ir.NumKinds).Valid())
	assert.Equal(t, device.Bool, device.Kind(ir.Pred))
	for k := ir.Pred; k < ir.NumKinds; k++ {
		require.True(t, device.Kind(k).Valid(), k)
		assert.Equal(t, k.Bytes(), device.Kind(k).Bytes(), k)
	}
	assert.Equal(t, []device.Kind{device.U8, device.S8, device.U16, device.S16, device.U32, device.S32, device.U64, device.S64, device.F32, device.F64},
		[]device.Kind{device.Kind(ir.U8), device.Kind(ir.S8), device.Kind(ir.U16), device.Kind(ir.S16), device.Kind(ir.U32), device.Kind(ir.S32),
			device.Kind(ir.U64), device.Kind(ir.S64), device.Kind(ir.F32), device.Kind(ir.F64)})
}

func TestCompiled(t *testing.T) {
	assert.Nil(t, ir.Compiled(nil))
	assert.Nil(t, ir.Compiled(&device.Kernel{Name: "p.K"}))
	assert.Nil(t, ir.Compiled(device.NewKernel(device.Kernel{Name: "p.K"}, "of another compiler")))
	k := &ir.Kernel{Name: "p.K", Program: &ir.Program{SharedBytes: 8, LocalBytes: 4, RegCount: 20}}
	assert.Same(t, k, ir.Compiled(k.ForHost()))
	assert.Equal(t, 8, k.ForHost().Shared)
	assert.Equal(t, 4, k.ForHost().Local)
	assert.Equal(t, 20, k.ForHost().Registers)
}
