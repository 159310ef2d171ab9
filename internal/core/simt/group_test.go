package simt

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// GPUs of a group have one range of addresses, and capacities of their own.
func TestMemoriesShareAddresses(t *testing.T) {
	ms := NewMemories(1000, 1000)
	a, onA := alloc(t, ms[0], device.U8, 600)
	b, onB := alloc(t, ms[1], device.U8, 600)
	assert.NotEqual(t, onA.Addr, onB.Addr)
	assert.Equal(t, a.Phys, b.Phys, "each GPU places buffers in its own memory")
	seen, off := ms[0].Lookup(onB.Addr + 7)
	assert.Same(t, b, seen)
	assert.Equal(t, 7, off)
	for _, m := range ms {
		gpu, err := m.Where(onB.Slice(10, 20))
		require.NoError(t, err)
		assert.Equal(t, 1, gpu)
	}
	assert.EqualValues(t, 600, ms[1].Used())
	assert.EqualValues(t, 1200, ms[1].UsedByAll())
	_, err := ms[0].Alloc("more", device.U8, 401)
	assert.EqualError(t, err, "alloc more: out of memory: 401 elements of uint8 (401 bytes) where 400 of 1000 bytes are free")

	host := make([]uint8, 600)
	assert.EqualError(t, ms[0].Write(onB, host), "write: buffer b is on GPU 1, not on GPU 0")
	assert.EqualError(t, ms[0].Read(onB, host), "read: buffer b is on GPU 1, not on GPU 0")
	assert.EqualError(t, ms[0].Free(onB), "free: buffer b is on GPU 1, not on GPU 0")
	require.NoError(t, ms[1].Free(onB))
	_, err = ms[0].Where(onB)
	assert.EqualError(t, err, "buffer b was freed")
	_, err = NewMemory(0).Where(onA)
	assert.EqualError(t, err, "buffer b is not of this device")
	var names []int
	ms[1].Each(func(a *Allocation) { names = append(names, a.GPU) })
	assert.Equal(t, []int{0}, names)
	ms[1].Close(nil)
	assert.True(t, ms[0].Closed())
	assert.Zero(t, ms[0].Used())
}

// A copy brings to the destination which bytes have not been written.
func TestCopyTakesUnwritten(t *testing.T) {
	ms := NewMemories(0, 0)
	ms[0].Track, ms[1].Track = true, true
	src, onA := alloc(t, ms[0], device.U32, 100)
	dst, onB := alloc(t, ms[1], device.U32, 200)
	ones := make([]uint32, 200)
	for i := range ones {
		ones[i] = 1
	}
	require.NoError(t, ms[0].Write(onA.Slice(20, 50), ones[:30]))
	require.NoError(t, ms[1].Write(onB, ones))
	require.Zero(t, dst.Unwritten().Left())
	require.NoError(t, ms[0].Copy(device.Copy{Dst: onB.Slice(3, 63), Src: onA.Slice(10, 70)}))
	written := func(a *Allocation, i int) bool { return !a.Unwritten().Meets(uint64(4*i), 4) }
	for i := range 200 {
		from := i - 3 + 10
		assert.Equal(t, i < 3 || i >= 63 || from >= 20 && from < 50, written(dst, i), i)
	}
	assert.Equal(t, 4*30, dst.Unwritten().Left())
	assert.EqualValues(t, 240, ms[0].Copied.ToPeers)
	assert.EqualValues(t, 240, ms[1].Copied.FromPeers)
	require.NoError(t, ms[0].Write(onA, ones[:100]))
	require.NoError(t, ms[1].Copy(device.Copy{Dst: onB.Slice(0, 100), Src: onA}))
	assert.Nil(t, dst.Unwritten())
	got := make([]uint32, 200)
	require.NoError(t, ms[1].Read(onB, got))
	assert.Equal(t, ones, got)
	assert.Nil(t, src.Unwritten())

	part := func(lo, hi int) device.Buffer { return onA.Slice(lo, hi) }
	assert.EqualError(t, ms[0].Copy(device.Copy{Dst: part(0, 50), Src: part(49, 99)}), "copy of b to b: they overlap")
	assert.EqualError(t, ms[0].Copy(device.Copy{Dst: part(0, 50), Src: part(50, 99)}), "copy of b to b: 49 elements to 50; use Buffer.Slice for a part")
	require.NoError(t, ms[0].Free(onA))
	assert.EqualError(t, ms[1].Copy(device.Copy{Dst: onB.Slice(0, 100), Src: onA}), "copy from b: buffer b was freed")
}
