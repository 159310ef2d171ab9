package sim

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/bitmix"
	"github.com/weft-gpu/weft/sim/config"
)

// plainLRU is a set-associative cache written for clearness: each set lists its
// lines, the least recently used first.
type plainLRU struct {
	sets [][]uint64
	ways int
}

func (p *plainLRU) find(addr uint64) bool {
	num := addr/lineBytes + 1
	set := p.sets[bitmix.Mix(num)%uint64(len(p.sets))]
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
	set := &p.sets[bitmix.Mix(num)%uint64(len(p.sets))]
	if len(*set) == p.ways {
		*set = (*set)[1:]
	}
	*set = append(*set, num)
}

// TestL1IsLRU compares L1 with a plain cache, for numbers of ways that fill
// quads and such that do not, through invalidations and changes of size.
func TestL1IsLRU(t *testing.T) {
	for _, ways := range []int{1, 2, 3, 4, 5, 8, 11} {
		cfg := config.L1{Bytes: ways * lineBytes * 8, Ways: ways, MSHRs: 4, Unified: true}
		sms := make([]sm, 2)
		roomForL1(sms[:1], &cfg)
		one := &sms[0].l1.data[:1][0]
		roomForL1(sms, &cfg)
		require.Same(t, one, &sms[0].l1.data[:1][0], "what it has stays")
		r := rand.New(rand.NewPCG(uint64(ways), 1))
		for i := range sms {
			c := &sms[i].l1
			p := plainLRU{ways: ways}
			resize := func(shared int) {
				c.configure(&cfg, shared)
				p.sets = make([][]uint64, c.sets)
			}
			resize(0)
			require.Equal(t, uint64(8), c.sets)
			for step := range 20000 {
				addr := uint64(r.IntN(12*ways)) * lineBytes
				switch k := r.IntN(1000); {
				case k == 0:
					c.invalidate()
					clear(p.sets)
				case k == 1:
					resize(r.IntN(2) * carveOut)
				case k < 500:
					require.Equal(t, p.find(addr), c.find(addr) >= 0, "%d ways, step %d", ways, step)
				default:
					at := c.allocate(addr)
					p.allocate(addr)
					require.Equal(t, at, c.find(addr))
					require.Less(t, at, len(c.data))
					*c.valid(at) |= 1
				}
			}
		}
	}
}
