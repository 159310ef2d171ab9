package worker

import (
	"github.com/weft-gpu/weft/internal/compiler/ptx"
	"github.com/weft-gpu/weft/internal/tensormap"
)

// InProcess is the environment variable that makes the parent process hold the context itself. Profilers and checkers
// that follow a program into its children by intercepting the C library (ncu, compute-sanitizer) do not follow a Go
// program.
const InProcess = "WEFT_HW_IN_PROCESS"

// ByMain is the environment variable that makes package hw leave the call of MaybeChild to main: tests install a fake
// driver before it.
const ByMain = "WEFT_HW_CHILD_BY_MAIN"

// Op is a request of the parent.
type Op uint32

// The requests. Frequent requests of host loops, launches and copies, are structs in the shared memory; the others are
// messages with arguments and a reply.
const (
	OpEnd        Op = iota // ends serving
	OpPart                 // one part of a long message; the next request continues it
	OpOpen                 // []int: the numbers of the GPUs; Opened
	OpAlloc                // AllocArgs, uint64: the address
	OpFree                 // uint64
	OpLoad                 // LoadArgs, FuncInfo
	OpOccupancy            // OccupancyArgs, int: blocks per SM
	OpLaunch               // Channel.Launch
	OpCopy                 // Channel.Copy
	OpReserve              // int: the bytes of the arena that are used from now on
	OpRun                  // Channel.Run
	OpModule               // string: PTX as it stands, int: the module
	OpFunction             // FunctionArgs, FuncInfo
	OpGlobal               // GlobalArgs, Global
	OpShare                // ShareArgs, uint64: the address
	OpUnshare              // uint64
	OpFill                 // FillArgs
	OpPrinted              // nothing, string: what printf of kernels has printed
	OpTensorMap            // TensorMapArgs, TensorMap
	OpReady                // Channel.Launch
	OpReadyLists           // nothing
	OpClock                // nothing, Clock
)

// Opened describes the GPUs that a child has opened.
type Opened struct {
	GPUs  []Info
	Peers [][]Peer // by the GPU that reaches, and the one that is reached
}

// Peer is how a GPU reaches the memory of another one.
type Peer struct {
	Access  bool // copies go over a link, and kernels can load and store
	Atomics bool // and update atomically
}

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
	SharedPerBlock      int // bytes, maximum
	ReservedShared      int // bytes per block that the driver reserves
	MemoryFree, Memory  uint64
	SupportsCooperative bool
	// EventOverhead is the time that events around a single launch measure in addition to the launch, in seconds;
	// reported times do not include it.
	EventOverhead float64
	// AnswerOverhead is the same for launches between our own kernels.
	AnswerOverhead float64
	// Pinned means that the GPU copies to and from the shared memory by itself; Answers means that our kernels write
	// the times and answers of launches there.
	Pinned, Answers bool
}

// FuncInfo describes a kernel as built by ptxas.
type FuncInfo struct {
	Number     int // identifies the kernel in launches
	Registers  int // 32-bit registers per thread
	Shared     int // bytes per block
	Local      int // bytes per thread (spills and local arrays)
	MaxThreads int // maximum threads per block
	Const      int // bytes of constant memory
	PTX        int // the version of the PTX: 70
	Binary     int // the architecture for which it was compiled: 90
	Log        string
}

// Failure is an error that the child sends to the parent.
type Failure struct {
	Text    string
	Missing bool   // no driver or no GPU
	Sticky  bool   // the context is no longer usable
	Name    string // the driver's name for the error
}

// AllocArgs requests memory; Poison fills it with a poison value.
type AllocArgs struct {
	Bytes  int
	Poison bool
}

// LoadArgs contains PTX or a cubin.
type LoadArgs struct {
	PTX, Entry string
	// WideCluster lets a cluster have more than the 8 blocks that every GPU with clusters allows.
	WideCluster bool
	// Offsets are those of FunctionArgs of a kernel that has tensor maps among its parameters; nil for others.
	Offsets []int
}

// TensorMapArgs is a tensor map, whose buffer is at an address of the GPU. Numbers has floats and integers of 4 and 8 bytes.
type TensorMapArgs struct {
	Map     tensormap.Map
	Address uint64
	Number  TensorNumber
}

// TensorNumber is a type of numbers as tensor maps name it (CUtensorMapDataType).
type TensorNumber int

// The types of numbers.
const (
	TensorU32 TensorNumber = 2
	TensorS32 TensorNumber = 3
	TensorU64 TensorNumber = 4
	TensorS64 TensorNumber = 5
	TensorF32 TensorNumber = 7
	TensorF64 TensorNumber = 8
)

// TensorMap is a tensor map as the driver encodes it.
type TensorMap [ptx.TensorMapBytes / 8]uint64

// FunctionArgs names a kernel of a module of OpModule. Offsets say where each parameter begins among their bytes.
type FunctionArgs struct {
	Module  int
	Entry   string
	Offsets []int
}

// GlobalArgs names a variable of a module.
type GlobalArgs struct {
	Module int
	Name   string
}

// Global is where a variable is.
type Global struct{ Addr, Bytes uint64 }

// ShareArgs is a file of the host's memory that the GPU uses at the address at which the child maps it, and so can others.
type ShareArgs struct {
	Path  string
	Bytes int
}

// FillArgs asks for bytes that are all the same.
type FillArgs struct {
	Addr  uint64
	Value byte
	Bytes int
}

// OccupancyArgs asks how many blocks fit on an SM.
type OccupancyArgs struct {
	Func          int
	Block         int
	DynamicShared int
}

// MaxParams is the maximum number of parameters of a launch.
const MaxParams = 256

// LaunchCall requests a launch, and has room for its results.
type LaunchCall struct {
	Func                    int
	Grid, Block             [3]int // along x, y, z
	DynamicShared           int
	Cluster                 [3]int // blocks of a cluster along x, y, z that the launch asks for; one or none: those that the code has
	Repeat                  int    // launches timed together; 0 means 1
	DeadlineNS              uint64 // the watchdog's deadline, from the start of the launch; 0 means none
	Answer                  uint64 // address of the words to fetch afterwards
	AnswerBytes             int    // their length, a multiple of 4; 0 if there is no answer
	Mark                    uint32 // mark of the answer, different from those of earlier answers
	Cooperative             bool
	Checked                 bool // read the fault record afterwards
	ClearBefore, ClearAfter bool // set the words of the answer to zero before the launch; after they were fetched
	NParams                 int
	Params                  [MaxParams]uint64
	// Bytes is how many bytes the parameters of a function of OpFunction take: in Params, or those of Channel.Bytes if there
	// are more.
	Bytes int

	// Seconds is the total time of all repeats, measured by events, without their overhead.
	Seconds float64
	// Stages are those of the launch, if Staged asks for them.
	Staged  bool
	Stages  Stages
	Faulted bool // Fault contains a record of checked code
	Fault   [ptx.FaultWords]uint64
}

// Stages are moments of a launch in the child, as by Monotonic but in nanoseconds: when it has taken the request and described the launch, when the
// driver has its parameters, when it was submitted, and when its end was known.
type Stages [5]int64

// The moments of Stages.
const (
	Taken = iota
	Described
	Set
	Submitted
	Over
)

// Clock is when the last launch began on the GPU, by the GPU's clock, and what ties that clock to the host's: a moment on the GPU, and the same one
// on the host, at most Off away; in nanoseconds.
type Clock struct {
	Began     uint64
	GPU       uint64
	Host, Off int64
}

// CopyCall is one step of a copy: it starts the copy of one slot and waits for that of another.
type CopyCall struct {
	ToHost bool
	Slot   int
	Addr   uint64 // device address
	From   uint64 // device address that is copied from, instead of a slot; 0 for none
	Bytes  int    // 0 starts no copy
	Await  int    // the slot to wait for; -1 if none
}
