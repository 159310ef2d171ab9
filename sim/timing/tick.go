// Package timing has the times of a simulated machine: fractions of a cycle, in which what is
// shared is reserved, and the wheel that holds what happens in later cycles.
package timing

import (
	"math"

	"github.com/weft-gpu/weft/sim/config"
)

// Tick is a time in 64ths of a cycle, in which ports, slices and units that
// take a fraction of a cycle are reserved.
type Tick uint64

// TicksPerCycle is how many ticks make a cycle.
const TicksPerCycle = config.TicksPerCycle

// Ticks converts a configured time in cycles, rounded.
func Ticks(cycles float64) Tick { return Tick(math.Round(cycles * TicksPerCycle)) }

// At is the beginning of a cycle.
func At(cycle uint64) Tick { return Tick(cycle * TicksPerCycle) }

// Cycle is the first cycle that begins not before t.
func (t Tick) Cycle() uint64 { return (uint64(t) + TicksPerCycle - 1) / TicksPerCycle }
