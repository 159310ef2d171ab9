package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/sim/config"
)

// atomicUnit performs the read-modify-writes of an L2 slice. A step serves the
// lanes of one sector whose addresses differ; lanes on one address take a step
// each. The unit keeps the line it worked on last: while it stays there,
// returning results costs nothing extra.
type atomicUnit struct {
	free    tick
	line    uint64 // line number + 1 of the last operation
	step    tick
	result  tick
	latency uint64
	busy    tick       // in all
	custom  AtomicUnit // nil: this one
}

func newAtomicUnit(c *config.Atomic) atomicUnit {
	return atomicUnit{step: ticks(c.Step), result: ticks(c.Result), latency: uint64(c.Latency)}
}

// serve lets the unit perform the lanes of a warp on a line; see perform.
func (u *atomicUnit) serve(line uint64, steps, lanes int, result bool, t uint64) uint64 {
	if u.custom == nil {
		return u.perform(line, steps, result, t)
	}
	done := max(t, u.custom.Perform(AtomicRequest{Cycle: t, Line: line, Lanes: lanes, Steps: steps, Result: result}))
	u.free = max(u.free, at(done))
	u.busy += at(done - t)
	return done
}

// perform reserves the unit for a number of steps on a line whose operands are
// there at cycle t, and returns the cycle at which the result is known.
func (u *atomicUnit) perform(line uint64, steps int, result bool, t uint64) uint64 {
	each := u.step
	if result && u.line != line+1 {
		each += u.result
	}
	u.line = line + 1
	start := max(at(t), u.free)
	u.free = start + tick(steps)*each
	u.busy += tick(steps) * each
	// The first step is part of the latency.
	return (start + tick(steps-1)*each).cycle() + u.latency
}

// atomicSteps counts the steps of lanes at byte offsets off of a line: for
// each sector the number of lanes on its most wanted address.
func atomicSteps(lanes uint32, off *[32]uint8) int {
	var count [lineBytes / 4]uint8
	var most [sectorsPerLine]uint8
	for m := lanes; m != 0; m &= m - 1 {
		o := off[bits.TrailingZeros32(m)]
		count[o/4]++
		s := o / sectorBytes
		most[s] = max(most[s], count[o/4])
	}
	n := 0
	for _, c := range most {
		n += int(c)
	}
	return n
}
