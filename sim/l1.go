package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/bitmix"
	"github.com/weft-gpu/weft/internal/hugepage"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/policy"
)

// l1 is the data cache of an SM: write-through, no allocation on stores, and
// not coherent. Its lines hold real bytes, which other SMs' stores leave stale.
type l1 struct {
	sets   uint64
	ways   uint64
	quads  uint64            // l1quads of a set
	lines  []l1quad          // by set
	data   [][lineBytes]byte // four a quad
	use    uint32
	policy policy.Replacement // nil: least recently used
	epoch  uint32             // lines and requests of an earlier one count as invalid
	// pending are the heads of the lists of load packets under way, by hash
	// of the line: the MSHRs.
	pending [pendingHeads]int32
	held    int // MSHRs in use
	// What the last allocation evicted; the bytes are still at its index.
	evicted        uint64 // line number + 1
	evictedSectors uint8
	mshrs          int
}

// l1quad is four ways of a set, or as many as are left. It is as large as a
// cache line of the machine that simulates, whose misses are most of what a
// simulated access costs.
type l1quad struct {
	tag   [4]uint64 // line number + 1; 0 for none
	use   [4]uint32
	epoch uint32   // of all four
	valid [4]uint8 // sectors
	_     [8]byte
}

const pendingHeads = 256

// roomForL1 gives the caches of these SMs room for as much as they can hold,
// where they have none yet.
func roomForL1(sms []sm, cfg *config.L1) {
	n := max(cfg.Bytes/lineBytes/cfg.Ways, 1) * ((cfg.Ways + 3) / 4)
	for len(sms) > 0 && sms[0].l1.data != nil {
		sms = sms[1:]
	}
	lines, data := hugepage.Make[l1quad](n*len(sms)), hugepage.Make[[lineBytes]byte](4*n*len(sms))
	for i := range sms {
		c := &sms[i].l1
		c.lines, c.data = lines[i*n:i*n:(i+1)*n], data[4*i*n:4*i*n:4*(i+1)*n]
	}
}

// configure sets the size for a launch whose resident blocks take shared
// bytes, and forgets all lines.
func (c *l1) configure(cfg *config.L1, shared int) {
	bytes := cfg.Bytes
	if cfg.Unified {
		// The driver hands out shared memory in steps.
		bytes -= (shared + carveOut - 1) / carveOut * carveOut
	}
	c.ways = uint64(cfg.Ways)
	c.sets = uint64(max(bytes/lineBytes/cfg.Ways, 1))
	c.quads = (c.ways + 3) / 4
	n := c.sets * c.quads
	c.lines, c.data = c.lines[:n], c.data[:4*n]
	c.mshrs = cfg.MSHRs
	if c.policy != nil {
		c.policy.Reset(int(c.sets), int(c.ways))
	}
	c.invalidate()
}

// release gives all MSHRs back, whatever they wait for.
func (c *l1) release() {
	c.held = 0
	for i := range c.pending {
		c.pending[i] = -1
	}
}

// carveOut is the unit in which a unified cache gives capacity to shared memory.
const carveOut = 8 << 10

// find is the index of the line at addr, or -1.
func (c *l1) find(addr uint64) int {
	num := addr/lineBytes + 1
	return c.findIn(bitmix.Mix(num)%c.sets, num)
}

// peek is find, without a use of the line.
func (c *l1) peek(addr uint64) int {
	num := addr/lineBytes + 1
	set := bitmix.Mix(num) % c.sets
	for q := set * c.quads; q < (set+1)*c.quads; q++ {
		quad := &c.lines[q]
		for w := range quad.tag {
			if quad.epoch == c.epoch && quad.tag[w] == num {
				return int(q)*4 + w
			}
		}
	}
	return -1
}

func (c *l1) findIn(set, num uint64) int {
	for q := set * c.quads; q < (set+1)*c.quads; q++ {
		quad := &c.lines[q]
		if quad.epoch != c.epoch {
			continue
		}
		for w := range quad.tag {
			if quad.tag[w] == num {
				c.used(set, q, w, false)
				return int(q)*4 + w
			}
		}
	}
	return -1
}

// used notes a use of way w of a quad, which is new where it was just filled.
func (c *l1) used(set, q uint64, w int, filled bool) {
	c.use++
	c.lines[q].use[w] = c.use
	if c.policy != nil {
		c.policy.Used(int(set), int(q-set*c.quads)*4+w, filled)
	}
}

// allocate is the index of the line at addr, which replaces the least
// recently used one of its set where it is not there yet.
func (c *l1) allocate(addr uint64) int {
	num := addr/lineBytes + 1
	set := bitmix.Mix(num) % c.sets
	c.evictedSectors = 0
	if i := c.findIn(set, num); i >= 0 {
		return i
	}
	way := c.victim(set)
	q, w := set*c.quads+way/4, int(way%4)
	quad := &c.lines[q]
	if quad.epoch != c.epoch {
		*quad = l1quad{epoch: c.epoch}
	}
	c.evicted, c.evictedSectors = quad.tag[w], quad.valid[w]
	quad.tag[w], quad.valid[w] = num, 0
	c.used(set, q, w, true)
	return int(q)*4 + w
}

// victim is a way of the set: an empty one, else the one that the policy gives up.
func (c *l1) victim(set uint64) uint64 {
	oldest, use := uint64(0), uint32(0)
	for way := range c.ways {
		quad := &c.lines[set*c.quads+way/4]
		if quad.epoch != c.epoch || quad.tag[way%4] == 0 {
			return way
		}
		if u := quad.use[way%4]; way == 0 || int32(u-use) < 0 {
			oldest, use = way, u
		}
	}
	if c.policy != nil {
		return uint64(c.policy.Victim(int(set))) % c.ways
	}
	return oldest
}

// valid are the sectors that the line at index i holds.
func (c *l1) valid(i int) *uint8 { return &c.lines[i>>2].valid[i&3] }

// invalidate forgets every line, and lets no request under way fill one.
func (c *l1) invalidate() { c.epoch++ }

// drop invalidates sectors of the line at addr, and keeps loads under way for
// them from filling it: what they read is older than what the caller does.
func (c *l1) drop(addr uint64, sectors uint8, packets *pool[packet]) {
	if i := c.find(addr); i >= 0 {
		*c.valid(i) &^= sectors
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
