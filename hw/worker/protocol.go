// Package worker is the child process that holds a CUDA context, and what it
// and its parent (package hw) say to each other by net/rpc over two pipes.
package worker

// InProcess is the environment variable that keeps the context in the parent
// process. Profilers and checkers that follow a program into its children by
// way of the C library (ncu, compute-sanitizer) do not follow a Go program.
const InProcess = "WEFT_HW_IN_PROCESS"

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
}

// FuncInfo is what ptxas made of a kernel.
type FuncInfo struct {
	Registers  int // 32-bit, a thread
	Shared     int // bytes, a block
	Local      int // bytes, a thread (spills and local arrays)
	MaxThreads int // a block, at most
	Log        string
}

// Failure is an error on its way from child to parent: errors do not cross
// processes, so that every reply carries one.
type Failure struct {
	Text    string
	Missing bool   // no driver or no GPU
	Sticky  bool   // the context is of no more use
	Name    string // the driver's name of the error
}

// OpenReply answers Open.
type OpenReply struct {
	Info Info
	Err  *Failure
}

// AllocArgs asks for memory, poisoned or not.
type AllocArgs struct {
	Bytes  int
	Poison bool
}

// AddrReply answers Alloc.
type AddrReply struct {
	Addr uint64
	Err  *Failure
}

// WriteArgs asks to copy to the device.
type WriteArgs struct {
	Addr uint64
	Data []byte
}

// ReadArgs asks to copy from the device.
type ReadArgs struct {
	Addr  uint64
	Bytes int
}

// ReadReply answers Read.
type ReadReply struct {
	Data []byte
	Err  *Failure
}

// PlainReply answers calls that give nothing.
type PlainReply struct{ Err *Failure }

// LoadArgs is PTX under a key that later calls use.
type LoadArgs struct {
	Key, PTX, Entry string
}

// LoadReply answers Load.
type LoadReply struct {
	Func FuncInfo
	Err  *Failure
}

// LaunchArgs asks to run a kernel.
type LaunchArgs struct {
	Key           string
	Grid, Block   [3]int // along x, y, z
	DynamicShared int
	Cooperative   bool
	Params        []uint64
	Checked       bool   // read the fault record afterwards
	DeadlineNS    uint64 // of the watchdog, from the start of the launch; 0: none
	Repeat        int    // launches timed together; 0 is 1
}

// LaunchReply answers Launch.
type LaunchReply struct {
	Seconds float64  // by events less their overhead, for all repeats together
	Fault   []uint64 // ptx.FaultWords words where something was recorded
	Err     *Failure
}

// OccupancyArgs asks how many blocks fit an SM.
type OccupancyArgs struct {
	Key           string
	Block         int
	DynamicShared int
}

// IntReply answers Occupancy.
type IntReply struct {
	N   int
	Err *Failure
}
