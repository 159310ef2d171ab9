// Package config describes the simulated machines: every parameter with its
// unit and meaning, presets of real GPUs in which each number has a source,
// files of the user's own, and overrides by name.
//
// A rate belongs to a clock domain. What is in the unit "cycle" is in cycles of
// clock.sm, what is in "L2 cycle" is in cycles of clock.l2, and all else is in
// physical units (GB/s, ns, us): setting one clock leaves the others' rates as they are.
// InSMCycles and DRAMTiming convert when a machine is built.
package config

// GPU is a machine. Every field with a `name` tag is a parameter whose path is
// the names joined by dots ("sm.count"); unit, range and meaning stand in the
// other tags.
type GPU struct {
	Name    string  // the name it was loaded by: a preset's, or a file's path
	Title   string  // "NVIDIA H200 (Hopper, 2024)"
	Clock   Clock   `name:"clock"`
	SM      SM      `name:"sm"`
	Issue   Issue   `name:"issue"`
	Latency Pipes   `name:"latency" unit:"cycle" min:"1" max:"2000" doc:"cycles from issue of a machine instruction until a dependent one may issue: "`
	Cadence Pipes   `name:"interval" unit:"cycle" min:"1" max:"256" doc:"cycles between two machine instructions of one sub-core on the pipe: "`
	Barrier Barrier `name:"barrier"`
	Fence   Fence   `name:"fence"`
	LSU     LSU     `name:"lsu"`
	Shared  Shared  `name:"shared"`
	L1      L1      `name:"l1"`
	Xbar    Xbar    `name:"xbar"`
	L2      L2      `name:"l2"`
	Atomic  Atomic  `name:"atomic"`
	DRAM    DRAM    `name:"dram"`
	Launch  Launch  `name:"launch"`
	Copy    Copy    `name:"copy"`
	Hang    Hang    `name:"hang"`

	files   []string          // of the user's own that it was loaded from
	origins map[string]origin // where each value is from, by path; nobody changes it
}

// origin is where the value of a parameter is from.
type origin struct {
	text   string // the value; another one was set since
	source string
	from   string // the preset or file
	at     Place  // in a file; none in a preset
}

// Clock holds the clock domains. A time in "cycle" is in cycles of SM and a time
// in "L2 cycle" in cycles of L2, whatever the other clock is; device memory,
// launches and copies have times in seconds and rates in bytes a second.
type Clock struct {
	SM float64 `name:"sm" unit:"MHz" min:"1" max:"100000" doc:"clock of the multiprocessors with their L1 and shared memory; what is given in cycles is in cycles of it"`
	L2 float64 `name:"l2" unit:"MHz" min:"1" max:"100000" doc:"clock of the crossbar, the L2 and its atomic units; what is given in L2 cycles is in cycles of it"`
}

// SM is a multiprocessor and its limits of occupancy.
type SM struct {
	Count             int    `name:"count" unit:"SM" min:"1" max:"1024" doc:"multiprocessors"`
	SubCores          int    `name:"subcores" unit:"sub-core" min:"1" max:"8" doc:"sub-cores an SM, each with a warp scheduler that issues one instruction a cycle (two with issue.dual)"`
	Warps             int    `name:"warps" unit:"warp" min:"1" max:"256" doc:"resident warps an SM"`
	Blocks            int    `name:"blocks" unit:"block" min:"1" max:"256" doc:"resident blocks an SM"`
	Barriers          int    `name:"barriers" unit:"barrier" min:"0" max:"4096" doc:"barriers an SM, which the blocks of kernels with named barriers share; 0: as many as blocks want"`
	Threads           int    `name:"threads" unit:"thread" min:"32" max:"8192" doc:"resident threads an SM"`
	BlockThreads      int    `name:"block_threads" unit:"thread" min:"1" max:"1024" doc:"threads a block at most"`
	Registers         int    `name:"registers" unit:"register" min:"1024" max:"1048576" doc:"32-bit registers an SM, split evenly over the sub-cores"`
	RegisterUnit      int    `name:"register_unit" unit:"register" min:"1" max:"8192" doc:"registers are given to a warp in multiples of this"`
	BlockRegisters    int    `name:"block_registers" unit:"register" min:"1024" max:"1048576" doc:"registers a block at most"`
	ThreadRegisters   int    `name:"thread_registers" unit:"register" min:"16" max:"1024" doc:"registers a thread at most"`
	RegistersFrom     string `name:"registers_from" unit:"policy" doc:"registers a thread of a kernel: those that ptxas gave our kernels for a recorded GPU (h200), where it did, or an estimate"`
	SharedBytes       int    `name:"shared_bytes" unit:"byte" min:"0" max:"1048576" doc:"shared memory an SM"`
	SharedBlock       int    `name:"shared_block" unit:"byte" min:"0" max:"1048576" doc:"shared memory a block at most, without the driver's reserve"`
	SharedGranularity int    `name:"shared_granularity" unit:"byte" min:"1" max:"65536" doc:"shared memory is given to a block in multiples of this"`
	Divergence        string `name:"divergence" unit:"policy" doc:"lanes of a warp that diverge: stack (one side of a branch, then the other) or its (independent thread scheduling: every lane progresses)"`
	SharedReserve     int    `name:"shared_reserve" unit:"byte" min:"0" max:"65536" doc:"shared memory that the driver takes from each block"`
}

// Issue is the front of a sub-core.
type Issue struct {
	Scheduler string `name:"scheduler" unit:"policy" doc:"warp scheduler: gto (greedy, then oldest), lrr (loose round robin), oldest, or random (by the seed)"`
	Yield     int    `name:"yield" unit:"poll" min:"1" max:"1000000" doc:"with its: polls of one address by the same lanes in a row after which they give way to lanes of their warp that wait"`
	Patience  int    `name:"patience" unit:"branch" min:"1" max:"1000000000" doc:"with its: branches back after which lanes give way to lanes of their warp that wait, whatever they do"`
	Lowering  string `name:"lowering" unit:"policy" doc:"issue slots of an operation: sass (as many as the machine instructions that ptxas makes of it) or ir (one)"`
	Dual      bool   `name:"dual" unit:"bool" doc:"a warp scheduler has two dispatch units and may issue two operations of a warp in a cycle that do not depend on each other and need different pipes"`
	Branch    int    `name:"branch" unit:"cycle" min:"1" max:"200" doc:"cycles from a branch or jump until the warp's next instruction"`
}

// Pipes is one number for each arithmetic pipeline.
type Pipes struct {
	ALU     int `name:"alu" doc:"32-bit integer add, logic, compare, select, move"`
	IMAD    int `name:"imad" doc:"integer multiply, multiply-add, address arithmetic"`
	FP32    int `name:"fp32" doc:"float add, multiply, fused multiply-add"`
	FP64    int `name:"fp64" doc:"double add, multiply, fused multiply-add"`
	SFU     int `name:"sfu" doc:"population count, leading zeros, bit reversal, rounding, conversions to integers"`
	Div     int `name:"div" doc:"integer and double division and remainder (a sequence on hardware)"`
	FDiv    int `name:"fdiv" doc:"float division (a sequence on hardware)"`
	Sqrt    int `name:"sqrt" doc:"square root (a sequence on hardware)"`
	Vote    int `name:"vote" doc:"ballot, any, all, warp barrier, active mask, match"`
	Shuffle int `name:"shuffle" doc:"shuffles"`
	Special int `name:"special" doc:"reads of special registers and clocks"`
}

// Barrier is the block barrier.
type Barrier struct {
	Base   int  `name:"base" unit:"cycle" min:"1" max:"1000" doc:"cycles from the last arrival until the warps go on"`
	Warp   int  `name:"warp" unit:"cycle" min:"0" max:"1000" doc:"cycles that each arriving warp occupies the barrier unit"`
	ByWarp bool `name:"by_warp" unit:"bool" doc:"a warp arrives with all its lanes, as before Volta; otherwise threads are counted"`
}

// Fence is the memory fence; it ends when the warp's stores are through, too.
type Fence struct {
	Block   int `name:"block" unit:"cycle" min:"1" max:"10000" doc:"cost of a fence of block scope"`
	Device  int `name:"device" unit:"L2 cycle" min:"1" max:"10000" doc:"a fence or release of device or system scope, with nothing else to wait for"`
	Store   int `name:"store" unit:"L2 cycle" min:"0" max:"10000" doc:"cycles from when the warp's last access before a fence or release of device or system scope is through until that is, at least"`
	Acquire int `name:"acquire" unit:"cycle" min:"0" max:"10000" doc:"cycles that a load which acquires at device or system scope takes longer"`
}

// LSU is the load-store unit of an SM.
type LSU struct {
	Queue int     `name:"queue" unit:"inst" min:"1" max:"1024" doc:"memory instructions that wait for the load-store unit of an SM"`
	Issue int     `name:"issue" unit:"cycle" min:"1" max:"1000" doc:"cycles from issue until the unit may take the instruction"`
	Line  float64 `name:"line" unit:"cycle" min:"0.125" max:"64" doc:"cycles the unit is busy for each 128-byte line of an instruction"`
}

// Shared is the banked shared memory of an SM.
type Shared struct {
	Banks          int     `name:"banks" unit:"bank" min:"1" max:"256" doc:"banks of 4 bytes"`
	Latency        int     `name:"latency" unit:"cycle" min:"1" max:"2000" doc:"load without conflict, issue to use"`
	Conflict       float64 `name:"conflict" unit:"cycle" min:"0" max:"100" doc:"further latency for each further way of a bank conflict"`
	Way            float64 `name:"way" unit:"cycle" min:"0.125" max:"64" doc:"cycles the pipe of the SM is busy for each way"`
	AtomicLatency  int     `name:"atomic_latency" unit:"cycle" min:"1" max:"2000" doc:"atomic without conflict, issue to use"`
	AtomicIssue    float64 `name:"atomic_issue" unit:"cycle" min:"1" max:"1000" doc:"cycles a sub-core is busy with an atomic, at least"`
	AtomicStart    float64 `name:"atomic_start" unit:"cycle" min:"0" max:"1000" doc:"the same with n lanes on one address: this and n times atomic_conflict, where that is more"`
	AtomicConflict float64 `name:"atomic_conflict" unit:"cycle" min:"0" max:"100" doc:"further latency, and cycles of the sub-core, for each lane on one address"`
	AtomicBase     float64 `name:"atomic_base" unit:"cycle" min:"0" max:"100" doc:"cycles the pipe of the SM is busy with an atomic"`
	AtomicWay      float64 `name:"atomic_way" unit:"cycle" min:"0.125" max:"100" doc:"and for each lane on the most loaded address"`
	Locks          int     `name:"locks" unit:"lock" min:"0" max:"65536" doc:"locks, spread over the words, where atomics are a loop that locks, updates and unlocks (before Maxwell); 0: atomics are native"`
	LockRound      int     `name:"lock_round" unit:"cycle" min:"1" max:"2000" doc:"cycles from a try of that loop until the lanes that found their lock taken try again"`
	LockHold       int     `name:"lock_hold" unit:"cycle" min:"1" max:"2000" doc:"cycles for which a try that took a lock keeps other warps from it"`
}

// L1 is the data cache of an SM: write-through, sectors of 32 bytes in lines
// of 128, not coherent.
type L1 struct {
	Bytes    int  `name:"bytes" unit:"byte" min:"1024" max:"1048576" doc:"capacity; together with shared memory where unified"`
	Unified  bool `name:"unified" unit:"bool" doc:"shared memory of the resident blocks is taken out of the capacity"`
	Ways     int  `name:"ways" unit:"way" min:"1" max:"64" doc:"associativity"`
	Latency  int  `name:"latency" unit:"cycle" min:"1" max:"2000" doc:"hit, issue to use"`
	MSHRs    int  `name:"mshrs" unit:"request" min:"1" max:"65536" doc:"outstanding line requests an SM"`
	GlobalOn bool `name:"global" unit:"bool" doc:"caches plain loads of global memory"`

	Replacement string `name:"replacement" unit:"policy" doc:"which line goes: lru (least recently used), fifo, or one that is registered"`
}

// Xbar is the crossbar between SMs and L2 slices.
type Xbar struct {
	Request  int     `name:"request" unit:"L2 cycle" min:"1" max:"2000" doc:"latency from L1 to an L2 slice"`
	Reply    int     `name:"reply" unit:"L2 cycle" min:"1" max:"2000" doc:"latency from an L2 slice to the SM"`
	SendFlit float64 `name:"send_flit" unit:"L2 cycle" min:"0.01" max:"64" doc:"cycles the SM's sending port is busy with a request, and with each 32 bytes of data"`
	RecvFlit float64 `name:"recv_flit" unit:"L2 cycle" min:"0.01" max:"64" doc:"cycles the SM's receiving port is busy with each 32 bytes of data"`
}

// L2 is the cache shared by all SMs: write-back, sectors of 32 bytes in lines of 128.
type L2 struct {
	Slices     int     `name:"slices" unit:"slice" min:"1" max:"1024" doc:"slices, each with its own port and atomic unit"`
	Bytes      int     `name:"bytes" unit:"byte" min:"4096" max:"1073741824" doc:"capacity of all slices"`
	Ways       int     `name:"ways" unit:"way" min:"1" max:"64" doc:"associativity"`
	Latency    int     `name:"latency" unit:"L2 cycle" min:"1" max:"2000" doc:"lookup and data of a hit, within the slice"`
	Sector     float64 `name:"sector" unit:"L2 cycle" min:"0.125" max:"64" doc:"cycles a slice is busy with a sector"`
	MSHRs      int     `name:"mshrs" unit:"request" min:"1" max:"65536" doc:"outstanding sector fills a slice"`
	Hash       string  `name:"hash" unit:"policy" doc:"slice of an address: mixed (runs of chunks in an order that differs), modulo (chunks in turn), or one that is registered"`
	Interleave int     `name:"interleave" unit:"byte" min:"128" max:"1048576" doc:"consecutive bytes that lie in one slice"`
	Partitions int     `name:"partitions" unit:"partition" min:"1" max:"2" doc:"parts of the L2; with 2, half of the SMs and slices lie at either"`
	Spread     int     `name:"spread" unit:"L2 cycle" min:"0" max:"2000" doc:"by how much the latency of the slices differs, from the one nearest to an SM to the farthest; l2.latency is the mean"`
	Page       int     `name:"page" unit:"byte" min:"4096" max:"1073741824" doc:"with two partitions: consecutive bytes whose home is one of them"`
	Far        int     `name:"far" unit:"L2 cycle" min:"0" max:"2000" doc:"further latency each way between an SM and a slice at the other partition; loads leave a copy near, and later ones are served there"`
}

// Atomic is the unit of an L2 slice that performs read-modify-writes.
type Atomic struct {
	Unit    string  `name:"unit" unit:"policy" doc:"how a slice's unit works: serial (a step after the other), or one that is registered"`
	Latency int     `name:"latency" unit:"L2 cycle" min:"0" max:"5000" doc:"latency of the operation beyond an L2 hit"`
	Far     int     `name:"far" unit:"L2 cycle" min:"0" max:"2000" doc:"further latency of an atomic at the other partition of the L2, beyond l2.far"`
	Step    float64 `name:"step" unit:"L2 cycle" min:"0.125" max:"1000" doc:"cycles the unit is busy with a sector whose addresses differ, and with each further operation where all are on one address"`
	Replay  float64 `name:"replay" unit:"L2 cycle" min:"0.125" max:"1000" doc:"cycles of each further operation on the most wanted address of a sector, where others of its addresses are wanted too"`
	Load    float64 `name:"load" unit:"L2 cycle" min:"0.125" max:"1000" doc:"cycles the unit is busy with a load of one of the four lines that it worked on last"`
	Result  float64 `name:"result" unit:"L2 cycle" min:"0" max:"1000" doc:"further cycles of each step when the result is returned and the line is none of the four that the unit worked on last; a seventh of it for each further address of a sector"`
}

// DRAM is the device memory.
type DRAM struct {
	Capacity   int     `name:"capacity" unit:"MiB" min:"1" max:"1048576" doc:"capacity"`
	Channels   int     `name:"channels" unit:"channel" min:"1" max:"1024" doc:"independent channels"`
	Hash       string  `name:"hash" unit:"policy" doc:"channel of an address: mixed, modulo, or one that is registered; see l2.hash"`
	Banks      int     `name:"banks" unit:"bank" min:"1" max:"1024" doc:"banks a channel"`
	RowBytes   int     `name:"row_bytes" unit:"byte" min:"64" max:"65536" doc:"bytes of a row"`
	Burst      int     `name:"burst" unit:"byte" min:"32" max:"128" doc:"bytes of one access; a multiple of 32"`
	Bandwidth  float64 `name:"bandwidth" unit:"GB/s" min:"1" max:"1000000" doc:"of the buses of all channels together, as a data sheet gives it"`
	Efficiency float64 `name:"efficiency" unit:"share" min:"0.1" max:"1" doc:"of the bus time that refresh and turning between reads and writes leave"`
	Latency    float64 `name:"latency" unit:"ns" min:"1" max:"5000" doc:"from the L2 slice and back, row open"`
	RowMiss    float64 `name:"row_miss" unit:"ns" min:"0" max:"5000" doc:"further latency to open a row"`
	RowCycle   float64 `name:"row_cycle" unit:"ns" min:"0" max:"5000" doc:"time between two rows opened in one bank"`
}

// Launch is what starting a kernel costs.
type Launch struct {
	Kernel float64 `name:"kernel" unit:"us" min:"0" max:"100000" doc:"time of a launch beyond the kernel's own, from when the device is idle"`
	Rate   float64 `name:"rate" unit:"us" min:"0" max:"100000" doc:"time between two launches that are queued one behind the other, at least"`
	Gap    float64 `name:"gap" unit:"us" min:"0" max:"100000" doc:"time from the end of a kernel to the start of one that is queued behind it"`
	Window float64 `name:"window" unit:"us" min:"0" max:"100000" doc:"start and end of a launch that the GPU's own clocks count as a part of it: it is in sm__cycles_elapsed and gpu__time_duration, and changes no other time"`
	Sync   float64 `name:"sync" unit:"us" min:"0" max:"100000" doc:"time until the host knows that a kernel ended, once for each time it looks"`
	Order  string  `name:"order" unit:"policy" doc:"block dispatch: breadth (the SMs in turn) or depth (an SM is filled before the next)"`
	Block  float64 `name:"block" unit:"cycle" min:"0.01" max:"1000" doc:"cycles between two blocks that the dispatcher places"`
	Start  int     `name:"start" unit:"cycle" min:"0" max:"100000" doc:"cycles from placing a block until its warps issue"`
}

// Copy is what moving data between host and device costs.
type Copy struct {
	Latency float64 `name:"latency" unit:"us" min:"0" max:"100000" doc:"fixed time of a copy"`
	Rate    float64 `name:"rate" unit:"GB/s" min:"0.001" max:"100000" doc:"bandwidth between host and device"`
}

// Hang says when a running kernel is given up.
type Hang struct {
	Window int `name:"window" unit:"cycle" min:"1000" max:"1000000000000" doc:"cycles without any memory value changed, warp ended or barrier released after which warps are watched for spinning"`
}
