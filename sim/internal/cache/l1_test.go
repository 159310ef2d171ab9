package cache

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/sim/config"
)

// plainLRU is a simple set-associative cache: each set lists its lines, the least recently used first.
type plainLRU struct {
	sets  [][]uint64
	ways  int
	index index
}

func (p *plainLRU) find(addr uint64) bool {
	num := addr/lineBytes + 1
	set := p.sets[p.index.set(num-1)]
	for i, n := range set {
		if n == num {
			copy(set[i:], set[i+1:])
			set[len(set)-1] = num
			return true
		}
	}
	return false
}

func (p *plainLRU) allocate(addr uint64) {
	if p.find(addr) {
		return
	}
	num := addr/lineBytes + 1
	set := &p.sets[p.index.set(num-1)]
	if len(*set) == p.ways {
		*set = (*set)[1:]
	}
	*set = append(*set, num)
}

// TestL1IsLRU compares L1 with a simple cache, for numbers of ways that are and are not multiples of four, with
// invalidations.
func TestL1IsLRU(t *testing.T) {
	for i, ways := range []int{1, 2, 3, 4, 5, 8, 11} {
		how := []string{"linear", "xor", "hash"}[i%3]
		cfg := config.L1{Bytes: ways * lineBytes * 8, Ways: ways, MSHRs: 4, Index: how}
		caches := []*L1{{}, {}}
		Room(caches, &cfg)
		r := rand.New(rand.NewPCG(uint64(ways), 1))
		for i := range caches {
			c := caches[i]
			p := plainLRU{ways: ways}
			resize := func() {
				c.Resize(&cfg, 0)
				p.sets, p.index = make([][]uint64, c.sets), newIndex(how, c.sets)
			}
			resize()
			require.Equal(t, uint64(8), c.sets)
			for step := range 20000 {
				addr := uint64(r.IntN(12*ways)) * lineBytes
				switch k := r.IntN(1000); {
				case k == 0:
					c.Invalidate()
					clear(p.sets)
				case k == 1:
					resize()
				case k < 500:
					require.Equal(t, p.find(addr), c.Find(addr) >= 0, "%d ways, step %d", ways, step)
				default:
					at := c.Allocate(addr)
					p.allocate(addr)
					require.Equal(t, at, c.Find(addr))
					require.Less(t, at, len(c.Data))
					*c.Valid(at) |= 1
					require.Equal(t, at, c.Peek(addr))
				}
			}
		}
	}
}
