package race

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// class says what an instruction does to memory that other threads may access.
type class uint8

const (
	none class = iota
	weakLoad
	weakStore
	strongLoad
	strongStore // an ordered store or an atomic
)

// flags says how a launch accesses an object: a bit for each class, and whether
// strong accesses can race with each other.
type flags uint8

const (
	hasWeakLoad flags = 1 << iota
	hasWeakStore
	hasStrongLoad
	hasStrongStore
	hasNarrow // a strong access whose scope may leave out another thread
	hasWidth4 // strong accesses of 4 and of 8 bytes
	hasWidth8
)

// tracked reports whether accesses of a class can race with others of an object
// that is accessed as f says.
func (f flags) tracked(class class, shared bool) bool {
	// Strong accesses race among each other only if a scope leaves out a thread, which block scope cannot in shared memory, or
	// if widths differ.
	amongStrong := f&hasStrongStore != 0 && (f&hasNarrow != 0 && !shared || f&(hasWidth4|hasWidth8) == hasWidth4|hasWidth8)
	switch class {
	case weakLoad:
		return f&(hasWeakStore|hasStrongStore) != 0
	// Always: two threads may run the same line, and whether they write one word is not known before.
	case weakStore:
		return true
	case strongLoad:
		return f&hasWeakStore != 0 || amongStrong
	case strongStore:
		return f&(hasWeakLoad|hasWeakStore) != 0 || amongStrong
	}
	return false
}

// plan says what to do for an instruction.
type plan struct {
	class class
	track bool // its accesses can race
	sync  bool // it is strong, and the launch has fences, releases or acquires
	reach reach
	grain uint8
	bytes uint8
	width uint8 // log2 of the bytes that are accessed as one
	// shadow is that of the buffer that the instruction accesses; nil if it is
	// shared memory or not known.
	shadow *shadow
}

// classOf returns the class of an instruction.
func classOf(in *ir.Inst) class {
	switch in.Op.Action() {
	case ir.ActCopy: // of what it does to shared memory, see Block.Copy
		return weakLoad
	case ir.ActLoad:
		if in.Mem.Order == ir.Weak {
			return weakLoad
		}
		return strongLoad
	case ir.ActStore, ir.ActBulk: // of what a copy in bulk does to shared memory, see Block.StoreBulk
		if in.Mem.Order == ir.Weak {
			return weakStore
		}
		return strongStore
	case ir.ActAtomic:
		return strongStore
	}
	return none
}

// reach is how far the scope of an access or a fence goes.
type reach uint8

const (
	inBlock reach = iota
	onGPU
	onAll // GPUs; not used for launches that run on one GPU at a time
)

// reachIn is reachOf for an access of a job. An arrival at an mbarrier of another block of the cluster has the scope of the cluster (PTX ISA,
// "mbarrier.arrive"), and so have waits here: nobody else can have arrived.
func (d *Detector) reachIn(job *job, in *ir.Inst) reach {
	if job.grid.Cluster > 1 && in.Op.IsMBarrier() {
		return onGPU
	}
	return d.reachOf(in.Mem)
}

// reachOf returns the reach of an access or fence. An atomic without a scope has
// device scope.
func (d *Detector) reachOf(m ir.Mem) reach {
	return min(level(m), d.most)
}

// level returns how far a scope goes.
func level(m ir.Mem) reach {
	switch m.Scope {
	case ir.ScopeBlock:
		return inBlock
	case ir.ScopeSystem:
		return onAll
	}
	return onGPU
}

// atOnce returns how many bytes an instruction accesses as one.
func atOnce(in *ir.Inst) int {
	if in.Op.Updates() != ir.OpInvalid { // it updates each element by itself
		return in.Mem.Kind.Bytes()
	}
	return in.Mem.Bytes()
}

func (d *Detector) flagsOf(job *job, in *ir.Inst, class class) (flags flags) {
	if class == none {
		return 0
	}
	flags = 1 << (class - 1)
	if class >= strongLoad {
		if d.reachIn(job, in) < d.most {
			flags |= hasNarrow
		}
		if atOnce(in) == 8 {
			flags |= hasWidth8
		} else {
			flags |= hasWidth4
		}
	}
	return flags
}

// target says which memory an instruction may access: a buffer, or shared memory
// or any buffer.
func target(grid *simt.Grid, in *ir.Inst) (a *simt.Allocation, shared, any bool) {
	if in.Root < 0 {
		return nil, in.Mem.Space == ir.Shared || in.Mem.Space == ir.Generic, in.Mem.Space == ir.Global || in.Mem.Space == ir.Generic
	}
	r := &grid.Roots[in.Root]
	return r.Alloc, r.Space == ir.Shared, false
}

// planAll decides for each instruction of the launches whether its accesses are
// tracked, and finds the cells of its buffer.
func (d *Detector) planAll() {
	var any flags // of accesses to a buffer that is not known
	d.sync = false
	for _, job := range d.jobs {
		job.shared = 0
		if job.grid == nil {
			d.planCopy(job.cmd)
			continue
		}
		for i := range job.grid.Prog.Code {
			in := readBy(&job.grid.Prog.Code[i])
			// Without fences, releases and acquires nothing is handed on through memory, and strong accesses need no note of
			// what they release.
			if in.Op.Action() == ir.ActFence || in.Op.Addressed() && in.Mem.Order >= ir.Acquire {
				d.sync = true
			}
			switch in.Op.Action() {
			case ir.ActCopy:
				job.shared |= hasWeakStore
			case ir.ActBulk:
				job.shared |= hasWeakLoad
			}
			flags := d.flagsOf(job, in, classOf(in))
			if flags == 0 {
				continue
			}
			buffer, shared, unknown := target(job.grid, in)
			if shared {
				job.shared |= flags
			}
			if unknown {
				any |= flags
			}
			if buffer != nil {
				d.use(buffer, flags)
			}
		}
	}
	d.unknown = any
	d.trackCopies()
	for _, job := range d.jobs {
		if job.grid == nil {
			continue
		}
		code := job.grid.Prog.Code
		if cap(job.plans) < len(code) {
			job.plans = make([]plan, len(code))
		}
		job.plans = job.plans[:len(code)]
		for i := range code {
			job.plans[i] = d.planOf(job, readBy(&code[i]))
		}
	}
}

// use records how a launch or a copy accesses a buffer.
func (d *Detector) use(a *simt.Allocation, flags flags) {
	shadow := d.shadowOf(a)
	if shadow.used != d.launch {
		shadow.used, shadow.flags = d.launch, 0
	}
	shadow.flags |= flags
}

func (d *Detector) planOf(job *job, in *ir.Inst) plan {
	class := classOf(in)
	if class == none || in.Mem.Space == ir.Local {
		return plan{}
	}
	buffer, shared, unknown := target(job.grid, in)
	if buffer == nil && !shared && !unknown {
		return plan{}
	}
	grain := uint8(bits.TrailingZeros(uint(in.Mem.Kind.Bytes())))
	plan := plan{class: class, reach: d.reachIn(job, in), grain: grain, bytes: uint8(in.Mem.Bytes()), width: uint8(bits.TrailingZeros(uint(atOnce(in))))}
	if in.Op.Halves() || in.Op.Updates().Halves() { // "Packed Data Types": an operation on two halves is one on each
		plan.grain, plan.width = 1, 1
	}
	var flags flags
	if buffer != nil {
		plan.shadow = d.shadowOf(buffer)
		flags = plan.shadow.flags | d.unknown
	}
	if shared {
		flags |= job.shared
	}
	// It may be any buffer of these launches, so that it is treated as all of them together.
	if unknown {
		for _, shadow := range d.shadows {
			if shadow.used == d.launch {
				flags |= shadow.flags
			}
		}
		flags |= d.unknown
	}
	plan.track = flags.tracked(class, shared && !unknown && job.grid.Cluster == 1)
	plan.sync = d.sync && class >= strongLoad
	return plan
}
