package simt

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/memory"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

func alloc(t *testing.T, m *Memory, k device.Kind, n int) (*Allocation, device.Buffer) {
	t.Helper()
	b, err := m.Alloc("b", k, n)
	require.NoError(t, err)
	a, off, err := m.Find(b)
	require.NoError(t, err)
	require.Zero(t, off)
	return a, b
}

func TestPhysicalPlacement(t *testing.T) {
	m := NewMemory(0)
	a, _ := alloc(t, m, device.U8, 1)
	b, _ := alloc(t, m, device.U32, 100)
	c, _ := alloc(t, m, device.U8, 3<<20)
	d, _ := alloc(t, m, device.U8, 0)
	e, _ := alloc(t, m, device.U8, physLarge)
	assert.EqualValues(t, 512, a.Phys%physPage, "device hw has the first 512 bytes")
	assert.Equal(t, a.Phys+512, b.Phys, "small buffers stand side by side")
	assert.Equal(t, b.Phys+512, d.Phys)
	assert.Zero(t, c.Phys%physPage)
	assert.Zero(t, e.Phys%physPage)
	assert.GreaterOrEqual(t, e.Phys, c.Phys+4<<20)
	assert.NotEqual(t, a.Base()>>addrBits, b.Base()>>addrBits)
	f, _ := alloc(t, m, device.U8, physLarge-1)
	g, _ := alloc(t, m, device.U8, physLarge-1)
	assert.NotEqual(t, f.Phys/physPage, g.Phys/physPage, "no small buffer crosses its page")
}

func TestPoison(t *testing.T) {
	m := NewMemory(0)
	for _, c := range []struct {
		k   device.Kind
		dst any
		ok  func(v any) bool
	}{
		{device.U32, make([]uint32, 5), func(v any) bool { return v.([]uint32)[4] == 0xA5A5A5A5 }},
		{device.F32, make([]float32, 5), func(v any) bool { return math.IsNaN(float64(v.([]float32)[4])) }},
		{device.F64, make([]float64, 5), func(v any) bool { return math.IsNaN(v.([]float64)[4]) }},
	} {
		_, b := alloc(t, m, c.k, 5)
		require.NoError(t, m.Read(b, c.dst))
		assert.True(t, c.ok(c.dst), c.k)
	}
}

func TestCapacity(t *testing.T) {
	m := NewMemory(1000)
	_, b := alloc(t, m, device.U32, 200)
	_, err := m.Alloc("more", device.U8, 201)
	assert.EqualError(t, err, "alloc more: out of memory: 201 elements of uint8 (201 bytes) where 200 of 1000 bytes are free")
	require.NoError(t, m.Free(b))
	assert.Zero(t, m.Used())
	alloc(t, m, device.U8, 1000)
}

func TestFreedAddressIsNotGivenAgain(t *testing.T) {
	m := NewMemory(0)
	_, b := alloc(t, m, device.U32, 4)
	require.NoError(t, m.Free(b))
	_, c := alloc(t, m, device.U32, 4)
	assert.NotEqual(t, b.Addr, c.Addr)
	a, _ := m.Lookup(b.Addr)
	assert.Nil(t, a)
	a, off := m.Lookup(c.Addr + 9)
	assert.Equal(t, 9, off)
	assert.Equal(t, "b", a.Name)
}

func TestBindLimits(t *testing.T) {
	p := exits(1)
	p.SharedBytes, p.LocalBytes = 100, 50
	k := (&ir.Kernel{Name: "k", Program: p}).ForHost()
	for _, c := range []struct {
		l    device.Launch
		lim  Limits
		want string
	}{
		{device.Launch{Kernel: k, Grid: 1, Block: 65}, Limits{Threads: 64}, "launch of k: a block of 65 threads; it may have 1 to 64"},
		{device.Launch{Kernel: k, Grid: 11, Block: 1}, Limits{Blocks: 10}, "launch of k: a grid of 11 blocks; it may have 1 to 10"},
		{device.Launch{Kernel: k, Grid: 1, Block: 1, DynamicShared: 29}, Limits{Shared: 128}, "launch of k: a block takes 129 bytes of shared memory; the device has 128"},
		{device.Launch{Kernel: k, Grid: 1, Block: 1}, Limits{Local: 49}, "launch of k: a thread takes 50 bytes of local memory; the device has 49"},
		{device.Launch{Kernel: k, Grid: 1, Block: 1, Regs: -1}, Limits{}, "launch of k: -1 registers a thread"},
		{device.Launch{Kernel: (&ir.Kernel{Name: "x"}).ForHost(), Grid: 1, Block: 1}, Limits{}, "launch of ?: no kernel"},
	} {
		_, err := Bind(NewMemory(0), c.l, c.lim)
		assert.EqualError(t, err, c.want)
	}
	g, err := Bind(NewMemory(0), device.Launch{Kernel: k, Grid: 1, Block: 33, DynamicShared: 28}, Limits{Shared: 128})
	require.NoError(t, err)
	assert.Equal(t, 2, g.Warps)
}

// A simulated GPU may have more memory than this machine, so the host's memory
// limit is checked first.
func TestHostMemory(t *testing.T) {
	before := debug.SetMemoryLimit(256 << 20)
	defer debug.SetMemoryLimit(before)
	m := NewMemory(141 << 30)
	_, err := m.Alloc("x", device.F64, 1<<30)
	var e *memory.Error
	require.ErrorAs(t, err, &e)
	require.Regexp(t, `^alloc x: a buffer of 1073741824 elements of float64 on the simulated device needs 8\.0 GiB of memory, and [\d.]+ MiB are available$`, err.Error())
	require.Zero(t, m.Used())
	_, err = m.Alloc("y", device.F64, 1<<10)
	require.NoError(t, err)
}
