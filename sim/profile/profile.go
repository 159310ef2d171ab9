// Package profile holds what the simulator notes of a run beyond its counters:
// by instruction, by address and by launch, and over time. It is filled by
// package sim where Options ask for it, and read when the run has ended.
package profile

import "github.com/weft-gpu/weft/internal/ir"

// MaxStalls is how many stall reasons an Inst has room for. Their indices are
// those of stats.Stalls.
const MaxStalls = 24

// TicksPerCycle is the unit of times below a cycle.
const TicksPerCycle = 64

// MaxWays is the largest number of passes, or of lanes on one address, that
// histograms tell apart: a warp has no more lanes.
const MaxWays = 32

// Profile collects what happens at each instruction of each kernel, and at
// each address that atomics meet at. Make it with New; the zero value is not
// usable. It belongs to one device, and is read between launches.
type Profile struct {
	// Kernels are in the order of their first launch.
	Kernels []*Kernel
	// Launches are in order; of more than MaxLaunches the last holds the sum
	// of the rest.
	Launches []Launch
	// Insts are those of the kernel that runs, by PC.
	Insts []Inst
	// Blocks counts the atomics of the resident blocks by word of shared
	// memory: words of the first block slot, then of the second.
	Blocks []uint32

	addresses table
	buffers   map[bufferKey]*Buffer
	byID      []*Buffer // of global buffers, by ID of the allocation
	program   map[*ir.Program]int
	kernel    int
	words     int // of a block in Blocks
}

// Kernel is what was noted of one kernel, over all its launches.
type Kernel struct {
	Name     string
	Program  *ir.Program
	Launches int
	Cycles   uint64 // of its launches
	Insts    []Inst // by PC
}

// Inst is what was noted of one instruction.
type Inst struct {
	Issues uint64 // warp instructions
	Lanes  uint64 // active lanes over them
	// Stalls are cycles that warps waited at the instruction, by reason: the
	// one that could not issue yet or, for barriers, fences, branches and
	// Sleep, the one that made them wait.
	Stalls [MaxStalls]uint64

	Requests uint64 // lines that global and local accesses ask for
	Sectors  uint64 // sectors of them
	L1Hits   uint64 // sectors that L1 held

	Passes    uint64              // of shared memory, atomics aside
	Conflicts uint64              // passes beyond what the width of the access takes
	Ways      [MaxWays + 1]uint64 // shared accesses by passes (atomics: by lanes on one address)

	Atomics uint64 // operations of lanes, on global or shared memory
	Degree  uint32 // most lanes of a warp on one address
	Queue   uint32 // most operations at once on the address that one of them met
	Serial  uint64 // ticks that the atomic unit or shared memory worked on them
	Waited  uint64 // ticks that operations waited for it, summed
}

// Cycles is what warps spent at the instruction: waiting, and a cycle for
// each time it issued.
func (i *Inst) Cycles() uint64 { return i.Stalled() + i.Issues }

// Stalled is the cycles that warps waited at the instruction.
func (i *Inst) Stalled() uint64 {
	n := uint64(0)
	for _, s := range &i.Stalls {
		n += s
	}
	return n
}

// Add sums b into i.
func (i *Inst) Add(b *Inst) {
	i.Issues += b.Issues
	i.Lanes += b.Lanes
	for s := range i.Stalls {
		i.Stalls[s] += b.Stalls[s]
	}
	i.Requests += b.Requests
	i.Sectors += b.Sectors
	i.L1Hits += b.L1Hits
	i.Passes += b.Passes
	i.Conflicts += b.Conflicts
	for w := range i.Ways {
		i.Ways[w] += b.Ways[w]
	}
	i.Atomics += b.Atomics
	i.Degree = max(i.Degree, b.Degree)
	i.Queue = max(i.Queue, b.Queue)
	i.Serial += b.Serial
	i.Waited += b.Waited
}

// New is an empty profile that follows up to addresses places of atomics at a
// time; 0 is DefaultAddresses.
func New(addresses int) *Profile {
	if addresses <= 0 {
		addresses = DefaultAddresses
	}
	return &Profile{addresses: newTable(addresses), buffers: map[bufferKey]*Buffer{}, program: map[*ir.Program]int{}}
}

// Begin makes p the kernel that runs; blocks is how many are resident at once
// at most, each with shared bytes of shared memory.
func (p *Profile) Begin(name string, prog *ir.Program, grid, block int, cycle uint64, blocks, shared int) {
	i, ok := p.program[prog]
	if !ok {
		i = len(p.Kernels)
		p.program[prog] = i
		p.Kernels = append(p.Kernels, &Kernel{Name: name, Program: prog, Insts: make([]Inst, len(prog.Code))})
	}
	p.kernel = i
	p.Insts = p.Kernels[i].Insts
	p.Kernels[i].Launches++
	p.words = shared / 4
	if n := blocks * p.words; cap(p.Blocks) < n {
		p.Blocks = make([]uint32, n)
	} else {
		p.Blocks = p.Blocks[:n] // EmptyBlock clears what is used
	}
	p.addresses.begin()
	p.beginLaunch(Launch{Kernel: name, Start: cycle, Grid: grid, Block: block})
}

// End notes that the launch took cycles.
func (p *Profile) End(cycles uint64) {
	p.Kernels[p.kernel].Cycles += cycles
	p.launch().Cycles += cycles
}

// EmptyBlock forgets the atomics of a block slot, where another block begins.
func (p *Profile) EmptyBlock(slot int) {
	clear(p.Blocks[slot*p.words : (slot+1)*p.words])
}
