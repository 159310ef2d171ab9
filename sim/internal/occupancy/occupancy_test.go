package occupancy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/config"
)

// TestOccupancy has results of CUDA's occupancy calculator.
func TestOccupancy(t *testing.T) {
	for _, c := range []struct {
		preset                string
		threads, regs, shared int
		blocks                int
		limit                 string
	}{
		{"v100", 256, 32, 0, 8, "warps"},
		{"v100", 256, 33, 0, 6, "registers"}, // 40 per thread after rounding: 1,280 per warp, 12 warps per sub-core
		{"v100", 256, 64, 0, 4, "registers"},
		{"v100", 1024, 64, 0, 1, "registers"},
		{"v100", 32, 16, 0, 32, "blocks"},
		{"v100", 64, 32, 0, 32, "blocks"}, // and the same limit by warps
		{"v100", 128, 32, 24576, 4, "shared memory"},
		{"v100", 128, 32, 24577, 3, "shared memory"},
		{"v100", 96, 255, 0, 2, "registers"}, // 8 warps of 8,192, 3 per block
		{"k40", 32, 16, 0, 16, "blocks"},
		{"k40", 128, 32, 12288, 4, "shared memory"},
		{"h200", 1024, 32, 0, 2, "warps"},
		{"h200", 128, 32, 232448 / 2, 1, "shared memory"},     // 1 KiB per block is the driver's reserve
		{"h200", 128, 32, 232448/2 - 512, 2, "shared memory"}, // exactly two
		{"h200", 128, 32, 232448/2 - 512 + 1, 1, "shared memory"},
	} {
		cfg, err := config.Load(c.preset)
		require.NoError(t, err)
		k := &device.Kernel{Name: "k", Shared: c.shared}
		o, err := Of(cfg, k, c.threads, c.regs, 0)
		require.NoError(t, err)
		assert.Equal(t, c.blocks, o.BlocksPerSM, "%+v", c)
		assert.Equal(t, c.limit, o.Limit, "%+v", c)
		assert.Equal(t, c.blocks*((c.threads+31)/32), o.WarpsPerSM)
		assert.False(t, o.Estimated)
		full, err := Of(cfg, k, c.threads, c.regs, o.SharedFree)
		require.NoError(t, err)
		assert.Equal(t, c.blocks, full.BlocksPerSM, "%+v with %d bytes more", c, o.SharedFree)
		if c.shared+o.SharedFree < cfg.SM.SharedBlock {
			more, err := Of(cfg, k, c.threads, c.regs, o.SharedFree+1)
			require.NoError(t, err)
			assert.Less(t, more.BlocksPerSM, c.blocks, "%+v with %d bytes more", c, o.SharedFree+1)
		}
	}
}

func TestOccupancyRefuses(t *testing.T) {
	cfg, err := config.Load("v100")
	require.NoError(t, err)
	for _, c := range []struct {
		threads, regs, shared int
		want                  string
	}{
		{0, 32, 0, "a block of 0 threads; it may have 1 to 1024"},
		{2048, 32, 0, "a block of 2048 threads"},
		{256, 256, 0, "256 registers per thread; the maximum is 255"},
		{1024, 65, 0, "a block uses 73728 registers (65 per thread); the maximum is 65536"},
		{256, 32, 98305, "a block uses 98305 bytes of shared memory; the maximum is 98304"},
	} {
		k := &device.Kernel{Name: "k", Shared: c.shared}
		_, err := Of(cfg, k, c.threads, c.regs, 0)
		var arg *device.ArgError
		require.ErrorAs(t, err, &arg)
		assert.Contains(t, arg.What, c.want)
	}
}

// TestOfABlock checks that the resources of a block are counted in allocation units.
func TestOfABlock(t *testing.T) {
	cfg, err := config.Load("h200")
	require.NoError(t, err)
	assert.Zero(t, Shared(&cfg.SM, 0))
	assert.Equal(t, 1024+128, Shared(&cfg.SM, 1), "with the driver's part")
	assert.Equal(t, 8*1280, Registers(&cfg.SM, 33, 8), "33 registers are 40")
}

// TestBarriersLimitOccupancy checks that the blocks of an SM share named barriers, with numbers of an H200.
func TestBarriersLimitOccupancy(t *testing.T) {
	cfg, err := config.Load("h200")
	require.NoError(t, err)
	for id, blocks := range map[uint64]int{3: 16, 7: 8, 15: 4} {
		p := &ir.Program{Uniforms: []ir.Uniform{{K: ir.U32, Leaf: -1, Bits: id}},
			Code: []ir.Inst{{Op: ir.OpBarSync, NSrc: 3, Src: [ir.MaxOperands]ir.Operand{0, ^ir.Operand(0), 1}}}}
		require.Equal(t, int(id)+1, p.NamedBarriers())
		o, err := Of(cfg, (&ir.Kernel{Name: "k", Program: p}).ForHost(), 64, 16, 0)
		require.NoError(t, err)
		assert.Equal(t, blocks, o.BlocksPerSM)
		assert.Equal(t, "barriers", o.Limit)
		p.Uniforms[0].Leaf = 0 // a parameter
		require.Equal(t, 16, p.NamedBarriers())
	}
	o, err := Of(cfg, (&ir.Kernel{Name: "k", Program: &ir.Program{Code: []ir.Inst{{Op: ir.OpBar}}}}).ForHost(), 64, 16, 0)
	require.NoError(t, err)
	assert.Equal(t, 32, o.BlocksPerSM, "a kernel without named barriers is as before")
}
