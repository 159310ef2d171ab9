package race

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/core/simt"
)

// naive is a clock as a table: of each lane of each warp what is known.
type naive map[[2]uint32]uint32

// add adds what o says, in blocks of warpsEach warps.
func (n naive) add(o own) {
	for w := o.block; w < o.block+warpsEach; w++ {
		for l := range uint32(simt.Lanes) {
			clock := o.known
			if w == o.warp {
				clock = max(clock, o.all)
				if o.lanes>>l&1 != 0 {
					clock = max(clock, o.clock)
				}
			}
			n[[2]uint32{w, l}] = max(n[[2]uint32{w, l}], clock)
		}
	}
}

func (n naive) join(x naive) {
	for k, clock := range x {
		n[k] = max(n[k], clock)
	}
}

const (
	warpsEach  = 3
	testBlocks = 4
)

// Clocks that are added up late, or never, say the same as tables that are joined at once.
func TestClocksAgainstTables(t *testing.T) {
	searched, added := 0, 0
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := func(n int) uint32 { return uint32(r.IntN(n)) }
		var c clocks
		v, tables := []*vclock{nil}, []naive{{}}
		keep := func(x *vclock, table naive) { v, tables = append(v, x), append(tables, table) }
		recent := func() int { return len(v) - 1 - r.IntN(min(len(v), 12)) }
		for range 400 {
			switch i, j, k := recent(), recent(), recent(); n(4) {
			case 0:
				clock := c.last + n(2)
				c.last = max(c.last, clock)
				if clock == 0 {
					continue
				}
				block := n(testBlocks) * warpsEach
				o := own{block: block, known: clock * n(3) / 4, warp: block + n(warpsEach), lanes: r.Uint32() & r.Uint32(), clock: clock}
				o.all = o.known + (clock-o.known)*n(2)
				table := maps.Clone(tables[i])
				table.add(o)
				keep(c.with(v[i], o), table)
			case 1:
				var known []*vclock
				table := naive{}
				for _, m := range []int{i, j, k} {
					if v[m] != nil {
						known = append(known, v[m])
					}
					table.join(tables[m])
				}
				keep(c.union(known), table)
			default:
				table := maps.Clone(tables[i])
				table.join(tables[j])
				keep(c.join(v[i], v[j]), table)
			}
			if n(20) == 0 {
				c.add(v[len(v)-1])
			}
			if n(3) > 0 {
				continue
			}
			i, block := recent(), n(testBlocks)*warpsEach
			warp, lanes, clock := block+n(warpsEach), r.Uint32()|1, 1+n(int(c.last)+1)
			want := uint32(0)
			for l := range uint32(simt.Lanes) {
				if lanes>>l&1 != 0 && tables[i][[2]uint32{warp, l}] >= clock {
					want |= 1 << l
				}
			}
			before := v[i] != nil && v[i].sum != nil
			require.Equal(t, want, c.knows(v[i], block, warp, lanes, clock), "seed %d, clock %d", seed, i)
			switch {
			case before:
			case v[i] != nil && v[i].sum != nil:
				added++
			default:
				searched++
			}
		}
		for i := range v {
			c.add(v[i])
			for k, clock := range tables[i] {
				knows := func(clock uint32) bool {
					return v[i] != nil && v[i].sum.knows(k[0]/warpsEach*warpsEach, k[0], 1<<k[1], clock) != 0
				}
				require.True(t, clock == 0 || knows(clock), "seed %d, clock %d", seed, i)
				require.False(t, knows(clock+1), "seed %d, clock %d", seed, i)
			}
		}
	}
	assert.Positive(t, searched, "answered without a sum")
	assert.Positive(t, added, "added up")
}

// A chain of joins is added up a limited number of clocks at a time, and what it is made from is then free.
func TestLongChainsAreAddedUp(t *testing.T) {
	var c clocks
	var v *vclock
	large := 0
	for i := range uint32(20_000) {
		c.last = i + 1
		v = c.join(c.with(nil, own{block: i % 8, warp: i % 8, lanes: 1 << (i % 32), clock: i + 1}), v)
		if v.large {
			large++
		}
	}
	assert.Greater(t, large, 50)
	assert.EqualValues(t, 0, c.knows(v, 1, 1, 1<<1, 20_000), "no clock but the last can know")
	assert.EqualValues(t, 1<<1, c.knows(v, 1, 1, 1<<1, 19_900), "it is near")
	assert.Nil(t, v.sum)
	assert.EqualValues(t, 1<<1, c.knows(v, 1, 1, 1<<1|1<<2, 2), "lane 2 has nothing")
	require.NotNil(t, v.sum)
	assert.Nil(t, v.from[0])
	assert.Len(t, v.sum.blocks, 8)
}

// When all clocks in use are added up, they say what they said, and hold no others.
func TestClocksInUseAreAddedUp(t *testing.T) {
	d := New(nil)
	c := &d.clocks
	made := func() *vclock { // of a thread that is asked for below
		c.last++
		return c.join(c.with(nil, own{warp: 1, lanes: 1 << 3, clock: c.last}), c.with(nil, own{block: 8, warp: 9, all: c.last, clock: c.last}))
	}
	b := &Block{d: d, fences: made(), warps: make([]warp, 2)}
	b.named[2] = made()
	b.warps[1].split()
	l := &b.warps[1].lanes[5]
	l.vc, l.near, l.far, l.seenNear, l.seenFar = made(), made(), []*vclock{made(), made()}, made(), made()
	l.fence.vc, l.fence.told = made(), made()
	d.blocks, d.fences = []*Block{b}, []*vclock{made()}
	d.releases = append(d.releases, release{near: made(), far: made()})
	held := []*vclock{b.fences, b.named[2], l.vc, l.near, l.far[0], l.far[1], l.seenNear, l.seenFar, l.fence.vc, l.fence.told, d.fences[0], d.releases[1].near, d.releases[1].far}
	assert.False(t, c.full(1))
	c.freed = -keepLimit
	assert.True(t, c.full(1))
	d.addUp()
	assert.False(t, c.full(1))
	for i, v := range held {
		require.NotNil(t, v.sum, "%d", i)
		assert.Equal(t, [2]*vclock{}, v.from, "%d", i)
		assert.Nil(t, v.own, "%d", i)
		assert.NotZero(t, c.knows(v, 0, 1, 1<<3, 1), "%d", i)
		assert.NotZero(t, c.knows(v, 8, 9, 1, 1), "%d", i)
		assert.Zero(t, c.knows(v, 0, 1, 1<<4, 1), "%d", i)
	}
}
