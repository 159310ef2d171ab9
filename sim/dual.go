package sim

import "github.com/weft-gpu/weft/internal/core/counter"

// dispatchSecond makes a warp scheduler with two dispatch units (issue.dual) issue the warp's next operation in the
// same cycle as first, which it has just issued, if its operands are available and it uses another pipe. Branches,
// barriers and similar operations issue alone, and so do two memory accesses.
func (s *subcore) dispatchSecond(wp *warp, first *decoded) {
	if wp.state != warpReady || wp.awaits || !first.pairs() {
		return
	}
	inst := &wp.job.code[wp.w.PC]
	if !inst.pairs() || inst.action == first.action && (inst.action == actMemory || inst.pipe == first.pipe) {
		return
	}
	if t, _ := wp.board.earliest(inst, s.sm.now, counter.StallWait); t > s.sm.now {
		return
	}
	if free, _ := s.pipeFree(inst); free > s.sm.now {
		return
	}
	s.sm.stats.Dual++
	s.execute(wp, inst)
}

// pairs reports whether an operation may issue together with another.
func (d *decoded) pairs() bool {
	return d.issues == 1 && (d.action == actALU || d.action == actMemory && !d.release && !d.awaits)
}
