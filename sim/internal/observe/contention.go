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
	buffer := into.byID[to.ID]
	if buffer == nil {
		buffer = into.buffer(to)
		into.byID[to.ID] = buffer
	}
	address, index := into.addresses.find(uint64(to.ID)<<40 | uint64(off))
	if address.Buffer == "" {
		address.Space, address.Buffer, address.Index, address.PC = to.Space, to.Name, off/to.ElemSize, -1
	}
	queue := into.addresses.arrive(index, lanes, now, start+uint64(lanes)*step)
	r.operate(address, buffer, pc, lanes, queue, now, start, step)
	into.addresses.grew(index, lanes)
}

// SharedAtomics records lanes of the instruction at pc on one address of shared memory: byte off in the shared
// memory of the block in a slot, at delta bytes into the target.
func (r *Run) SharedAtomics(pc int32, slot int, to Target, off uint64, delta int, lanes int, now, start, step uint64) {
	into := r.p
	r.sharedDegree(slot, off, lanes)
	address, index := into.addresses.find(sharedKey | uint64(r.kernel)<<40 | off)
	if address.Buffer == "" {
		address.Space, address.Buffer, address.Index, address.Byte, address.Single, address.PC = to.Space, to.Name, delta/to.ElemSize, delta%to.ElemSize, to.Single, -1
	}
	r.operate(address, into.buffer(to), pc, lanes, uint32(lanes), now, start, step)
	into.addresses.grew(index, lanes)
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
func (r *Run) operate(address *profile.Address, buffer *profile.Buffer, pc int32, lanes int, queue uint32, now, start, step uint64) {
	ops := uint64(lanes)
	serial := ops * step
	waited := ops*(start-min(start, now)) + step*(ops*(ops-1)/2)
	in := &r.Insts[pc]
	in.Atomics += ops
	in.Queue = max(in.Queue, queue)
	in.Serial += serial
	in.Waited += waited
	buffer.Ops += ops
	buffer.Queue = max(buffer.Queue, queue)
	buffer.Serial += serial
	buffer.Waited += waited
	address.Ops += ops
	if queue > address.Queue || address.PC < 0 {
		address.Queue, address.Kernel, address.PC = queue, r.kernel, int(pc)
	}
	address.Serial += serial
	address.Waited += waited
}

// SliceWait records a request of the instruction at pc (load, store or atomic) for the sector at byte off of a buffer.
// It arrives at tick now; the port of its L2 slice is busy until tick start, and then serves it for step ticks.
func (r *Run) SliceWait(pc int32, to Target, off int, now, start, step uint64) {
	table := &r.p.sectors
	address, index := table.find(uint64(to.ID)<<40 | uint64(off))
	if address.Buffer == "" {
		address.Space, address.Buffer, address.Index, address.PC = to.Space, to.Name, off/to.ElemSize, -1
	}
	queue := table.arrive(index, 1, now, start+step)
	address.Ops++
	address.Serial += step
	address.Waited += start - now
	if queue > address.Queue || address.PC < 0 {
		address.Queue, address.Kernel, address.PC = queue, r.kernel, int(pc)
	}
	table.grew(index, 1)
}
