package cache

import (
	"github.com/weft-gpu/weft/internal/base/hugepage"
	"github.com/weft-gpu/weft/internal/base/prefetch"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/policy"
)

const (
	lineBytes   = config.LineBytes
	sectorBytes = config.SectorBytes

	sectorsPerLine = lineBytes / sectorBytes
)

// L1 holds the lines of an SM's cache, with their bytes. A line is identified by the address of its first byte, and
// stored at an index. The sets are those of the whole array, which the cache shares with shared memory: what it gives
// away reduces the number of lines that it can hold at a time, and not the number of sets.
type L1 struct {
	index  index
	sets   uint64
	ways   uint64
	quads  uint64 // quads per set
	room   uint64 // lines that it can hold
	held   uint64 // lines that it holds
	hand   uint64 // set from which the last line was taken for an empty set
	lines  []quad // by set
	use    uint32
	Data   [][lineBytes]byte  // by index; four per quad
	Policy policy.Replacement // nil: least recently used
	Epoch  uint32             // lines and requests of earlier epochs are invalid
	// The line that the last allocation evicted: its address and valid sectors (0 if nothing was evicted). Its bytes
	// are still stored at its index.
	evicted        uint64 // line number + 1
	EvictedSectors uint8
	EvictedAt      int
}

// quad is four ways of a set, or the remaining ones. It fills one cache line of the host, whose misses are most of the
// cost of a simulated access.
type quad struct {
	tag   [4]uint64 // line number + 1; 0 for none
	use   [4]uint32
	epoch uint32   // of all four
	valid [4]uint8 // sectors
	_     [8]byte
}

// Room allocates, for each cache, as many lines as it can hold, contiguously.
func Room(caches []*L1, cfg *config.L1) {
	n := max(cfg.Bytes/lineBytes/cfg.Ways, 1) * ((cfg.Ways + 3) / 4)
	lines, data := hugepage.Make[quad](n*len(caches)), hugepage.Make[[lineBytes]byte](4*n*len(caches))
	for i := range caches {
		c := caches[i]
		c.lines, c.Data = lines[i*n:i*n:(i+1)*n], data[4*i*n:4*i*n:4*(i+1)*n]
	}
}

// Resize sets the size for a launch whose resident blocks use shared bytes, and invalidates all lines.
func (c *L1) Resize(cfg *config.L1, shared int) {
	c.ways = uint64(cfg.Ways)
	c.sets = uint64(max(cfg.Bytes/lineBytes/cfg.Ways, 1))
	c.index = newIndex(cfg.Index, c.sets)
	c.room = uint64(max((cfg.Bytes-shared-cfg.Reserve)/lineBytes, 1))
	c.quads = (c.ways + 3) / 4
	n := c.sets * c.quads
	c.lines, c.Data = c.lines[:n], c.Data[:4*n]
	if c.Policy != nil {
		c.Policy.Reset(int(c.sets), int(c.ways))
	}
	c.Invalidate()
}

// Find returns the index of the line at addr, or -1. It counts as a use of the line.
func (c *L1) Find(addr uint64) int {
	num := addr/lineBytes + 1
	return c.findIn(c.index.set(num-1), num)
}

// Prefetch asks the host's memory for the set of the line at addr.
func (c *L1) Prefetch(addr uint64) {
	prefetch.Value(&c.lines[c.index.set(addr/lineBytes)*c.quads])
}

// Peek is Find without a use of the line.
func (c *L1) Peek(addr uint64) int {
	num := addr/lineBytes + 1
	set := c.index.set(num - 1)
	for q := set * c.quads; q < (set+1)*c.quads; q++ {
		four := &c.lines[q]
		for w := range four.tag {
			if four.epoch == c.Epoch && four.tag[w] == num {
				return int(q)*4 + w
			}
		}
	}
	return -1
}

func (c *L1) findIn(set, num uint64) int {
	for q := set * c.quads; q < (set+1)*c.quads; q++ {
		four := &c.lines[q]
		if four.epoch != c.Epoch {
			continue
		}
		for w := range four.tag {
			if four.tag[w] == num {
				c.used(set, q, w, false)
				return int(q)*4 + w
			}
		}
	}
	return -1
}

// used records a use of way w of a quad; filled says that the line has just been filled.
func (c *L1) used(set, q uint64, w int, filled bool) {
	c.use++
	c.lines[q].use[w] = c.use
	if c.Policy != nil {
		c.Policy.Used(int(set), int(q-set*c.quads)*4+w, filled)
	}
}

// Allocate returns the index of the line at addr. If the line is not present, it evicts a line of the set if
// necessary.
func (c *L1) Allocate(addr uint64) int {
	num := addr/lineBytes + 1
	set := c.index.set(num - 1)
	c.EvictedSectors = 0
	if i := c.findIn(set, num); i >= 0 {
		return i
	}
	way := c.victim(set)
	q, w := set*c.quads+way/4, int(way%4)
	four := &c.lines[q]
	// An invalidation only counts the epoch up: lines of earlier ones are gone, and cleared where they are in the way.
	if four.epoch != c.Epoch {
		*four = quad{epoch: c.Epoch}
	}
	if c.evicted, c.EvictedSectors, c.EvictedAt = four.tag[w], four.valid[w], int(q)*4+w; c.evicted == 0 {
		c.held++
		// A way was empty, but shared memory has a part of the array: another set gives a line up.
		if c.held > c.room {
			c.takeFromNext(set)
		}
	}
	four.tag[w], four.valid[w] = num, 0
	c.used(set, q, w, true)
	return int(q)*4 + w
}

// victim returns a way of the set: an empty one if there is room for another line, else the one that the policy selects.
// If the set holds no line to evict, it is an empty one.
func (c *L1) victim(set uint64) uint64 {
	oldest, use, empty := c.ways, uint32(0), c.ways
	for way := range c.ways {
		four := &c.lines[set*c.quads+way/4]
		if four.epoch != c.Epoch || four.tag[way%4] == 0 {
			empty = min(empty, way)
			continue
		}
		// By difference, as the counter of uses wraps around.
		if u := four.use[way%4]; oldest == c.ways || int32(u-use) < 0 {
			oldest, use = way, u
		}
	}
	switch {
	case empty < c.ways && (c.held < c.room || oldest == c.ways):
		return empty
	case c.Policy != nil && empty == c.ways:
		return uint64(c.Policy.Victim(int(set)))
	}
	return oldest // policies choose among the lines of a full set only
}

// takeFromNext evicts the least recently used line of the next set that has one, for a line of an empty set.
func (c *L1) takeFromNext(but uint64) {
	for {
		if c.hand++; c.hand >= c.sets {
			c.hand = 0
		}
		if c.hand == but {
			continue
		}
		oldest, use := -1, uint32(0)
		for way := range int(c.ways) {
			four := &c.lines[c.hand*c.quads+uint64(way)/4]
			if four.epoch == c.Epoch && four.tag[way%4] != 0 && (oldest < 0 || int32(four.use[way%4]-use) < 0) {
				oldest, use = way, four.use[way%4]
			}
		}
		if oldest >= 0 {
			four := &c.lines[c.hand*c.quads+uint64(oldest)/4]
			c.evicted, c.EvictedSectors = four.tag[oldest%4], four.valid[oldest%4]
			c.EvictedAt = int(c.hand*c.quads)*4 + oldest
			four.tag[oldest%4], four.valid[oldest%4] = 0, 0
			c.held--
			return
		}
	}
}

// Valid returns the sectors that the line at index i holds.
func (c *L1) Valid(i int) *uint8 { return &c.lines[i>>2].valid[i&3] }

// Invalidate invalidates every line, and keeps requests in flight from filling lines.
func (c *L1) Invalidate() { c.Epoch, c.held, c.hand = c.Epoch+1, 0, 0 }

// Sets returns the number of sets.
func (c *L1) Sets() int { return int(c.sets) }

// Evicted returns the address of the line that the last allocation evicted.
func (c *L1) Evicted() uint64 { return (c.evicted - 1) * lineBytes }

// Each visits all valid lines, with their addresses and indices.
func (c *L1) Each(visit func(addr uint64, i int)) {
	for q := range c.lines {
		if c.lines[q].epoch != c.Epoch {
			continue
		}
		for w, num := range c.lines[q].tag {
			if num != 0 {
				visit((num-1)*lineBytes, 4*q+w)
			}
		}
	}
}
