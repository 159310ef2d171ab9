package timing

import (
	"math"

	"github.com/weft-gpu/weft/sim/config"
)

// Tick is a time in 64ths of a cycle, the resolution with which ports, slices and units are reserved.
type Tick uint64

// TicksPerCycle is the number of ticks per cycle.
const TicksPerCycle = config.TicksPerCycle

// Ticks converts a time in cycles to ticks, rounded.
func Ticks(cycles float64) Tick { return Tick(math.Round(cycles * TicksPerCycle)) }

// At returns the beginning of a cycle.
func At(cycle uint64) Tick { return Tick(cycle * TicksPerCycle) }

// Cycle returns the first cycle that begins at t or later.
func (t Tick) Cycle() uint64 { return (uint64(t) + TicksPerCycle - 1) / TicksPerCycle }
