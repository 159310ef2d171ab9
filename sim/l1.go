package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/bitmix"
	"github.com/weft-gpu/weft/sim/cache"
	"github.com/weft-gpu/weft/sim/config"
)

// l1 is the data cache of an SM: write-through, no allocation on stores, and
// not coherent. Its lines hold real bytes, which other SMs' stores leave stale.
type l1 struct {
	cache.L1
	// pending are the heads of the lists of load packets under way, by hash
	// of the line: the MSHRs.
	pending [pendingHeads]int32
	held    int // MSHRs in use
	mshrs   int
}

const pendingHeads = 256

// roomForL1 gives the caches of these SMs room for as much as they can hold,
// where they have none yet.
func roomForL1(sms []sm, cfg *config.L1) {
	for len(sms) > 0 && sms[0].l1.Data != nil {
		sms = sms[1:]
	}
	lines := make([]*cache.L1, len(sms))
	for i := range sms {
		lines[i] = &sms[i].l1.L1
	}
	cache.Room(lines, cfg)
}

// configure sets the size for a launch whose resident blocks take shared
// bytes, and forgets all lines.
func (c *l1) configure(cfg *config.L1, shared int) {
	c.mshrs = cfg.MSHRs
	c.Resize(cfg, shared)
}

// release gives all MSHRs back, whatever they wait for.
func (c *l1) release() {
	c.held = 0
	for i := range c.pending {
		c.pending[i] = -1
	}
}

// drop invalidates sectors of the line at addr, and keeps loads under way for
// them from filling it: what they read is older than what the caller does.
func (c *l1) drop(addr uint64, sectors uint8, packets *pool[packet]) {
	if i := c.Find(addr); i >= 0 {
		*c.Valid(i) &^= sectors
	}
	c.forget(addr, sectors, packets)
}

// forget lets no load under way for the sectors fill the line.
func (c *l1) forget(addr uint64, sectors uint8, packets *pool[packet]) {
	if c.held == 0 {
		return
	}
	for p := c.pending[pendingHead(addr)]; p >= 0; {
		pk := &packets.items[p]
		if pk.line == addr && pk.sectors&sectors != 0 {
			pk.fill = false
		}
		p = pk.next
	}
}

// link enters a load packet, which holds an MSHR from now on.
func (c *l1) link(p int32, pk *packet) {
	h := pendingHead(pk.line)
	pk.next = c.pending[h]
	c.pending[h] = p
	c.held++
}

// unlink takes a load packet out.
func (c *l1) unlink(p int32, packets *pool[packet]) {
	pk := &packets.items[p]
	for at := &c.pending[pendingHead(pk.line)]; *at >= 0; at = &packets.items[*at].next {
		if *at == p {
			*at = pk.next
			c.held--
			return
		}
	}
}

func pendingHead(addr uint64) uint64 { return bitmix.Mix(addr/lineBytes) % pendingHeads }

// sectorLanes are the lanes whose offset in the line lies in the sectors.
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
