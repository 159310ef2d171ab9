package sim

import "github.com/weft-gpu/weft/internal/counter"

// dispatchSecond lets a warp scheduler with two dispatch units (issue.dual) send the
// warp's next operation in the same cycle as first, which it has just issued:
// where it needs nothing that is not there, and another pipe. Branches,
// barriers and the like go alone, and so do two accesses to memory.
func (m *machine) dispatchSecond(s *subcore, wp *warp, first *decoded) {
	if wp.state != warpReady || wp.awaits || !first.pairs() {
		return
	}
	d := &wp.job.code[wp.w.PC]
	if !d.pairs() || d.action == first.action && (d.action == actMemory || d.pipe == first.pipe) {
		return
	}
	if t, _ := wp.board.earliest(d, m.now, counter.StallWait); t > m.now {
		return
	}
	if free, _ := m.pipeFree(s, d); free > m.now {
		return
	}
	m.stats.Dual++
	m.execute(s, wp, d)
}

// pairs reports an operation that may issue together with another.
func (d *decoded) pairs() bool {
	return d.issues == 1 && (d.action == actALU || d.action == actMemory && !d.release && !d.ordered && !d.awaits)
}
