package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/base/bitmix"
	"github.com/weft-gpu/weft/sim/config"
)

// jitter draws the delays that vary from run to run on silicon; see config.Jitter. A machine without them has none.
type jitter struct {
	state   uint64 // of a splitmix64 generator
	max     config.Jitter
	slices  uint64
	sms     []uint64 // by SM: the delay of its blocks in this launch
	arrived []uint64 // by SM and slice: the cycle at which the last request arrives
	last    uint64   // the delay of the block that was placed last
}

// newJitter returns nil if no delay is to be drawn.
func newJitter(c *config.GPU, seed uint64) *jitter {
	if c.Jitter == (config.Jitter{}) {
		return nil
	}
	return &jitter{state: bitmix.Mix(seed + 1), max: c.Jitter, slices: uint64(c.L2.Slices),
		sms: make([]uint64, c.SM.Count), arrived: make([]uint64, c.SM.Count*c.L2.Slices)}
}

// upTo draws a number from 0 to most.
func (j *jitter) upTo(most int) uint64 {
	if most == 0 {
		return 0
	}
	j.state += 0x9E3779B97F4A7C15
	hi, _ := bits.Mul64(bitmix.Mix(j.state), uint64(most)+1)
	return hi
}

// begin draws the delay of each SM for a launch.
func (j *jitter) begin() {
	for i := range j.sms {
		j.sms[i] = j.upTo(j.max.SM)
	}
}

// start draws the delay of a block on an SM. If it joins the block before it in a cluster, it begins together with that one.
func (j *jitter) start(sm int32, joins bool) uint64 {
	if !joins {
		j.last = j.sms[sm] + j.upTo(j.max.Block)
	}
	return j.last
}

// arrival returns the cycle at which a request arrives that would arrive at t. It may overtake requests to other
// slices, but not earlier ones from its SM to its own: accesses of a thread to one address must stay in order, and a
// block's fences rely on the order of all accesses of its SM to one address; see sm.fence.
func (j *jitter) arrival(sm int32, slice, t uint64) uint64 {
	last := &j.arrived[uint64(sm)*j.slices+slice]
	*last = max(*last, t+j.upTo(j.max.Message))
	return *last
}
