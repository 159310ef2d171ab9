package simt

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Bytes are unwritten until they are written, in pieces of any size.
func TestUnwritten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		m := NewMemory(0)
		m.Track = true
		n := 1 + r.IntN(200)
		b, err := m.Alloc("b", device.U8, n)
		require.NoError(t, err)
		a, _, err := m.Find(b)
		require.NoError(t, err)
		written := make([]bool, n)
		for left := n; left > 0; {
			require.NotNil(t, a.Unwritten())
			lo := r.IntN(n)
			hi := lo + 1 + r.IntN(n-lo)
			at, ok := a.Unwritten().First(lo, hi-lo)
			want := lo
			for want < hi && written[want] {
				want++
			}
			require.Equal(t, want < hi, ok)
			if ok {
				require.Equal(t, want, at)
			}
			a.Wrote(lo, hi-lo)
			for i := lo; i < hi; i++ {
				if !written[i] {
					left--
				}
				written[i] = true
			}
		}
		assert.Nil(t, a.Unwritten())
	}
	m := NewMemory(0)
	b, err := m.Alloc("b", device.U8, 9)
	require.NoError(t, err)
	a, _, err := m.Find(b)
	require.NoError(t, err)
	assert.Nil(t, a.Unwritten(), "nobody asked to track it")
	a.Wrote(0, 9)
}

// The lanes of an access whose buffer only the address tells may access several buffers: those in one that has not been
// written are found wherever the others are.
func TestUnwrittenAmongBuffers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	m := NewMemory(0)
	m.Track = true
	var addrs []uint64
	for i := range 9 {
		b, err := m.Alloc("b", device.U32, Lanes)
		require.NoError(t, err)
		if i%2 == 0 {
			require.NoError(t, m.Write(b, make([]uint32, Lanes)))
		}
		addrs = append(addrs, b.Addr)
	}
	w := &Warp{Grid: &Grid{Mem: m}}
	in := &ir.Inst{Op: ir.OpLoad, Root: -1, Mem: ir.Mem{Kind: ir.U32, Vec: 1, Space: ir.Global}}
	for range 10_000 {
		var row Row
		mask, want := r.Uint32()|1, uint32(0)
		if r.IntN(2) == 0 {
			mask = Full
		}
		some := 1 + r.IntN(4) // few buffers, so that lanes share bits of their addresses
		for lane := range row {
			i := 2 * r.IntN(1+len(addrs)/2)
			if r.IntN(8) == 0 {
				i = 2*r.IntN(some) + 1
			}
			row[lane] = addrs[i] + uint64(4*lane)
			if i%2 == 1 {
				want |= mask & (1 << lane)
			}
		}
		got := uint32(0)
		w.eachUnwritten(in, &row, 0, mask, func(lane int, _ *Allocation, _ int) bool {
			got |= 1 << lane
			return true
		})
		require.Equal(t, want, got, "mask %08x", mask)
	}
}
