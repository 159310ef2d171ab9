package simt

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// TestBindBytes lays out the parameters of a kernel whose code is elsewhere, with the addresses of there.
func TestBindBytes(t *testing.T) {
	m := NewMemory(0)
	m.Real = func(a *Allocation) uint64 { return 0x7000 + uint64(a.ID)<<8 }
	b, err := m.Alloc("b", device.U32, 8)
	require.NoError(t, err)
	k := &ir.Kernel{Name: "k", Source: &ir.Source{Entry: "k"}, MaxBlock: [3]int{64, 1, 1}, Params: []ir.Param{
		{Name: "p0", Bytes: 1, Align: 1}, {Name: "p1", Bytes: 8, Align: 8}, {Name: "p2", Bytes: 12, Align: 4}, {Name: "p3", Bytes: 2, Align: 2},
	}}
	offsets, size := Offsets(k.Params)
	assert.Equal(t, []int{0, 8, 16, 28}, offsets)
	assert.Equal(t, 30, size)
	l := device.Launch{Kernel: k.ForHost(), Grid: 2, Block: 8, BlockY: 4, Args: []any{true, b.Slice(2, 4), [3]uint32{1, 2, 3}, int16(-2)}}
	g, bytes, err := BindBytes(m, l)
	require.NoError(t, err)
	assert.Equal(t, []byte{1, 0, 0, 0, 0, 0, 0, 0, 8, 0x71, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0xfe, 0xff}, bytes)
	assert.Equal(t, []int{2, 32, 1}, []int{g.Blocks, g.Threads, g.Warps})

	for what, change := range map[string]func(l *device.Launch){
		"3 arguments where":                                   func(l *device.Launch) { l.Args = l.Args[:3] },
		"argument 2 (p1 ): the argument":                      func(l *device.Launch) { l.Args = []any{true, []byte{1}, [3]uint32{}, int16(0)} },
		"a block of 65 threads; the kernel is for at most 64": func(l *device.Launch) { l.Block, l.BlockY = 65, 0 },
		"a grid of 0 blocks":                                  func(l *device.Launch) { l.Grid = 0 },
		"-1 bytes of dynamic shared memory":                   func(l *device.Launch) { l.DynamicShared = -1 },
		"-1 registers a thread":                               func(l *device.Launch) { l.Regs = -1 },
		"no kernel":                                           func(l *device.Launch) { l.Kernel = (&ir.Kernel{Name: "go"}).ForHost() },
	} {
		bad := l
		change(&bad)
		_, _, err := BindBytes(m, bad)
		assert.ErrorContains(t, err, what)
	}
	m.Close(nil)
	_, _, err = BindBytes(m, l)
	assert.ErrorIs(t, err, device.ErrClosed)
}
