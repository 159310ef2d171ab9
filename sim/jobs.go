package sim

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/observe"
	"github.com/weft-gpu/weft/sim/internal/occupancy"
	"github.com/weft-gpu/weft/sim/internal/sample"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// program is a kernel prepared for a machine.
type program struct {
	code []decoded
	flow *repeat.Flow
	// clusters: it has instructions for clusters.
	clusters bool
	// copies says that it has asynchronous copies, or waits for them, and stores that some are to global memory in bulk.
	copies, stores bool
}

// job is one of the launches that run concurrently.
type job struct {
	grid *simt.Grid
	program
	occ    device.Occupancy
	stream int
	next   int    // first block that has not been placed
	done   int    // blocks that have ended
	put    uint64 // cycle at which it was put on the machine
	start  uint64 // cycle of its first block
	end    uint64 // cycle at which its last block had ended
	insts  uint64 // warp instructions
	prof   *observe.Run
	order  *blockOrder // nil: by number
	pieces *pieces     // nil: all blocks are simulated
	// stretches are what is not simulated of the work of all blocks; nil for nothing.
	stretches *stretches

	perBlock     int // bytes of shared memory per block
	regsPerBlock int
}

// partial says what was not simulated of a launch.
type partial interface {
	skipped() bool          // something
	waits() bool            // its warps were seen to wait for each other, so that their work depends on time
	longest() float64       // instructions of the longest warp that was not simulated
	known() *sample.Stratum // what was measured, and how much was not
	// settle adds to the counters what it would have counted, and returns by how many cycles the launch is longer; port and unit are
	// for how long the busiest port and unit for atomics of the launch were busy.
	settle(m *machine, port, unit timing.Tick) (cycles uint64)
}

// partial returns what is not simulated of the launch; nil for nothing.
func (j *job) partial() partial {
	switch {
	case j.pieces != nil:
		return j.pieces
	case j.stretches != nil:
		return j.stretches
	}
	return nil
}

// reach returns how many of so many SMs the blocks of the job may be on, from the first one on.
func (j *job) reach(sms int) int {
	if j.grid.Cluster > 1 {
		return sms // clusters go to one group of SMs after the other
	}
	return j.grid.Blocks
}

// size computes the resources of an SM that a block of the job uses.
func (j *job) size(c *config.SM) {
	j.perBlock = occupancy.Shared(c, j.occ.Shared)
	j.regsPerBlock = occupancy.Registers(c, j.occ.Regs, j.grid.Warps)
}

// carveOut returns how much of a unified cache is shared memory while the job runs alone.
func (j *job) carveOut(c *config.GPU) int {
	return occupancy.CarveOut(c, j.grid.Threads, j.occ.BlocksPerSM, j.occ.Shared)
}
