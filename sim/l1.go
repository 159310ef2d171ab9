package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/sim/config"
)

// l1 is the data cache of an SM: write-through, no allocation on stores, and
// not coherent. Its lines hold real bytes, which other SMs' stores leave stale.
type l1 struct {
	sets   uint64
	ways   uint64
	lines  []l1line
	data   [][lineBytes]byte
	use    uint32
	policy Replacement // nil: least recently used
	epoch  uint32      // lines and requests of an earlier one count as invalid
	// pending are the heads of the lists of load packets under way, by hash
	// of the line: the MSHRs.
	pending [pendingHeads]int32
	held    int // MSHRs in use
	mshrs   int
}

type l1line struct {
	tag   uint64 // line number + 1; 0 for none
	use   uint32
	epoch uint32
	valid uint8 // sectors
}

const pendingHeads = 256

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
	if n := int(c.sets * c.ways); cap(c.lines) < n {
		c.lines, c.data = make([]l1line, n), make([][lineBytes]byte, n)
	} else {
		c.lines, c.data = c.lines[:n], c.data[:n]
	}
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
	set := mix(num) % c.sets * c.ways
	for i := range c.ways {
		ln := &c.lines[set+i]
		if ln.tag == num && ln.epoch == c.epoch {
			c.use++
			ln.use = c.use
			if c.policy != nil {
				c.policy.Used(int(set/c.ways), int(i), false)
			}
			return int(set + i)
		}
	}
	return -1
}

// allocate is the index of the line at addr, which replaces the least
// recently used one of its set where it is not there yet.
func (c *l1) allocate(addr uint64) int {
	if i := c.find(addr); i >= 0 {
		return i
	}
	num := addr/lineBytes + 1
	set := mix(num) % c.sets * c.ways
	victim := c.victim(set)
	c.use++
	c.lines[victim] = l1line{tag: num, use: c.use, epoch: c.epoch}
	if c.policy != nil {
		c.policy.Used(int(set/c.ways), int(victim-set), true)
	}
	return int(victim)
}

// victim is the index of a line of the set that begins at set: an empty one,
// else the one that the policy gives up.
func (c *l1) victim(set uint64) uint64 {
	oldest := set
	for i := set; i < set+c.ways; i++ {
		ln := &c.lines[i]
		if ln.tag == 0 || ln.epoch != c.epoch {
			return i
		}
		if int32(ln.use-c.lines[oldest].use) < 0 {
			oldest = i
		}
	}
	if c.policy != nil {
		return set + uint64(c.policy.Victim(int(set/c.ways)))%c.ways
	}
	return oldest
}

// invalidate forgets every line, and lets no request under way fill one.
func (c *l1) invalidate() { c.epoch++ }

// drop invalidates sectors of the line at addr, and keeps loads under way for
// them from filling it: what they read is older than what the caller does.
func (c *l1) drop(addr uint64, sectors uint8, packets *pool[packet]) {
	if i := c.find(addr); i >= 0 {
		c.lines[i].valid &^= sectors
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

func pendingHead(addr uint64) uint64 { return mix(addr/lineBytes) % pendingHeads }

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
