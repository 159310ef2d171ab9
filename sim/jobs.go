package sim

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/repeat"
	"github.com/weft-gpu/weft/internal/simt"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/observe"
	"github.com/weft-gpu/weft/sim/internal/occupancy"
)

// program is a kernel prepared for a machine.
type program struct {
	code []decoded
	flow *repeat.Flow
}

// job is one of the launches that run concurrently.
type job struct {
	grid *simt.Grid
	program
	occ    device.Occupancy
	stream int
	next   int // first block that has not been placed
	done   int // blocks that have ended
	start  uint64
	end    uint64
	insts  uint64 // warp instructions
	prof   *observe.Run
	order  *blockOrder // nil: by number

	perBlock     int // bytes of shared memory per block
	regsPerBlock int
}

// size computes the resources of an SM that a block of the job uses.
func (j *job) size(c *config.SM) {
	j.perBlock = occupancy.Shared(c, j.occ.Shared)
	j.regsPerBlock = occupancy.Registers(c, j.occ.Regs, j.grid.Warps)
}

// usage is what the resident blocks of an SM use.
type usage struct{ warps, regs, shared int }

// take accounts for n blocks of a job that are placed on an SM, or that leave it if n is negative.
func (s *sm) take(j *job, n int) {
	s.used.warps += n * j.grid.Warps
	s.used.regs += n * j.regsPerBlock
	s.used.shared += n * j.perBlock
}

// fits returns how many more blocks of a job fit on an SM beside those of other jobs.
func (s *sm) fits(c *config.SM, j *job) int {
	n := min(c.Blocks-s.resident, j.occ.BlocksPerSM)
	n = min(n, (min(c.Warps, c.Threads/simt.Lanes)-s.used.warps)/j.grid.Warps)
	n = min(n, (c.Registers-s.used.regs)/j.regsPerBlock)
	if j.perBlock > 0 {
		n = min(n, (c.SharedBytes-s.used.shared)/j.perBlock)
	}
	return max(n, 0)
}

// waiting reports whether a job that may start has blocks that have not been placed.
func (r *running) waiting() bool {
	for _, j := range r.jobs {
		if j.next < j.grid.Blocks && r.mayStart(j) {
			return true
		}
	}
	return false
}

// mayStart reports whether the earlier jobs of the job's stream have ended.
func (r *running) mayStart(j *job) bool {
	for _, e := range r.jobs {
		if e == j {
			break
		}
		if e.stream == j.stream && e.done < e.grid.Blocks {
			return false
		}
	}
	return true
}

// roomAmong returns the SM for the next block of one of several jobs, or nil if none has room.
func (m *machine) roomAmong(j *job) *sm {
	r := m.run
	r.placing = j
	any := false
	for range m.sms {
		s := &m.sms[r.turn]
		if s.fits(&m.cfg.SM, j) > 0 {
			if m.policy != nil {
				any = true
				break
			}
			if m.cfg.Launch.Order == "breadth" {
				m.turn()
			}
			return s
		}
		m.turn()
	}
	if any {
		return m.chosen()
	}
	return nil
}
