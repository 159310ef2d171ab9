package shared

import "github.com/weft-gpu/weft/sim/internal/timing"

// Stage delivers the data of passes, one after another, in the order in which they are taken. Since Volta (and on
// Kepler) L1 and shared memory are one array with one such stage, which moves 128 bytes per cycle; on Maxwell and
// Pascal each has its own. Shuffles pass through that of shared memory on all machines.
type Stage struct {
	free timing.Tick
}

// Take reserves the stage for passes that take each ticks, from tick now at the earliest, and returns when the first
// of them begins.
func (s *Stage) Take(now timing.Tick, passes int, each timing.Tick) (start timing.Tick) {
	start = max(now, s.free)
	s.free = start + timing.Tick(passes)*each
	return start
}

// Free returns the tick from which the stage is free.
func (s *Stage) Free() timing.Tick { return s.free }
