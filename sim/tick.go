package sim

import (
	"math"

	"github.com/weft-gpu/weft/sim/config"
)

// tick is a time in 64ths of a cycle, in which ports, slices and units that
// take a fraction of a cycle are reserved.
type tick uint64

const ticksPerCycle = config.TicksPerCycle

// ticks converts a configured time.
func ticks(cycles float64) tick { return tick(math.Round(cycles * ticksPerCycle)) }

// at is the beginning of a cycle.
func at(cycle uint64) tick { return tick(cycle * ticksPerCycle) }

// cycle is the first cycle that begins not before t.
func (t tick) cycle() uint64 { return (uint64(t) + ticksPerCycle - 1) / ticksPerCycle }
