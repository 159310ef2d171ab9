// Package hw runs kernels on a real NVIDIA GPU.
//
// The CUDA context lives in a child process (this program started again), for
// an illegal access or a hang poisons a context for good: the child is then
// ended, the parent reports what happened and goes on with a new child. Parent
// and child speak net/rpc over the child's standard input and output.
package hw

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
}

// FuncInfo is what ptxas made of a kernel.
type FuncInfo struct {
	Registers  int // 32-bit, a thread
	Shared     int // bytes, a block
	Local      int // bytes, a thread (spills and local arrays)
	MaxThreads int // a block, at most
	Log        string
}

// failure is an error on its way from child to parent: errors do not cross
// processes, so that every reply carries one.
type failure struct {
	Text    string
	Missing bool   // no driver or no GPU
	Sticky  bool   // the context is of no more use
	Name    string // the driver's name of the error
}

type openReply struct {
	Info Info
	Err  *failure
}

type allocArgs struct {
	Bytes  int
	Poison bool
}

type addrReply struct {
	Addr uint64
	Err  *failure
}

type writeArgs struct {
	Addr uint64
	Data []byte
}

type readArgs struct {
	Addr  uint64
	Bytes int
}

type readReply struct {
	Data []byte
	Err  *failure
}

type plainReply struct{ Err *failure }

// loadArgs is PTX under a key that later calls use.
type loadArgs struct {
	Key, PTX, Entry string
}

type loadReply struct {
	Func FuncInfo
	Err  *failure
}

type launchArgs struct {
	Key           string
	Grid, Block   int
	DynamicShared int
	Cooperative   bool
	Params        []uint64
	Checked       bool   // read the fault record afterwards
	DeadlineNS    uint64 // of the watchdog, from the start of the launch; 0: none
	Repeat        int    // launches timed together; 0 is 1
}

type launchReply struct {
	Seconds float64  // by events, for all repeats together
	Fault   []uint64 // ptx.FaultWords words where something was recorded
	Err     *failure
}

type occupancyArgs struct {
	Key           string
	Block         int
	DynamicShared int
}

type intReply struct {
	N   int
	Err *failure
}
