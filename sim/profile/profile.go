// Package profile collects what the simulator observes during a run in addition to counters: by instruction (stall
// reasons, memory requests, bank conflicts), by address (contention of atomics, waits at L2 slices), by launch, and
// over time.
//
// A Profile and a Trace are passed to sim.New in sim.Options, filled during launches, and read afterwards:
//
//	p := profile.New(0)
//	d, err := sim.New(cfg, sim.Options{Profile: p})
//	...                                     // launch kernels on d
//	for _, k := range p.Kernels {
//		for _, line := range k.Lines() {    // stalls and requests by source line
//			...
//		}
//	}
//	for _, a := range p.Addresses(10) {     // the ten most contended addresses
//		...
//	}
//
// Profile.WritePprof writes the format of go tool pprof, Trace.WriteJSON the format of Perfetto and Chrome.
package profile

import "github.com/weft-gpu/weft/internal/ir"

// MaxStalls is the number of stall reasons for which an Inst has room. Their indices are those of counter.Stalls.
const MaxStalls = 24

// TicksPerCycle is the number of ticks per cycle; times shorter than a cycle are in ticks.
const TicksPerCycle = 64

// MaxWays is the largest number of passes, or of lanes on one address, that histograms distinguish: a warp has no more
// lanes.
const MaxWays = 32

// Profile records events for each instruction of each kernel, and for each address on which atomics contend. Create it
// with New; the zero value is not usable. It belongs to one device, and is read between launches.
type Profile struct {
	// Kernels are in order of their first launch.
	Kernels []*Kernel
	// Launches are in launch order; if there are more than MaxLaunches, the last entry holds the sum of the rest.
	Launches  []Launch
	addresses table
	sectors   table // of memory, at which requests waited
	buffers   map[bufferKey]*Buffer
	byID      []*Buffer // of global buffers, by ID of the allocation
	program   map[*ir.Program]int
	// blocks counts the atomics of the resident blocks by word of shared memory: words entries for the first block
	// slot, then for the second, and so on.
	blocks []uint32
	words  int
}

// Run records the events of one launch.
type Run struct {
	Insts []Inst // of its kernel, by PC

	p      *Profile
	kernel int
	launch int
}

// Kernel is the record of one kernel, over all its launches.
type Kernel struct {
	Name     string
	Program  *ir.Program
	Launches int
	Cycles   uint64 // of all its launches
	Insts    []Inst // by PC
}

// Inst is the record of one instruction.
type Inst struct {
	Issues uint64 // warp instructions
	Lanes  uint64 // sum of the active lanes of these
	// Stalls are cycles for which warps waited at the instruction, by reason: at the instruction that could not issue
	// yet or, for barriers, fences, branches and Sleep, at the instruction that made them wait.
	Stalls [MaxStalls]uint64

	Requests uint64 // instructions that accessed global or local memory
	Sectors  uint64 // sectors of these accesses
	L1Hits   uint64 // sectors that L1 held or had requested

	Passes    uint64              // passes of shared memory, not including atomics
	Conflicts uint64              // passes in addition to those that the width of the access needs
	Ways      [MaxWays + 1]uint64 // shared accesses by number of passes (atomics: by lanes on one address)

	Atomics uint64 // operations of lanes, on global or shared memory
	Degree  uint32 // largest number of lanes of a warp on one address
	Queue   uint32 // largest number of pending operations on an address accessed
	Serial  uint64 // ticks for which the atomic unit or shared memory worked on them
	Waited  uint64 // sum of the ticks for which operations waited for it
}

// Cycles returns the cycles that warps spent at the instruction: waiting, plus one cycle for each issue.
func (i *Inst) Cycles() uint64 { return i.Stalled() + i.Issues }

// Stalled returns the cycles for which warps waited at the instruction.
func (i *Inst) Stalled() uint64 {
	n := uint64(0)
	for _, s := range &i.Stalls {
		n += s
	}
	return n
}

// Add adds b to i.
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

// New returns an empty profile that tracks up to the given number of places of atomics; 0 means DefaultAddresses.
func New(addresses int) *Profile {
	if addresses <= 0 {
		addresses = DefaultAddresses
	}
	return &Profile{addresses: newTable(addresses), sectors: newTable(addresses), buffers: map[bufferKey]*Buffer{}, program: map[*ir.Program]int{}}
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

// End records that the launch took the given number of cycles.
func (r *Run) End(cycles uint64) {
	r.p.Kernels[r.kernel].Cycles += cycles
	r.p.Launches[r.launch].Cycles += cycles
}
