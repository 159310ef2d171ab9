// Package worker is the child process that holds a CUDA context, and what it
// and its parent (package hw) say to each other through shared memory.
package worker

import "github.com/weft-gpu/weft/hw/ptx"

// InProcess is the environment variable that keeps the context in the parent
// process. Profilers and checkers that follow a program into its children by
// way of the C library (ncu, compute-sanitizer) do not follow a Go program.
const InProcess = "WEFT_HW_IN_PROCESS"

// Op is what a parent asks for.
type Op uint32

// The requests. Those that host loops make all the time, launches and copies,
// are structs in the shared memory; the others are messages with arguments and
// a reply of their own.
const (
	OpEnd       Op = iota // end serving
	OpPart                // a part of a long message; the next request continues it
	OpOpen                // int, Info
	OpAlloc               // AllocArgs, uint64: the address
	OpFree                // uint64
	OpLoad                // LoadArgs, FuncInfo
	OpOccupancy           // OccupancyArgs, int: blocks an SM
	OpLaunch              // Channel.Launch
	OpCopy                // Channel.Copy
)

// Info describes the GPU and its driver.
type Info struct {
	Index               int
	Name                string
	DriverVersion       int // CUDA version of the driver, 1000*major + 10*minor
	Major, Minor        int // compute capability
	SMs                 int
	ClockKHz            int // highest SM clock
	MemoryClockKHz      int
	MemoryBusBits       int
	L2Bytes             int
	ThreadsPerSM        int
	BlocksPerSM         int
	RegistersPerSM      int
	SharedPerSM         int // bytes
	SharedPerBlock      int // bytes, at most
	ReservedShared      int // bytes a block that the driver takes
	MemoryFree, Memory  uint64
	SupportsCooperative bool
	// EventOverhead is what events around a lone launch measure beyond the
	// launch, in seconds; times of launches are given without it.
	EventOverhead float64
	// AnswerOverhead is the same for launches with kernels of ours around them.
	AnswerOverhead float64
	// Pinned says that the GPU copies from and to the shared memory by itself;
	// Answers, that kernels of ours write the times and answers of launches there.
	Pinned, Answers bool
}

// FuncInfo is what ptxas made of a kernel.
type FuncInfo struct {
	Number     int // by which launches name it
	Registers  int // 32-bit, a thread
	Shared     int // bytes, a block
	Local      int // bytes, a thread (spills and local arrays)
	MaxThreads int // a block, at most
	Log        string
}

// Failure is an error on its way from child to parent: errors do not cross
// processes.
type Failure struct {
	Text    string
	Missing bool   // no driver or no GPU
	Sticky  bool   // the context is of no more use
	Name    string // the driver's name of the error
}

// AllocArgs asks for memory, poisoned or not.
type AllocArgs struct {
	Bytes  int
	Poison bool
}

// LoadArgs is PTX or a cubin.
type LoadArgs struct{ PTX, Entry string }

// OccupancyArgs asks how many blocks fit an SM.
type OccupancyArgs struct {
	Func          int
	Block         int
	DynamicShared int
}

// MaxParams is how many parameters a launch can have.
const MaxParams = 128

// LaunchCall asks to run a kernel to its end, and has room for what comes back.
type LaunchCall struct {
	Func                    int
	Grid, Block             [3]int // along x, y, z
	DynamicShared           int
	Repeat                  int    // launches timed together; 0 is 1
	DeadlineNS              uint64 // of the watchdog, from the start of the launch; 0: none
	Answer                  uint64 // address of words to fetch afterwards
	AnswerBytes             int    // how many, a multiple of 4; 0: none
	Mark                    uint32 // of the answer: another than those before it
	Cooperative             bool
	Checked                 bool // look at the fault record afterwards
	ClearBefore, ClearAfter bool // set those words to zero before the launch; after they were fetched
	NParams                 int
	Params                  [MaxParams]uint64

	// Seconds is the time by events less their overhead, of all repeats together.
	Seconds float64
	Faulted bool // Fault holds what checked code recorded
	Fault   [ptx.FaultWords]uint64
}

// CopyCall is a step of a copy: it starts the copy of one slot's bytes and waits
// for another's.
type CopyCall struct {
	ToHost bool
	Slot   int
	Addr   uint64 // of the device
	Bytes  int    // 0: start nothing
	Await  int    // the slot to wait for; -1: none
}
