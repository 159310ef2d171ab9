package config

// GPU is a machine. Every field with a `name` tag is a parameter whose path consists of the names joined by dots
// ("sm.count"); the other tags give its unit, range and meaning.
type GPU struct {
	Name    string  // the name it was loaded by: a preset, or the path of a file
	Title   string  // "NVIDIA H200 (Hopper, 2024)"
	Clock   Clock   `name:"clock"`
	SM      SM      `name:"sm"`
	Issue   Issue   `name:"issue"`
	Latency Pipes   `name:"latency" unit:"cycle" min:"1" max:"2000" doc:"cycles from the issue of a machine instruction until a dependent one can issue: "`
	Cadence Pipes   `name:"interval" unit:"cycle" min:"1" max:"256" doc:"cycles between two machine instructions of a sub-core on the same pipe: "`
	Tensor  Tensor  `name:"tensor" unit:"cycle" min:"0" max:"2000"`
	Barrier Barrier `name:"barrier"`
	Fence   Fence   `name:"fence"`
	Cluster Cluster `name:"cluster"`
	MBar    MBar    `name:"mbarrier"`
	LSU     LSU     `name:"lsu"`
	Shared  Shared  `name:"shared"`
	L1      L1      `name:"l1"`
	Xbar    Xbar    `name:"xbar"`
	L2      L2      `name:"l2"`
	Atomic  Atomic  `name:"atomic"`
	DRAM    DRAM    `name:"dram"`
	Launch  Launch  `name:"launch"`
	Copy    Copy    `name:"copy"`
	Link    Link    `name:"link"`
	Jitter  Jitter  `name:"jitter"`
	Hang    Hang    `name:"hang"`

	files   []string          // the user's files that it was loaded from
	origins map[string]origin // the origin of each value, by path; a map is never modified after loading
	set     []string          // parameters of the links that were set after loading
}

// origin describes where the value of a parameter comes from.
type origin struct {
	text    string // the loaded value; if the parameter differs from it, it was set later
	source  string
	fitted  string
	differs string
	from    string // the preset or file
	at      Place  // position in a file; empty for a preset
}

// Clock holds the clock domains. A time with the unit "cycle" is in cycles of SM, and a time with the unit "L2 cycle"
// is in cycles of L2; device memory, launches and copies have times in seconds and rates in bytes per second.
type Clock struct {
	SM float64 `name:"sm" unit:"MHz" min:"1" max:"100000" doc:"clock of the SMs with their L1 and shared memory; times with the unit cycle are in cycles of this clock"`
	L2 float64 `name:"l2" unit:"MHz" min:"1" max:"100000" doc:"clock of the crossbar, the L2 and its atomic units; times with the unit L2 cycle are in cycles of this clock"`
}

// SM is a streaming multiprocessor with its occupancy limits.
type SM struct {
	Count             int    `name:"count" unit:"SM" min:"1" max:"1024" doc:"streaming multiprocessors"`
	SubCores          int    `name:"subcores" unit:"sub-core" min:"1" max:"8" doc:"sub-cores per SM, each with a warp scheduler that issues one instruction per cycle (two with issue.dual)"`
	Warps             int    `name:"warps" unit:"warp" min:"1" max:"256" doc:"resident warps per SM"`
	Blocks            int    `name:"blocks" unit:"block" min:"1" max:"256" doc:"resident blocks per SM"`
	Barriers          int    `name:"barriers" unit:"barrier" min:"0" max:"4096" doc:"barriers per SM, shared by the resident blocks of kernels with named barriers; 0: no limit"`
	Threads           int    `name:"threads" unit:"thread" min:"32" max:"8192" doc:"resident threads per SM"`
	BlockThreads      int    `name:"block_threads" unit:"thread" min:"1" max:"1024" doc:"maximum threads per block"`
	Registers         int    `name:"registers" unit:"register" min:"1024" max:"1048576" doc:"32-bit registers per SM, divided evenly among the sub-cores"`
	RegisterUnit      int    `name:"register_unit" unit:"register" min:"1" max:"8192" doc:"allocation granularity of registers per warp"`
	BlockRegisters    int    `name:"block_registers" unit:"register" min:"1024" max:"1048576" doc:"maximum registers per block"`
	ThreadRegisters   int    `name:"thread_registers" unit:"register" min:"16" max:"1024" doc:"maximum registers per thread"`
	RegistersFrom     string `name:"registers_from" unit:"policy" doc:"registers per thread of a kernel: h100 or h200 (as allocated by ptxas for that GPU if recorded for the kernel, else estimated) or estimate"`
	SharedBytes       int    `name:"shared_bytes" unit:"byte" min:"0" max:"1048576" doc:"shared memory per SM"`
	SharedBlock       int    `name:"shared_block" unit:"byte" min:"0" max:"1048576" doc:"maximum shared memory per block, not including sm.shared_reserve"`
	SharedGranularity int    `name:"shared_granularity" unit:"byte" min:"1" max:"65536" doc:"allocation granularity of shared memory per block"`
	Divergence        string `name:"divergence" unit:"policy" doc:"execution of diverged lanes: stack (reconvergence stack: one side of a branch, then the other) or its (independent thread scheduling: every lane makes progress)"`
	SharedReserve     int    `name:"shared_reserve" unit:"byte" min:"0" max:"65536" doc:"shared memory per block that is reserved by the driver"`
}

// Issue is the front end of a sub-core.
type Issue struct {
	Scheduler string `name:"scheduler" unit:"policy" doc:"warp scheduler: gto (greedy-then-oldest), lrr (loose round robin), oldest, random (seeded), or a registered policy"`
	Yield     int    `name:"yield" unit:"poll" min:"1" max:"1000000" doc:"with its: consecutive polls of one address by the same lanes after which they yield to waiting lanes of their warp"`
	Patience  int    `name:"patience" unit:"branch" min:"1" max:"1000000000" doc:"with its: backward branches after which lanes yield to waiting lanes of their warp in any case"`
	Lowering  string `name:"lowering" unit:"policy" doc:"issue slots per operation: sass (one for each machine instruction that ptxas generates) or ir (one)"`
	Dual      bool   `name:"dual" unit:"bool" doc:"a warp scheduler has two dispatch units and can issue two operations of a warp in one cycle if they are independent and use different pipes"`
	Branch    int    `name:"branch" unit:"cycle" min:"1" max:"200" doc:"cycles from a branch or jump to the warp's next instruction"`
}

// Pipes holds one number for each arithmetic pipeline.
type Pipes struct {
	ALU     int `name:"alu" doc:"32-bit integer add, logic, compare, select, move"`
	IMAD    int `name:"imad" doc:"integer multiply, multiply-add, address arithmetic"`
	FP32    int `name:"fp32" doc:"single-precision add, multiply, fused multiply-add"`
	FP64    int `name:"fp64" doc:"double-precision add, multiply, fused multiply-add"`
	SFU     int `name:"sfu" doc:"population count, leading zeros, bit reversal, rounding, conversions to integers"`
	Div     int `name:"div" doc:"integer and double-precision division and remainder (an instruction sequence on hardware)"`
	FDiv    int `name:"fdiv" doc:"single-precision division (an instruction sequence on hardware)"`
	Sqrt    int `name:"sqrt" doc:"square root (an instruction sequence on hardware)"`
	Vote    int `name:"vote" doc:"ballot, any, all, warp barrier, active mask, match"`
	Shuffle int `name:"shuffle" doc:"shuffles"`
	Special int `name:"special" doc:"reads of special registers and clocks"`
}

// Barrier is the block barrier.
type Barrier struct {
	Base   int  `name:"base" unit:"cycle" min:"1" max:"1000" doc:"cycles from the last arrival until the warps continue"`
	Warp   int  `name:"warp" unit:"cycle" min:"0" max:"1000" doc:"cycles for which each arriving warp occupies the barrier unit"`
	ByWarp bool `name:"by_warp" unit:"bool" doc:"a warp arrives with all its lanes, as before Volta; otherwise threads arrive individually"`
}

// Cluster is what blocks of a cluster have beside what other blocks have: a network between the SMs of a group (xbar.groups), and a barrier.
type Cluster struct {
	Latency int     `name:"latency" unit:"cycle" min:"1" max:"10000" doc:"cycles from a load of another block's shared memory until the data is usable"`
	Load    float64 `name:"load" unit:"cycle" min:"0.1" max:"1024" doc:"cycles for which a load of 32 bytes from the shared memory of another SM occupies the port of either SM"`
	Store   float64 `name:"store" unit:"cycle" min:"0.1" max:"1024" doc:"the same for a store"`
	Atomic  float64 `name:"atomic" unit:"cycle" min:"0.1" max:"1024" doc:"the same for atomics"`
	Barrier int     `name:"barrier" unit:"cycle" min:"1" max:"10000" doc:"cycles from the last arrival at the barrier of a cluster until the warps that wait go on"`
}

// MBar are the operations on mbarriers in shared memory, which lanes on one mbarrier do together.
type MBar struct {
	Arrive  int `name:"arrive" unit:"cycle" min:"1" max:"10000" doc:"cycles from an arrival at an mbarrier until what it returns is usable"`
	Suspend int `name:"suspend" unit:"cycle" min:"0" max:"10000" doc:"cycles from the end of a phase until a warp goes on that a try_wait has suspended for it"`
}

// Fence is the memory fence; it also waits until the SM's accesses before it are done.
type Fence struct {
	Block  int `name:"block" unit:"cycle" min:"1" max:"10000" doc:"cost of a fence of block scope"`
	Device int `name:"device" unit:"L2 cycle" min:"1" max:"10000" doc:"cost of a fence or release of device or system scope if the SM has not accessed the L2 since its last one"`
	Access int `name:"access" unit:"L2 cycle" min:"0" max:"10000" doc:"further cost of it if the SM has accessed the near half of the L2; for the far half, l2.far comes on top, there and back; 0: where it has been makes no difference"`
	Gap    int `name:"gap" unit:"cycle" min:"0" max:"10000" doc:"cycles for which fences and releases of device scope keep what carries them out on their SM; those that come meanwhile are carried out together afterwards; 0: each by itself, at once"`
	// A fence of system scope has to reach what other processors see.
	System    int `name:"system" unit:"cycle" min:"0" max:"100000" doc:"further cost of a fence or release of system scope"`
	SystemGap int `name:"system_gap" unit:"cycle" min:"0" max:"100000" doc:"fence.gap of those of system scope; not less than it counts"`
	Peers     int `name:"peers" unit:"cycle" min:"0" max:"100000" doc:"further cost of a fence or release of system scope on a GPU of a group, for which it also keeps its SM"`
	Acquire   int `name:"acquire" unit:"cycle" min:"0" max:"10000" doc:"additional latency of an acquire load of device or system scope"`
}

// LSU is the load-store unit of an SM.
type LSU struct {
	Queue int     `name:"queue" unit:"inst" min:"1" max:"1024" doc:"length of the queue of memory instructions of an SM's load-store unit"`
	Issue int     `name:"issue" unit:"cycle" min:"1" max:"1000" doc:"cycles from issue until the unit can accept the instruction"`
	Line  float64 `name:"line" unit:"cycle" min:"0.125" max:"64" doc:"cycles for which each 128-byte line of an instruction occupies the unit"`
	Path  int     `name:"path" unit:"byte" min:"0" max:"4096" doc:"bytes of addresses, of 8 each, and of operands that a sub-core sends to the unit in a cycle, for all lanes of a warp; 0: any number"`
}

// Shared is the banked shared memory of an SM.
type Shared struct {
	Banks         int     `name:"banks" unit:"bank" min:"1" max:"256" doc:"banks of 4 bytes"`
	Latency       int     `name:"latency" unit:"cycle" min:"1" max:"2000" doc:"latency of a load without bank conflicts, from issue to use"`
	Issue         float64 `name:"issue" unit:"cycle" min:"1" max:"1000" doc:"minimum cycles for which a load or store occupies the sub-core's path to shared memory"`
	Conflict      float64 `name:"conflict" unit:"cycle" min:"0" max:"100" doc:"additional latency for each additional pass, and cycles for which each pass occupies the sub-core's path"`
	Queue         int     `name:"queue" unit:"inst" min:"1" max:"64" doc:"length of a sub-core's queue of instructions for shared memory, which leave it in order"`
	Way           float64 `name:"way" unit:"cycle" min:"0.125" max:"64" doc:"cycles for which each pass occupies the stage that delivers the SM's data"`
	OneStage      bool    `name:"one_stage" unit:"bool" doc:"shared memory and L1 are one array: lines of L1 occupy the same stage"`
	AtomicLatency int     `name:"atomic_latency" unit:"cycle" min:"1" max:"2000" doc:"latency of an atomic without conflicts, from issue to use"`
	AtomicIssue   float64 `name:"atomic_issue" unit:"cycle" min:"1" max:"1000" doc:"minimum cycles for which an atomic occupies the sub-core's path to shared memory"`
	CASRound      int     `name:"cas_round" unit:"cycle" min:"1" max:"2000" doc:"cycles of a try of the loop of load and compare-and-swap that performs atomics on floating-point and 64-bit values"`
	CASHold       int     `name:"cas_hold" unit:"cycle" min:"0" max:"2000" doc:"cycles of such a try in which other warps cannot change the word"`
	CASWide       int     `name:"cas_wide" unit:"cycle" min:"0" max:"2000" doc:"additional cycles of both for values of 8 bytes"`
	CASBank       int     `name:"cas_bank" unit:"cycle" min:"0" max:"2000" doc:"cycles of such a try in which other warps cannot change another word of the bank"`
	Locks         int     `name:"locks" unit:"lock" min:"0" max:"65536" doc:"number of locks, selected by word address, if atomics are a loop of lock, update and unlock (before Maxwell); 0: atomics are native"`
	LockRound     int     `name:"lock_round" unit:"cycle" min:"1" max:"2000" doc:"cycles from one try of the loop until the lanes that did not get their lock try again"`
	LockHold      int     `name:"lock_hold" unit:"cycle" min:"1" max:"2000" doc:"cycles for which a try holds its locks against other warps"`
}

// L1 is the data cache of an SM: write-through, with 32-byte sectors in 128-byte lines, not coherent.
type L1 struct {
	Bytes    int  `name:"bytes" unit:"byte" min:"1024" max:"1048576" doc:"capacity; including shared memory if unified"`
	Unified  bool `name:"unified" unit:"bool" doc:"the shared memory of the resident blocks is taken from the capacity"`
	Ways     int  `name:"ways" unit:"way" min:"1" max:"64" doc:"associativity"`
	Latency  int  `name:"latency" unit:"cycle" min:"1" max:"2000" doc:"latency of a hit, from issue to use"`
	MSHRs    int  `name:"mshrs" unit:"request" min:"1" max:"65536" doc:"outstanding line requests per SM"`
	GlobalOn bool `name:"global" unit:"bool" doc:"plain loads of global memory are cached"`

	CarveOut    string `name:"carve_out" unit:"policy" doc:"part of a unified cache that the driver makes shared memory, in published steps: fit (the smallest that holds the blocks that fit on an SM) or ample (as chosen on an H200: room for more blocks, if that leaves enough)"`
	Index       string `name:"index" unit:"policy" doc:"mapping of lines to sets: linear (consecutive lines in consecutive sets), xor (the exclusive or of all digits of the line's number in base sets; their sum if that is not a power of two) or hash (a random function of the line)"`
	Reserve     int    `name:"reserve" unit:"byte" min:"0" max:"1048576" doc:"part of the capacity that holds no lines"`
	Replacement string `name:"replacement" unit:"policy" doc:"line to evict: lru (least recently used), fifo (oldest), or a registered policy"`
}

// Xbar is the crossbar between SMs and L2 slices.
type Xbar struct {
	Request     int     `name:"request" unit:"L2 cycle" min:"1" max:"2000" doc:"latency from L1 to an L2 slice"`
	Reply       int     `name:"reply" unit:"L2 cycle" min:"1" max:"2000" doc:"latency from an L2 slice to the SM"`
	Groups      int     `name:"groups" unit:"group" min:"0" max:"1024" doc:"groups of SMs whose reads are merged on the way to the L2, each of consecutive SMs; 0: none are merged"`
	Merged      int     `name:"merged" unit:"request" min:"1" max:"1024" doc:"reads of the same sectors that are merged into one at most"`
	Window      int     `name:"window" unit:"L2 cycle" min:"0" max:"2000" doc:"how long after a read's data is known in the L2 the read can still be joined by another"`
	GroupLine   float64 `name:"group_line" unit:"L2 cycle" min:"0" max:"64" doc:"cycles for which the data of a line occupies the way from the L2 to a group, a share of it for fewer sectors; once for reads that are merged"`
	GroupAnswer float64 `name:"group_answer" unit:"L2 cycle" min:"0" max:"64" doc:"cycles between answers of the L2 to SMs of a group, also to reads that are merged"`
	GroupReads  int     `name:"group_reads" unit:"request" min:"0" max:"65536" doc:"reads of whole lines that can be merged with others while they wait for the port of a group"`
	SendFlit    float64 `name:"send_flit" unit:"L2 cycle" min:"0.01" max:"64" doc:"cycles for which a request header, and each 32 bytes of data, occupy the SM's sending port"`
	SendHead    int     `name:"send_head" unit:"flit" min:"0" max:"16" doc:"flits before the data of a store that writes whole sectors; one that writes parts of sectors has one, which says which bytes"`
	RecvHead    float64 `name:"recv_head" unit:"L2 cycle" min:"0" max:"64" doc:"cycles for which the header of an answer occupies the SM's receiving port; with recv_line, of those to loads whose lanes access many lines"`
	RecvFlit    float64 `name:"recv_flit" unit:"L2 cycle" min:"0.01" max:"64" doc:"cycles for which each 32 bytes of data occupy the SM's receiving port"`
	RecvLine    float64 `name:"recv_line" unit:"L2 cycle" min:"0" max:"64" doc:"cycles for which the data of an answer to a load occupies the SM's receiving port, whatever number of sectors it has; 0: recv_flit for each sector"`
}

// L2 is the cache shared by all SMs: write-back, with 32-byte sectors in 128-byte lines.
type L2 struct {
	Slices     int     `name:"slices" unit:"slice" min:"1" max:"1024" doc:"slices, each with its own port and atomic unit"`
	Bytes      int     `name:"bytes" unit:"byte" min:"4096" max:"1073741824" doc:"total capacity of all slices"`
	Ways       int     `name:"ways" unit:"way" min:"1" max:"64" doc:"associativity"`
	Latency    int     `name:"latency" unit:"L2 cycle" min:"1" max:"2000" doc:"latency of a hit within the slice"`
	Sector     float64 `name:"sector" unit:"L2 cycle" min:"0.125" max:"64" doc:"cycles for which a sector occupies the slice's port"`
	Load       float64 `name:"load" unit:"L2 cycle" min:"0" max:"64" doc:"cycles for which a sector of a load occupies the slice's port, all together at least l2.sector; loads that are merged into one occupy it for l2.sector each, but for the first; 0: l2.sector for each sector of each"`
	Store      float64 `name:"store" unit:"L2 cycle" min:"0" max:"64" doc:"additional cycles of the slice's port for the sectors of a line that a store writes"`
	Merge      float64 `name:"merge" unit:"L2 cycle" min:"0" max:"64" doc:"additional cycles of the slice's port for a sector of which a store writes only some bytes, which are merged with the others"`
	MSHRs      int     `name:"mshrs" unit:"request" min:"1" max:"65536" doc:"outstanding sector fills per slice"`
	Hash       string  `name:"hash" unit:"policy" doc:"mapping of addresses to slices: mixed (each run of chunks visits every slice once, in a hashed order), modulo (chunks in turn), or a registered hash"`
	Index      string  `name:"index" unit:"policy" doc:"mapping of a slice's lines, numbered consecutively, to its sets: linear, xor or hash, as l1.index"`
	Fetch      int     `name:"fetch" unit:"byte" min:"32" max:"128" doc:"aligned bytes that a read miss brings from device memory, all of which are kept: 32, 64 or 128"`
	Copies     int     `name:"copies" unit:"number" min:"0" max:"1" doc:"1: what copies and fills write stays in the L2 as what kernels write does; 0: it does not, or that is not known"`
	Partial    string  `name:"partial" unit:"policy" doc:"eviction of a sector of which only some bytes have been written: read (the others are read from device memory first) or mask (device memory writes single bytes)"`
	Interleave int     `name:"interleave" unit:"byte" min:"128" max:"1048576" doc:"consecutive bytes in the same slice"`
	Pair       int     `name:"pair" unit:"byte" min:"0" max:"1048576" doc:"aligned bytes that two slices share: pieces of l2.interleave go to one and the other in turn; 0: slices are not in pairs, and consecutive pieces go to all of them"`
	Partitions int     `name:"partitions" unit:"partition" min:"1" max:"2" doc:"partitions of the L2; with 2, half of the SMs and of the slices belong to each"`
	Spread     int     `name:"spread" unit:"L2 cycle" min:"0" max:"2000" doc:"difference of latency between the slices nearest to an SM and farthest from it; l2.latency is the mean"`
	Page       int     `name:"page" unit:"byte" min:"4096" max:"1073741824" doc:"with two partitions: consecutive bytes that have the same home partition"`
	Far        int     `name:"far" unit:"L2 cycle" min:"0" max:"2000" doc:"additional latency in each direction between an SM and a slice of the other partition; loads leave a copy in the near partition, which serves later loads"`
}

// Atomic is the unit of an L2 slice that performs read-modify-write operations.
type Atomic struct {
	Unit    string  `name:"unit" unit:"policy" doc:"model of a slice's atomic unit: serial (one step after another), or a registered unit"`
	Latency int     `name:"latency" unit:"L2 cycle" min:"0" max:"5000" doc:"latency of an atomic in addition to an L2 hit"`
	Far     int     `name:"far" unit:"L2 cycle" min:"0" max:"2000" doc:"additional latency of an atomic at the other partition of the L2, in addition to l2.far"`
	Step    float64 `name:"step" unit:"L2 cycle" min:"0.125" max:"1000" doc:"cycles for which the unit is busy with a sector, and with each further operation if all lanes of a sector are on one address"`
	Queue   int     `name:"queue" unit:"step" min:"0" max:"65536" doc:"steps that can wait at a unit; a packet with several operations on a word keeps the SM's sending port, also against packets to other slices, until the rest fit in; 0: no limit"`
	Replay  float64 `name:"replay" unit:"L2 cycle" min:"0.125" max:"1000" doc:"cycles of each further operation on the most contended address of a sector, if other addresses of the sector are accessed too"`
	Full    float64 `name:"full" unit:"L2 cycle" min:"0" max:"1000" doc:"cycles for which the unit is busy with an operation on all eight words of a sector at once, on one of the four lines that it has worked on most recently; then further operations on several words of a sector keep it for atomic.step, and atomic.replay is their distance from each other within the packets of one half of the GPU; 0, or no less than atomic.step: as long as others"`
	Load    float64 `name:"load" unit:"L2 cycle" min:"0.125" max:"1000" doc:"cycles for which the unit is busy with a load from one of the four lines that it has worked on most recently, within atomic.after, one for each operation on the line"`
	After   int     `name:"after" unit:"L2 cycle" min:"0" max:"1000" doc:"for how long after its last operation a line is the unit's: a load that comes in this time is answered at its end"`
	Peer    float64 `name:"peer" unit:"L2 cycle" min:"0" max:"1000" doc:"additional cycles of each step for another GPU"`
	Word    float64 `name:"peer_word" unit:"L2 cycle" min:"0" max:"1000" doc:"as atomic.peer, of the steps on a sector of which all lanes are on one address"`
	Result  float64 `name:"result" unit:"L2 cycle" min:"0" max:"1000" doc:"additional cycles of each step if the result is returned and the line is not one of the four that the unit has worked on most recently; a seventh of this for each further address of a sector"`
}

// DRAM is the device memory.
type DRAM struct {
	Capacity   int     `name:"capacity" unit:"MiB" min:"1" max:"1048576" doc:"capacity"`
	Channels   int     `name:"channels" unit:"channel" min:"1" max:"1024" doc:"independent channels"`
	Hash       string  `name:"hash" unit:"policy" doc:"mapping of addresses to channels: mixed, modulo, or a registered hash; see l2.hash"`
	Banks      int     `name:"banks" unit:"bank" min:"1" max:"1024" doc:"banks per channel"`
	RowBytes   int     `name:"row_bytes" unit:"byte" min:"64" max:"65536" doc:"size of a row"`
	Burst      int     `name:"burst" unit:"byte" min:"32" max:"128" doc:"size of one access: 32, 64 or 128"`
	Bandwidth  float64 `name:"bandwidth" unit:"GB/s" min:"1" max:"1000000" doc:"peak bandwidth of all channels together, as in a data sheet"`
	Efficiency float64 `name:"efficiency" unit:"share" min:"0.1" max:"1" doc:"share of the bus time available for data, after refresh and read-write turnarounds"`
	Latency    float64 `name:"latency" unit:"ns" min:"1" max:"5000" doc:"latency from the L2 slice and back if the row is open"`
	RowMiss    float64 `name:"row_miss" unit:"ns" min:"0" max:"5000" doc:"additional latency to open a row"`
	RowCycle   float64 `name:"row_cycle" unit:"ns" min:"0" max:"5000" doc:"minimum time between opening two rows of one bank"`
}

// Launch is the cost of starting a kernel.
type Launch struct {
	Kernel float64 `name:"kernel" unit:"us" min:"0" max:"100000" doc:"overhead of a launch on an idle device, in addition to the kernel's own time"`
	Device float64 `name:"device" unit:"us" min:"0" max:"100000" doc:"overhead of a launch that a kernel has asked for (dynamic parallelism), from the end of the kernel's grid on, in addition to the time of what it starts; 0: kernels of this machine start none"`
	Rate   float64 `name:"rate" unit:"us" min:"0" max:"100000" doc:"minimum time between two launches that are queued back to back"`
	Gap    float64 `name:"gap" unit:"us" min:"0" max:"100000" doc:"time from the end of a kernel to the start of the next one in the queue"`
	Window float64 `name:"window" unit:"us" min:"0" max:"100000" doc:"time at the start and end of a launch that the GPU's own clocks count as part of it: it is included in sm__cycles_elapsed and gpu__time_duration, and in no other time"`
	Sync   float64 `name:"sync" unit:"us" min:"0" max:"100000" doc:"time until the host learns that its kernels have ended, for each synchronization"`
	Step   float64 `name:"step" unit:"us" min:"0" max:"100000" doc:"what a step of a scheme's host loop takes between an answer and the next launch"`
	First  float64 `name:"first" unit:"us" min:"0" max:"100000" doc:"time by which the first launch of a kernel since memory was last allocated takes longer: the caches of the host do not hold what it needs"`
	Cold   float64 `name:"cold" unit:"us" min:"0" max:"100000" doc:"as launch.first, of the first launch of any kernel, in addition, if 1 MiB or more was copied to the device since the last launch; in proportion if it was less"`
	Order  string  `name:"order" unit:"policy" doc:"block dispatch: breadth (round robin over the SMs), depth (fill one SM before the next), random (any SM with room, seeded), or a registered policy"`
	Block  float64 `name:"block" unit:"cycle" min:"0.01" max:"1000" doc:"cycles between the placement of two blocks"`
	Start  int     `name:"start" unit:"cycle" min:"0" max:"100000" doc:"cycles from the placement of a block until its warps can issue"`
}

// Copy is the cost of moving data between host and device.
type Copy struct {
	Latency float64 `name:"latency" unit:"us" min:"0" max:"100000" doc:"fixed overhead of a copy"`
	Rate    float64 `name:"rate" unit:"GB/s" min:"0.001" max:"100000" doc:"bandwidth between host and device"`
	Answer  float64 `name:"answer" unit:"us" min:"0" max:"100000" doc:"time by which a launch takes longer if the host waits for a few words that it found"`
}

// Jitter are delays that vary from run to run on silicon, drawn from the seed: each is a whole number from 0 to the
// parameter, all equally likely. With 0, which is the value of every preset, nothing is drawn.
type Jitter struct {
	SM      int `name:"sm" unit:"cycle" min:"0" max:"100000" doc:"largest delay of the start of an SM's blocks, drawn for each SM and launch"`
	Block   int `name:"block" unit:"cycle" min:"0" max:"100000" doc:"largest delay of the start of a block, drawn for each block, in addition to jitter.sm"`
	Message int `name:"message" unit:"L2 cycle" min:"0" max:"10000" doc:"largest additional latency from L1 to an L2 slice, drawn for each request; requests from one SM to one slice stay in order"`
}

// Hang configures the detection of kernels that cannot finish.
type Hang struct {
	Window int `name:"window" unit:"cycle" min:"1000" max:"1000000000000" doc:"cycles of a launch after which the search for a livelock begins: for a state of the whole machine that recurs"`
}
