package cache

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/sim/config"
)

// TestL2IsLRU compares each slice of an L2 with a simple cache.
func TestL2IsLRU(t *testing.T) {
	const slices, sets = 3, 8
	for _, ways := range []int{1, 3, 16} {
		l := NewL2(&config.L2{Bytes: slices * sets * ways * lineBytes, Ways: ways, Slices: slices, Index: "hash"})
		plain := make([]plainLRU, slices)
		for i := range plain {
			plain[i] = plainLRU{sets: make([][]uint64, sets), ways: ways, index: l.index}
		}
		r := rand.New(rand.NewPCG(uint64(ways), 2))
		for step := range 20000 {
			s, addr := uint64(r.IntN(slices)), uint64(1+r.IntN(12*ways))*lineBytes
			set := l.Set(addr / lineBytes)
			there := plain[s].find(addr)
			ln := l.Find(s, set, addr)
			require.Equal(t, there, ln != nil, "%d ways, step %d", ways, step)
			if !there {
				plain[s].allocate(addr)
				var gone Line
				if ln, gone = l.Replace(s, set, addr); gone.Valid != 0 {
					require.Nil(t, l.Find(s, set, gone.Addr()))
				}
				require.Equal(t, Line{num: addr / lineBytes, at: ln.at}, *ln, "nothing is left of what was there")
			}
			require.Equal(t, addr, ln.Addr())
			ln.Valid, ln.Dirty = 1, 1
			l.Use(ln)
		}
	}
}
