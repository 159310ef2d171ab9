package sim

import (
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/internal/core/simt"
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
	next   int    // first block that has not been placed
	done   int    // blocks that have ended
	put    uint64 // cycle at which it was put on the machine
	start  uint64 // cycle of its first block
	end    uint64 // cycle at which its last block had ended
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

// carveOut returns how much of a unified cache is shared memory while the job runs alone.
func (j *job) carveOut(c *config.GPU) int {
	return occupancy.CarveOut(c, j.grid.Threads, j.occ.BlocksPerSM, j.occ.Shared)
}

// admit adds a launch to those on the machine; its blocks are placed from cycle t on. It does not see older bytes in any
// L1, whose size stays as it is while blocks of others are resident.
func (m *machine) admit(add *job, t uint64) {
	r, c := m.run, &m.cfg.SM
	for i := range m.sms {
		m.invalidateL1(&m.sms[i])
	}
	add.size(c)
	add.put = m.now
	r.count++
	r.left++
	r.jobs = append(r.jobs, add)
	slots, blocks := 0, 0
	for _, j := range r.jobs {
		slots, blocks = slots+j.occ.BlocksPerSM, blocks+j.grid.Blocks
	}
	for i := range m.roomFor(blocks, slots) {
		if s := &m.sms[i]; s.l1.Sets() == 0 {
			s.l1.configure(&m.cfg.L1, add.carveOut(m.cfg))
		}
	}
	r.localStride = max(r.localStride, localStride(add.grid))
	m.progress()
	m.callDispatch(t)
}

// unfinished returns the first launch that has not ended, or the first one if all have.
func (r *running) unfinished() *job {
	for _, j := range r.jobs {
		if j.done < j.grid.Blocks {
			return j
		}
	}
	return &r.job
}

// remove takes a launch that has ended from the list of those on the machine.
func (r *running) remove(j *job) {
	r.jobs = slices.DeleteFunc(r.jobs, func(other *job) bool { return other == j })
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
