package profile

import (
	"cmp"
	"slices"

	"github.com/weft-gpu/weft/internal/ir"
)

// DefaultAddresses is how many addresses (and as many sectors) a profile tracks by default.
const DefaultAddresses = 4096

// Address is a place for which atomics, or requests for a sector, contended.
type Address struct {
	Space  ir.Space // ir.Global or ir.Shared
	Buffer string   // name of the buffer or of the shared variable
	Index  int      // index of the element
	Single bool     // not an array: Index is 0
	Byte   int      // byte in the element, for shared structs
	Kernel string   // the kernel in which its queue was longest
	Pos    ir.Pos   // in that kernel's program
	// Ops are the recorded operations of lanes; Missed is an upper bound on the operations before the place was
	// tracked: only the most contended places are.
	Ops, Missed uint64
	// Queue is the largest number of operations that had arrived and were not done at the same time. In shared memory,
	// where a pipe serves one warp at a time, it is the number of lanes of a warp.
	Queue uint32
	// Serial is the time, in ticks, for which the unit worked on this address, one operation at a time; Waited is the
	// sum of the times that operations waited for it.
	Serial, Waited uint64

	program int
	pc      int32
}

// Buffer is the sum over a buffer or shared variable.
type Buffer struct {
	Space          ir.Space
	Name           string
	Ops            uint64
	Queue          uint32 // the longest at any of its tracked addresses
	Serial, Waited uint64
}

// Target is what an atomic accesses.
type Target struct {
	Space    ir.Space
	Name     string
	ElemSize int
	Single   bool // not an array
	ID       int  // the allocation, for a global buffer
}

// GlobalAtomics records n operations of the instruction at pc on the address at byte off of a buffer. They arrive at
// tick now, and an atomic unit works on them from tick start, for step ticks each.
func (r *Run) GlobalAtomics(pc int32, to Target, off int, n int, now, start, step uint64) {
	p := r.p
	for len(p.byID) <= to.ID {
		p.byID = append(p.byID, nil)
	}
	b := p.byID[to.ID]
	if b == nil {
		b = p.buffer(to)
		p.byID[to.ID] = b
	}
	a, i := p.addresses.find(uint64(to.ID)<<40 | uint64(off))
	if a.Buffer == "" {
		a.Space, a.Buffer, a.Index, a.pc = to.Space, to.Name, off/to.ElemSize, -1
	}
	queue := p.addresses.arrive(i, n, now, start+uint64(n)*step)
	r.operate(a, b, pc, n, queue, now, start, step)
	p.addresses.grew(i, n)
}

// SharedAtomics records n lanes of the instruction at pc on one address of shared memory: byte off in the shared
// memory of the block in a slot, at delta bytes into the target.
func (r *Run) SharedAtomics(pc int32, slot int, to Target, off uint64, delta int, n int, now, start, step uint64) {
	p := r.p
	r.sharedDegree(slot, off, n)
	a, i := p.addresses.find(sharedKey | uint64(r.kernel)<<40 | off)
	if a.Buffer == "" {
		a.Space, a.Buffer, a.Index, a.Byte, a.Single, a.pc = to.Space, to.Name, delta/to.ElemSize, delta%to.ElemSize, to.Single, -1
	}
	r.operate(a, p.buffer(to), pc, n, uint32(n), now, start, step)
	p.addresses.grew(i, n)
}

const sharedKey = 1 << 62

// bufferKey identifies a buffer or shared variable.
type bufferKey struct {
	space ir.Space
	name  string
}

// buffer returns the sum over all buffers of a name.
func (p *Profile) buffer(to Target) *Buffer {
	k := bufferKey{to.Space, to.Name}
	b := p.buffers[k]
	if b == nil {
		b = &Buffer{Space: to.Space, Name: to.Name}
		p.buffers[k] = b
	}
	return b
}

// operate counts operations for the address, its buffer and the instruction.
func (r *Run) operate(a *Address, b *Buffer, pc int32, n int, queue uint32, now, start, step uint64) {
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
	if queue > a.Queue || a.pc < 0 {
		a.Queue, a.program, a.pc = queue, r.kernel, pc
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
		a.Space, a.Buffer, a.Index, a.pc = to.Space, to.Name, off/to.ElemSize, -1
	}
	queue := t.arrive(i, 1, now, start+step)
	a.Ops++
	a.Serial += step
	a.Waited += start - now
	if queue > a.Queue || a.pc < 0 {
		a.Queue, a.program, a.pc = queue, r.kernel, pc
	}
	t.grew(i, 1)
}

// Sectors returns the sectors of memory whose requests (Ops of an Address) found the port of their L2 slice busy, the
// one with the longest total wait first, at most n; if n is 0, all tracked sectors. Index is the first element.
func (p *Profile) Sectors(n int) []Address {
	return p.places(&p.sectors, n, func(a *Address) uint64 { return a.Waited })
}

// Addresses returns the most contended places of atomics, the one that kept a unit busy longest first, at most n; if n
// is 0, all tracked places.
func (p *Profile) Addresses(n int) []Address {
	return p.places(&p.addresses, n, func(a *Address) uint64 { return a.Serial })
}

func (p *Profile) places(t *table, n int, weight func(*Address) uint64) []Address {
	out := slices.Clone(t.entries)
	slices.SortFunc(out, func(a, b Address) int {
		return cmp.Or(cmp.Compare(weight(&b), weight(&a)), cmp.Compare(b.Ops, a.Ops), cmp.Compare(a.Buffer, b.Buffer),
			cmp.Compare(a.Index, b.Index), cmp.Compare(a.Byte, b.Byte), cmp.Compare(a.program, b.program))
	})
	if n > 0 && len(out) > n {
		out = out[:n]
	}
	for i := range out {
		k := p.Kernels[out[i].program]
		out[i].Kernel, out[i].Pos = k.Name, k.Program.Code[out[i].pc].Pos
	}
	return out
}

// Buffers returns the buffers and shared variables that atomics accessed, the one that kept units busy longest first.
func (p *Profile) Buffers() []Buffer {
	out := []Buffer{}
	for _, b := range p.buffers {
		out = append(out, *b)
	}
	slices.SortFunc(out, func(a, b Buffer) int {
		return cmp.Or(cmp.Compare(b.Serial, a.Serial), cmp.Compare(b.Ops, a.Ops), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Space, b.Space))
	})
	return out
}
