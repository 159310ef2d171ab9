package observe

import "github.com/weft-gpu/weft/sim/profile"

// Target is what an atomic accesses.
type Target struct {
	Space    profile.Space
	Name     string
	ElemSize int
	Single   bool // not an array
	ID       int  // the allocation, for a global buffer
}

// GlobalAtomics records the operations of some lanes of the instruction at pc on the address at byte off of a buffer. They arrive at
// tick now, and an atomic unit works on them from tick start, for step ticks each.
func (r *Run) GlobalAtomics(pc int32, to Target, off, lanes int, now, start, step uint64) {
	into := r.p
	for len(into.byID) <= to.ID {
		into.byID = append(into.byID, nil)
	}
	b := into.byID[to.ID]
	if b == nil {
		b = into.buffer(to)
		into.byID[to.ID] = b
	}
	a, i := into.addresses.find(uint64(to.ID)<<40 | uint64(off))
	if a.Buffer == "" {
		a.Space, a.Buffer, a.Index, a.PC = to.Space, to.Name, off/to.ElemSize, -1
	}
	queue := into.addresses.arrive(i, lanes, now, start+uint64(lanes)*step)
	r.operate(a, b, pc, lanes, queue, now, start, step)
	into.addresses.grew(i, lanes)
}

// SharedAtomics records n lanes of the instruction at pc on one address of shared memory: byte off in the shared
// memory of the block in a slot, at delta bytes into the target.
func (r *Run) SharedAtomics(pc int32, slot int, to Target, off uint64, delta int, n int, now, start, step uint64) {
	p := r.p
	r.sharedDegree(slot, off, n)
	a, i := p.addresses.find(sharedKey | uint64(r.kernel)<<40 | off)
	if a.Buffer == "" {
		a.Space, a.Buffer, a.Index, a.Byte, a.Single, a.PC = to.Space, to.Name, delta/to.ElemSize, delta%to.ElemSize, to.Single, -1
	}
	r.operate(a, p.buffer(to), pc, n, uint32(n), now, start, step)
	p.addresses.grew(i, n)
}

const sharedKey = 1 << 62

// bufferKey identifies a buffer or shared variable.
type bufferKey struct {
	space profile.Space
	name  string
}

// buffer returns the sum over all buffers of a name.
func (p *Profile) buffer(to Target) *profile.Buffer {
	k := bufferKey{to.Space, to.Name}
	b := p.buffers[k]
	if b == nil {
		b = &profile.Buffer{Space: to.Space, Name: to.Name}
		p.buffers[k] = b
		p.into.Accessed = append(p.into.Accessed, b)
	}
	return b
}

// operate counts operations for the address, its buffer and the instruction.
func (r *Run) operate(a *profile.Address, b *profile.Buffer, pc int32, n int, queue uint32, now, start, step uint64) {
	ops := uint64(n)
	serial := ops * step
	waited := ops*(start-min(start, now)) + step*(ops*(ops-1)/2)
	in := &r.Insts[pc]
	in.Atomics += ops
	in.Queue = max(in.Queue, queue)
	in.Serial += serial
	in.Waited += waited
	b.Ops += ops
	b.Queue = max(b.Queue, queue)
	b.Serial += serial
	b.Waited += waited
	a.Ops += ops
	if queue > a.Queue || a.PC < 0 {
		a.Queue, a.Kernel, a.PC = queue, r.kernel, int(pc)
	}
	a.Serial += serial
	a.Waited += waited
}

// SliceWait records a request of the instruction at pc (load, store or atomic) for the sector at byte off of a buffer.
// It arrives at tick now; the port of its L2 slice is busy until tick start, and then serves it for step ticks.
func (r *Run) SliceWait(pc int32, to Target, off int, now, start, step uint64) {
	t := &r.p.sectors
	a, i := t.find(uint64(to.ID)<<40 | uint64(off))
	if a.Buffer == "" {
		a.Space, a.Buffer, a.Index, a.PC = to.Space, to.Name, off/to.ElemSize, -1
	}
	queue := t.arrive(i, 1, now, start+step)
	a.Ops++
	a.Serial += step
	a.Waited += start - now
	if queue > a.Queue || a.PC < 0 {
		a.Queue, a.Kernel, a.PC = queue, r.kernel, int(pc)
	}
	t.grew(i, 1)
}
