package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/base/bitmix"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/cache"
)

// l1 is the data cache of an SM: write-through, without allocation on stores, and not coherent. Its lines hold the
// actual bytes, which stores by other SMs leave stale.
type l1 struct {
	cache.L1
	*chip
	// pending are the heads of the lists of load packets in flight (the MSHRs), by hash of the line.
	pending [pendingHeads]int32
	held    int // MSHRs in use
	mshrs   int
	packets *pool[packet] // of the load-store unit
	filled  bool          // a line has been filled since all were invalidated
}

const pendingHeads = 256

// roomForL1 allocates lines for those of the caches of these SMs that have none yet, as many as they can hold.
func roomForL1(sms []sm, numbers []int32, cfg *config.L1) {
	var lines []*cache.L1
	for _, number := range numbers {
		if c := &sms[number].l1; c.Data == nil {
			lines = append(lines, &c.L1)
		}
	}
	cache.Room(lines, cfg)
}

// configure sets the size for a launch for which carveOut bytes of a unified cache are shared memory, and invalidates
// all lines.
func (c *l1) configure(cfg *config.L1, carveOut int) {
	c.mshrs = cfg.MSHRs
	if !cfg.Unified {
		carveOut = 0
	}
	c.Resize(cfg, carveOut)
}

// release frees all MSHRs, whatever they wait for.
func (c *l1) release() {
	c.held = 0
	for i := range c.pending {
		c.pending[i] = -1
	}
}

// drop invalidates sectors of the line at addr, and keeps loads in flight for them from filling it: the data that they
// read is older than the caller's access.
func (c *l1) drop(addr uint64, sectors uint8) {
	// Loads that would have hit these sectors see memory from now on. If that has other bytes, a search for a hang must not take
	// the state for one that repeats.
	if c.searching() {
		if i := c.Peek(addr); i >= 0 && c.stale(addr, *c.Valid(i)&sectors, &c.Data[i]) {
			c.progress()
		}
	}
	if i := c.Find(addr); i >= 0 {
		*c.Valid(i) &^= sectors
	}
	c.cancelFills(addr, sectors)
}

// forget invalidates all lines.
func (c *l1) forget() {
	if c.filled && c.searching() {
		c.Each(func(addr uint64, i int) {
			if c.stale(addr, *c.Valid(i), &c.Data[i]) {
				c.progress()
			}
		})
	}
	c.Invalidate()
	c.filled = false
}

// allocate allocates the line of a packet that brings data.
func (c *l1) allocate(pk *packet, data *[lineBytes]byte) int {
	i := c.Allocate(pk.line)
	c.filled = true
	if c.searching() && !pk.local {
		// Both what leaves and what comes can change what a later load of the line sees.
		gone, sectors, at := pk.line, *c.Valid(i)&pk.sectors, i
		if c.EvictedSectors != 0 {
			gone, sectors, at = c.Evicted(), c.EvictedSectors, c.EvictedAt
		}
		if c.stale(gone, sectors, &c.Data[at]) || c.stale(pk.line, pk.sectors, data) {
			c.progress()
		}
	}
	return i
}

// cancelFills keeps loads in flight for the sectors from filling the line.
func (c *l1) cancelFills(addr uint64, sectors uint8) {
	if c.held == 0 {
		return
	}
	for index := c.pending[pendingHead(addr)]; index >= 0; {
		pk := &c.packets.items[index]
		if pk.line == addr && pk.sectors&sectors != 0 {
			// The loads that wait for it still get its data: they were issued before the caller's access.
			pk.fill = false
		}
		index = pk.next
	}
}

// link inserts a load packet, which holds an MSHR from then on.
func (c *l1) link(index int32, pk *packet) {
	h := pendingHead(pk.line)
	pk.next = c.pending[h]
	c.pending[h] = index
	c.held++
}

// unlink removes a load packet.
func (c *l1) unlink(index int32) {
	pk := &c.packets.items[index]
	for at := &c.pending[pendingHead(pk.line)]; *at >= 0; at = &c.packets.items[*at].next {
		if *at == index {
			*at = pk.next
			c.held--
			return
		}
	}
}

func pendingHead(addr uint64) uint64 { return bitmix.Mix(addr/lineBytes) % pendingHeads }

// sectorLanes returns the lanes whose offset in the line lies in the sectors.
func sectorLanes(lanes uint32, off *[32]uint8, sectors uint8) uint32 {
	if sectors == 1<<sectorsPerLine-1 {
		return lanes
	}
	var out uint32
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		out |= uint32(sectors>>(off[i]/sectorBytes)&1) << i
	}
	return out
}

// cacheable reports whether L1 may serve a load; it may not if the load must see stores by other SMs.
func (c *chip) cacheable(mem *ir.Mem) bool {
	if mem.Cache == ir.CacheL2 || mem.Order != ir.Weak && mem.Scope != ir.ScopeBlock {
		// L1s are not coherent, so that only the L2 can serve what must see stores by other SMs (PTX ISA, "Cache Operators").
		return false
	}
	// Where L1 is for local memory, global loads go there if the kernel says so, or by the read-only path (Kepler Tuning Guide,
	// "L1 Cache").
	return c.cfg.L1.GlobalOn || mem.Cache == ir.CacheAll || mem.Cache == ir.CacheNonCoherent
}

// encode adds the lines, and the packets that will fill some.
func (c *l1) encode(e *encoder) {
	state := e.r
	state.Int(c.held)
	for _, p := range c.pending {
		for ; p >= 0; p = c.packets.items[p].next {
			state.Int(e.packets[packetName(c.packets.items[p].sm, p)])
		}
		// The end of each list, since the same packets in other lists are another state.
		state.Word(^uint64(0))
	}
	c.L1.Encode(state)
}
