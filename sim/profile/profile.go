// Package profile holds what the simulator notes of a run beyond its counters:
// by instruction, by address and by launch, and over time. It is filled by
// package sim where Options ask for it, and read when the run has ended.
package profile

import "github.com/weft-gpu/weft/internal/ir"

// MaxStalls is how many stall reasons an Inst has room for. Their indices are
// those of counter.Stalls.
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
	Launches  []Launch
	addresses table
	sectors   table // of memory, at which requests waited
	buffers   map[bufferKey]*Buffer
	byID      []*Buffer // of global buffers, by ID of the allocation
	program   map[*ir.Program]int
	// blocks counts the atomics of the resident blocks by word of shared
	// memory: words of the first block slot, then of the second.
	blocks []uint32
	words  int
}

// Run is a launch under way, which notes what happens in it.
type Run struct {
	Insts []Inst // of its kernel, by PC

	p      *Profile
	kernel int
	launch int
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

	Requests uint64 // global and local accesses: instructions
	Sectors  uint64 // sectors of them
	L1Hits   uint64 // sectors that L1 held or had asked for

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
	return &Profile{addresses: newTable(addresses), sectors: newTable(addresses), buffers: map[bufferKey]*Buffer{}, program: map[*ir.Program]int{}}
}

// Prepare makes room for launches that run at a time, on so many block slots
// in all, with blocks of at most shared bytes of shared memory.
func (p *Profile) Prepare(slots, shared int) {
	p.words = shared / 4
	if n := slots * p.words; cap(p.blocks) < n {
		p.blocks = make([]uint32, n)
	} else {
		p.blocks = p.blocks[:n] // EmptyBlock clears what is used
	}
	p.addresses.begin()
	p.sectors.begin()
}

// EmptyBlock forgets the atomics of a block slot, where another block begins.
func (p *Profile) EmptyBlock(slot int) {
	clear(p.blocks[slot*p.words : (slot+1)*p.words])
}

// Begin notes that a launch begins, after Prepare.
func (p *Profile) Begin(name string, prog *ir.Program, grid, block int, cycle uint64) *Run {
	i, ok := p.program[prog]
	if !ok {
		i = len(p.Kernels)
		p.program[prog] = i
		p.Kernels = append(p.Kernels, &Kernel{Name: name, Program: prog, Insts: make([]Inst, len(prog.Code))})
	}
	p.Kernels[i].Launches++
	if len(p.Launches) == MaxLaunches {
		p.Launches[MaxLaunches-1].Merged++
	} else {
		p.Launches = append(p.Launches, Launch{Kernel: name, Start: cycle, Grid: grid, Block: block})
	}
	return &Run{Insts: p.Kernels[i].Insts, p: p, kernel: i, launch: len(p.Launches) - 1}
}

// End notes that the launch took cycles.
func (r *Run) End(cycles uint64) {
	r.p.Kernels[r.kernel].Cycles += cycles
	r.p.Launches[r.launch].Cycles += cycles
}
