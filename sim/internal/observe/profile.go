package observe

import (
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/profile"
)

// Profile fills a profile.Profile.
type Profile struct {
	into      *profile.Profile
	addresses table
	sectors   table // of memory, at which requests waited
	buffers   map[bufferKey]*profile.Buffer
	byID      []*profile.Buffer // of global buffers, by ID of the allocation
	program   map[*ir.Program]int
	// blocks counts the atomics of the resident blocks by word of shared memory: words entries for the first block
	// slot, then for the second, and so on.
	blocks []uint32
	words  int
	of     *members
}

// members are the GPUs that record into one profile.
type members struct{ gpus []*Profile }

// Run records the events of one launch.
type Run struct {
	Insts []profile.Inst // of its kernel, by PC

	p      *Profile
	kernel int
	launch int
}

// NewProfile returns a Profile that fills p.
func NewProfile(p *profile.Profile) *Profile {
	n := p.MaxAddresses
	if n <= 0 {
		n = profile.DefaultAddresses
	}
	out := &Profile{into: p, addresses: newTable(n), sectors: newTable(n), buffers: map[bufferKey]*profile.Buffer{}, program: map[*ir.Program]int{}, of: &members{}}
	out.of.gpus = []*Profile{out}
	return out
}

// Prepare makes room for launches that run concurrently, with slots block slots in total, and blocks with at most
// shared bytes of shared memory.
func (p *Profile) Prepare(slots, shared int) {
	p.words = shared / 4
	if n := slots * p.words; cap(p.blocks) < n {
		p.blocks = make([]uint32, n)
	} else {
		p.blocks = p.blocks[:n] // EmptyBlock clears the entries that are used
	}
	p.addresses.begin()
	p.sectors.begin()
}

// EmptyBlock clears the atomics recorded for a block slot, in which another block begins.
func (p *Profile) EmptyBlock(slot int) {
	clear(p.blocks[slot*p.words : (slot+1)*p.words])
}

// Begin records the beginning of a launch, after Prepare.
func (p *Profile) Begin(name string, prog *ir.Program, grid, block int, cycle uint64) *Run {
	i, ok := p.program[prog]
	if !ok {
		i = len(p.into.Kernels)
		p.program[prog] = i
		p.into.Kernels = append(p.into.Kernels, kernelOf(name, prog))
	}
	p.into.Kernels[i].Launches++
	if len(p.into.Launches) == profile.MaxLaunches {
		p.into.Launches[profile.MaxLaunches-1].Merged++
	} else {
		p.into.Launches = append(p.into.Launches, profile.Launch{Kernel: name, Start: cycle, Grid: grid, Block: block})
	}
	return &Run{Insts: p.into.Kernels[i].Insts, p: p, kernel: i, launch: len(p.into.Launches) - 1}
}

// End records that the launch took the given number of cycles.
func (r *Run) End(cycles uint64) {
	p := r.p
	p.into.Kernels[r.kernel].Cycles += cycles
	p.into.Launches[r.launch].Cycles += cycles
	if len(p.of.gpus) == 1 {
		p.into.Atomics, p.into.Requests = p.addresses.entries, p.sectors.entries
		return
	}
	p.into.Atomics, p.into.Requests = nil, nil
	for _, g := range p.of.gpus {
		p.into.Atomics = append(p.into.Atomics, g.addresses.entries...)
		p.into.Requests = append(p.into.Requests, g.sectors.entries...)
	}
}

// Join makes p, which has recorded nothing, record into the profile of another GPU of its group: kernels are those of
// both.
func (p *Profile) Join(first *Profile) {
	p.of, p.program, p.buffers = first.of, first.program, first.buffers
	p.of.gpus = append(p.of.gpus, p)
}

// kernelOf returns the empty record of a kernel.
func kernelOf(name string, prog *ir.Program) *profile.Kernel {
	k := &profile.Kernel{Name: name, Insts: make([]profile.Inst, len(prog.Code)), At: make([]int32, len(prog.Code)),
		Positions: make([]profile.Position, len(prog.Pos))}
	for i, in := range prog.Code {
		k.At[i] = int32(in.Pos)
	}
	for i, p := range prog.Pos {
		k.Positions[i] = profile.Position{File: p.File, Line: p.Line, Col: p.Col, Func: p.Func, Parent: int(p.Parent)}
	}
	return k
}
