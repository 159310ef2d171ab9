package simt

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
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
