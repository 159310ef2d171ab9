package sim

import (
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/shared"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// chip is what the parts of a GPU have in common: the parameters, the clock with what is to come, the launches that run,
// and those outside that are told of what happens. A part reaches its neighbours by what the chip says and by events.
type chip struct {
	cfg    *config.GPU // with all times in SM cycles
	gpu    int         // number in the group; 0 outside one
	its    bool        // independent thread scheduling
	strict bool        // see Options.Strict
	now    uint64
	first  int32    // sub-core of the first bit of active
	active []uint64 // one bit per sub-core: it has a warp that may issue
	awake  int      // sub-cores with such a bit
	run    *running // the current launch, or the last one
	hooks  *hooks   // nil: nothing is attached
	search search
	// alone: the SM of this chip runs by itself in a window, and keeps notes of what others will have to know; see windows.
	alone  bool
	broken bool // an SM has failed in this window
	// arrivals are those of the window, of which the SM of this chip may have to wait for some; nil before there was one.
	arrivals *arrivals
	// livelock is the search for a recurrence of the whole state; nil: it has not begun.
	livelock *livelock
	// memory is told what changes in global memory; nil: nobody asks.
	memory *repeat.Memory

	addrs simt.Row     // of the instruction being issued
	banks shared.Banks // what the passes of an access to shared memory are counted with

	wheel timing.Wheel
}

// at schedules e for cycle t, but at the earliest for the next cycle.
func (c *chip) at(t uint64, e event) { c.wheel.At(max(t, c.now+1), e) }

// next returns the next cycle in which something can happen.
func (c *chip) next() (uint64, bool) {
	if c.awake > 0 {
		return c.now + 1, true
	}
	return c.wheel.Next()
}

// awaken makes a sub-core look for a warp to issue, from this cycle on.
func (c *chip) awaken(sub int32) {
	sub -= c.first
	if word, bit := &c.active[sub>>6], uint64(1)<<(sub&63); *word&bit == 0 {
		*word |= bit
		c.awake++
	}
}

// rest keeps a sub-core from looking for a warp.
func (c *chip) rest(sub int32) {
	sub -= c.first
	if word, bit := &c.active[sub>>6], uint64(1)<<(sub&63); *word&bit != 0 {
		*word &^= bit
		c.awake--
	}
}

// allRest makes all sub-cores rest.
func (c *chip) allRest() {
	clear(c.active)
	c.awake = 0
}

// fail ends the launch with an error.
func (c *chip) fail(err error) {
	if c.run.err == nil {
		c.run.err = err
	}
	c.run.over = true
}

// nanoseconds returns the value of GlobalTimer.
func (c *chip) nanoseconds() uint64 {
	return uint64(float64(c.now) * 1e3 / c.cfg.Clock.SM)
}

// share notes that the state of the GPU alone no longer says what it does next.
func (c *chip) share() {
	if r := c.run; !r.shares {
		r.shares, c.livelock, c.memory = true, nil, nil
	}
}

// physical returns the physical address of a packet's line, and the number of the GPU that has it.
func (c *chip) physical(pk *packet) (phys uint64, gpu int) {
	if pk.local {
		return localPhys + pk.line&^ir.LocalWindow, c.gpu
	}
	a, off := c.run.grid.Mem.Lookup(pk.line)
	return a.Phys + uint64(off), a.GPU
}

// bytes returns the data of a packet's allocation and the offset of its line in it.
func (c *chip) bytes(pk *packet) (data []byte, off int) {
	if pk.local {
		return nil, 0
	}
	a, off := c.run.grid.Mem.Lookup(pk.line)
	return a.Data, off
}

// searching reports whether hang detection is active.
func (c *chip) searching() bool { return c.search.phase != 0 }

// localPhys is above every physical address that a buffer can have.
const localPhys = 1 << 46
