package sim

import "github.com/weft-gpu/weft/internal/core/counter"

// dispatchSecond makes a warp scheduler with two dispatch units (issue.dual) issue the warp's next operation in the
// same cycle as first, which it has just issued, if its operands are available and it uses another pipe. Branches,
// barriers and similar operations issue alone, and so do two memory accesses.
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

// pairs reports whether an operation may issue together with another.
func (d *decoded) pairs() bool {
	return d.issues == 1 && (d.action == actALU || d.action == actMemory && !d.release && !d.ordered && !d.awaits)
}
