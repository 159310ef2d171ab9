package profile

import "github.com/weft-gpu/weft/internal/core/counter"

// MaxStalls is the number of stall reasons for which an Inst has room. StallNames has their names.
const MaxStalls = 24

// StallNames returns the names of the stall reasons, by index of Inst.Stalls, as Nsight Compute calls them:
// "long_scoreboard", "barrier", ...
func StallNames() []string { return counter.StallNames() }

// TicksPerCycle is the number of ticks per cycle; times shorter than a cycle are in ticks.
const TicksPerCycle = 64

// MaxWays is the largest number of passes, or of lanes on one address, that histograms distinguish: a warp has no more
// lanes.
const MaxWays = 32

// Profile records events for each instruction of each kernel, and for each address on which atomics contend. The zero
// value is empty. It belongs to one device, and is read between launches.
type Profile struct {
	// Kernels are in order of their first launch.
	Kernels []*Kernel
	// Launches are in launch order; if there are more than MaxLaunches, the last entry holds the sum of the rest.
	Launches []Launch

	// Atomics are the tracked places of atomics, Requests the tracked sectors of memory at which requests waited, and
	// Accessed all buffers and shared variables that atomics accessed, in no particular order: Addresses, Sectors and
	// Buffers return them sorted.
	Atomics, Requests []Address
	Accessed          []*Buffer
	// MaxAddresses is how many places are tracked of each kind; 0 means DefaultAddresses. It is set before the profile
	// is passed to sim.New.
	MaxAddresses int
}

// Kernel is the record of one kernel, over all its launches.
type Kernel struct {
	Name     string
	Launches int
	Cycles   uint64 // of all its launches
	Insts    []Inst // by PC
	// At is the source position of each instruction, by PC: an index of Positions.
	At        []int32
	Positions []Position // Positions[0] is unknown
}

// Position is a source position, with the call through which its function was inlined.
type Position struct {
	File      string // as the compiler shows it: "kernels/bfs.go"
	Line, Col int
	Func      string // the function that contains the line
	Parent    int    // index in Kernel.Positions of the call that inlined Func; 0 in the kernel itself
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
func New(addresses int) *Profile { return &Profile{MaxAddresses: addresses} }
