package counter

import "github.com/weft-gpu/weft/device"

// Raw are the counts that the simulator maintains. All fields are made of uint64.
type Raw struct {
	Insts, ThreadInsts, PredOn   uint64
	Dual                         uint64 // the part of Insts that issued second in their cycle
	Branches, Divergent          uint64
	Blocks, WarpsLaunched        uint64
	SMActive                     uint64 // cycles with a resident block, summed over SMs
	SMUsed                       uint64 // Cycles of each launch times the SMs that had a block in it
	SubActive                    uint64 // cycles with a resident warp, summed over sub-cores
	WarpCycles                   uint64 // resident warps times cycles, summed over SMs
	Stalled                      [NumStalls]uint64
	L1Hits, L1Joined             uint64 // sectors that L1 held, and sectors in flight
	L1GlobalHits, L1GlobalJoined uint64 // the part of these that belongs to global memory
	Load, Store, Red, Atom       Traffic
	Local                        Traffic
	Copy                         Traffic             // asynchronous copies from global memory
	CopiedBytes                  uint64              // that these brought to shared memory
	Idle                         [NumAccesses]uint64 // global accesses in which no lane takes part
	SharedAccesses               uint64
	SharedAtomics                uint64
	SharedLoads, SharedStores    uint64
	SharedWays                   uint64 // of loads and stores
	SharedAtomWays               uint64
	BankConflicts                uint64
	ConflictsLoad                uint64
	ConflictsStore               uint64
	Packets                      uint64 // from SMs to the L2
	Barriers                     uint64
	L2                           L2
	Peer                         [NumAccesses]uint64 // sectors that SMs request from other GPUs
	AtomicTicks                  uint64              // ticks for which atomic units worked, summed over all units
	DRAMRead, DRAMWritten        uint64              // bytes
	RowHits, RowMisses           uint64
	Busy                         Busy
	Launches                     uint64
	Cycles                       uint64 // from the placement of the first block to the last store
	Elapsed                      uint64 // Cycles plus the start and end of each launch
	Nanoseconds                  uint64 // rounded for each launch
}

// Busy is how long parts of the machine were busy, summed over all parts of a kind: in cycles for the pipes, in ticks
// for all others.
type Busy struct {
	Pipes       [NumPipes]uint64 // of the sub-cores
	LSU         uint64           // load-store units, processing the lines of instructions
	Shared      uint64           // shared memories
	Send, Recv  uint64           // the SMs' ports to and from the crossbar
	L2          uint64           // ports of the L2's slices
	L2Most      uint64           // the port that was busy longest, summed over launches
	AtomicsMost uint64           // the atomic unit that was busy longest, including loads that wait their turn there, summed over launches
}

// Pipes of a sub-core, as indices.
const (
	PipeALU = iota
	PipeIMAD
	PipeFP32
	PipeFP64
	PipeSFU
	PipeVote
	PipeShuffle
	PipeSpecial
	PipeAtomic
	PipeTensor
	NumPipes
)

// Traffic is the traffic of one kind of access at L1.
type Traffic struct {
	Insts, Lines, Sectors uint64 // Sectors does not include atomics
}

// Add adds n to t.
func (t *Traffic) Add(n Traffic) {
	t.Insts += n.Insts
	t.Lines += n.Lines
	t.Sectors += n.Sectors
}

// L2 are the counts of the L2.
type L2 struct {
	Read, Write, Atom, Red uint64              // sectors by kind of access
	FromSM                 [NumAccesses]uint64 // sectors requested by SMs, counted once each
	Hits, Misses           uint64              // sectors
	WriteBacks             uint64              // sectors
	Ops                    uint64              // of atomics, for each lane
	Waited                 uint64              // ticks for which these waited for their unit, summed over them
}

// The kinds of access to global memory, as indices.
const (
	Load = iota
	Store
	Atomic
	Red // an atomic whose result is not used
	NumAccesses
)

// Names of counters that code asks for.
const (
	WarpInstructions = "smsp__inst_executed.sum"
	GlobalAtomics    = "smsp__inst_executed_op_global_atom.sum"
	// Hopper does not have GlobalAtomics, but the following two counters instead.
	GenericALU = "smsp__inst_executed_op_generic_atom_dot_alu.sum"
	GenericCAS = "smsp__inst_executed_op_generic_atom_dot_cas.sum"

	ThreadInsts = "smsp__thread_inst_executed.sum"

	// What atomics wait for: their operations, their waiting time, and the longest queue at a word.
	AtomicOps   = "lts__atomic_operations.sum"
	AtomicWait  = "lts__atomic_wait_cycles.sum"
	AtomicQueue = "lts__atomic_queue.max"

	// IssueActive is the weight of the stall reasons.
	IssueActive = "smsp__issue_active.sum"
)

// Reasons why counters of the same name are not comparable with those of a GPU.
const (
	cachedAtProfiling = "Nsight Compute runs a kernel several times, and from the second run on its data is in the L2"
	includesProfiler  = "a GPU's counter includes accesses of the profiler itself; lts__t_sectors_srcunit_tex_op_read.sum and _write.sum count the requests of SMs"
	includesShuffles  = "a GPU also counts shuffles, and about two wavefronts per warp in kernels without shared memory; the counter for shared atomics alone is comparable"
)

// issued returns the cycles in which a sub-core issued, summed over the sub-cores.
func (c *Counted) issued() uint64 { return c.Insts - c.Dual }

// table has every counter except the shares of peak and the stall reasons, in the order of reports.
var table = []Counter{
	{Name: "launch__count.sum", Unit: "launch", Desc: "kernels launched", Own: true,
		Count: func(c *Counted) uint64 { return c.Launches }},
	{Name: "smsp__warps_launched.sum", Unit: "warp", Desc: "warps that ran or started to run",
		Count: func(c *Counted) uint64 { return c.WarpsLaunched }},
	{Name: "gpu__time_duration.sum", Unit: "ns", Desc: "time of the kernels on the GPU, without the host's part; on a simulated GPU including the start and end of each launch (launch.window)", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Nanoseconds }},
	{Name: "sm__cycles_elapsed.max", Unit: "cycle", Desc: "cycles in that time: from the start of a launch on the GPU to its end, including its blocks and last store", Recorded: true, Compared: true, Adds: true,
		Count: func(c *Counted) uint64 { return c.Elapsed }},
	{Name: "sm__cycles_active.avg", Unit: "cycle", Desc: "cycles in which an SM had a warp, averaged over all SMs", Recorded: true, Compared: true, Adds: true,
		Value: func(c *Counted) float64 { return float64(c.SMActive) / float64(c.SMs) }},
	{Name: "sm__cycles_active.sum", Unit: "cycle", Desc: "cycles in which an SM had a warp, summed over the SMs",
		Count: func(c *Counted) uint64 { return c.SMActive }},
	{Name: UsedCycles, Unit: "cycle", Desc: "cycles from the first block of a launch to its last store, summed over the SMs that had a block in it", Own: true,
		Count: func(c *Counted) uint64 { return c.SMUsed }},
	{Name: "smsp__cycles_active.avg", Unit: "cycle", Desc: "cycles in which a sub-core had a warp, averaged over all sub-cores", Recorded: true, Compared: true, Adds: true,
		Value: func(c *Counted) float64 { return float64(c.SubActive) / float64(c.SMs*c.SubCores) }},
	{Name: "smsp__cycles_active.sum", Unit: "cycle", Desc: "cycles in which a sub-core had a warp, summed over the sub-cores",
		Count: func(c *Counted) uint64 { return c.SubActive }},
	{Name: "sm__warps_active.avg.pct_of_peak_sustained_active", Unit: "%", Desc: "achieved occupancy: resident warps of an SM in its active cycles, as a share of the maximum", Recorded: true, Compared: true, Weight: "sm__cycles_active.avg",
		Value: func(c *Counted) float64 {
			return 100 * ratio(float64(c.WarpCycles), float64(c.SMActive)*float64(c.Warps))
		}},
	{Name: "sm__ctas_launched.sum", Unit: "block", Desc: "blocks that ran or started to run",
		Count: func(c *Counted) uint64 { return c.Blocks }},
	{Name: "smsp__inst_executed.sum", Unit: "inst", Desc: "warp instructions", Key: 1, Column: "inst", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Insts }},
	{Name: "smsp__inst_executed.avg.per_cycle_active", Unit: "inst/cycle", Desc: "warp instructions per active cycle of a sub-core (IPC); at most 1 (2 with issue.dual)", Recorded: true, Compared: true, Weight: "smsp__cycles_active.avg",
		Value: func(c *Counted) float64 { return ratio(float64(c.Insts), float64(c.SubActive)) }},
	{Name: "smsp__thread_inst_executed.sum", Unit: "inst", Desc: "thread instructions: active lanes summed over all warp instructions", Key: 3, Column: "threads", Recorded: true,
		Count: func(c *Counted) uint64 { return c.ThreadInsts }},
	{Name: "smsp__thread_inst_executed_pred_on.sum", Unit: "inst", Desc: "thread instructions whose guard is true", Recorded: true,
		Count: func(c *Counted) uint64 { return c.PredOn }},
	{Name: "smsp__thread_inst_executed_per_inst_executed.ratio", Unit: "thread", Desc: "active lanes per warp instruction, on average: warp execution efficiency times 32", Key: 2, Weight: "smsp__inst_executed.sum",
		Value: func(c *Counted) float64 { return ratio(float64(c.ThreadInsts), float64(c.Insts)) }},
	{Name: "smsp__average_warp_latency_per_inst_issued.ratio", Unit: "cycle", Desc: "resident warps per issued instruction: average cycles from one instruction of a warp to its next; the sum over all stall reasons", Recorded: true, Compared: true, Weight: "smsp__issue_active.sum",
		Value: func(c *Counted) float64 { return ratio(float64(c.WarpCycles), float64(c.Insts)) }},
	{Name: "smsp__issue_active.sum", Unit: "cycle", Desc: "cycles in which a sub-core issued, summed over the sub-cores", Recorded: true,
		Count: func(c *Counted) uint64 { return c.issued() }},
	{Name: "smsp__sass_branch_targets.sum", Unit: "branch", Desc: "branches at which lanes can diverge", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Branches }},
	{Name: "smsp__sass_branch_targets_threads_divergent.sum", Unit: "branch", Desc: "branches at which lanes diverged", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Divergent }},
	{Name: "smsp__inst_executed_op_global_ld.sum", Unit: "inst", Desc: "loads from global memory, including those without active lanes", Key: 4, Recorded: true,
		Count: func(c *Counted) uint64 { return c.Load.Insts + c.Idle[Load] }},
	{Name: "smsp__inst_executed_op_global_st.sum", Unit: "inst", Desc: "stores to global memory, including those without active lanes", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Store.Insts + c.Idle[Store] }},
	{Name: "smsp__inst_executed_op_global_atom.sum", Unit: "inst", Desc: "atomics on global memory that return a result", Key: 5,
		Count: func(c *Counted) uint64 { return c.Atom.Insts + c.Idle[Atomic] }},
	{Name: "smsp__inst_executed_op_global_red.sum", Unit: "inst", Desc: "atomics on global memory that return no result", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Red.Insts + c.Idle[Red] }},
	{Name: "smsp__inst_executed_op_ldgsts.sum", Unit: "inst", Desc: "asynchronous copies from global to shared memory that copy something",
		Count: func(c *Counted) uint64 { return c.Copy.Insts }},
	{Name: "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts.sum", Unit: "sector", Desc: "sectors requested by asynchronous copies",
		Count: func(c *Counted) uint64 { return c.Copy.Sectors }},
	{Name: "smsp__copied_bytes.sum", Unit: "byte", Desc: "bytes that asynchronous copies have brought to shared memory", Own: true,
		Count: func(c *Counted) uint64 { return c.CopiedBytes }},
	{Name: "smsp__inst_executed_op_shared.sum", Unit: "inst", Desc: "accesses to shared memory, including those without active lanes",
		Count: func(c *Counted) uint64 { return c.SharedAccesses }},
	{Name: "smsp__inst_executed_op_shared_ld.sum", Unit: "inst", Desc: "loads from shared memory, including those without active lanes", Recorded: true,
		Count: func(c *Counted) uint64 { return c.SharedLoads }},
	{Name: "smsp__inst_executed_op_shared_st.sum", Unit: "inst", Desc: "stores to shared memory, including those without active lanes", Recorded: true,
		Count: func(c *Counted) uint64 { return c.SharedStores }},
	{Name: "smsp__inst_executed_op_shared_atom.sum", Unit: "inst", Desc: "atomics on shared memory", Recorded: true,
		Count: func(c *Counted) uint64 { return c.SharedAtomics }},
	{Name: "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", Unit: "request", Desc: "global loads: instructions with at least one active lane", Column: "loads", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Load.Insts }},
	{Name: "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum", Unit: "line", Desc: "lines requested by global loads", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Load.Lines }},
	{Name: "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", Unit: "request", Desc: "global stores: instructions with at least one active lane", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Store.Insts }},
	{Name: "l1tex__t_set_accesses_pipe_lsu_mem_global_op_st.sum", Unit: "line", Desc: "lines written by global stores",
		Count: func(c *Counted) uint64 { return c.Store.Lines }},
	{Name: "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", Unit: "request", Desc: "global atomics with result: instructions with at least one active lane", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Atom.Insts }},
	{Name: "l1tex__t_set_accesses_pipe_lsu_mem_global_op_atom.sum", Unit: "line", Desc: "lines accessed by global atomics with result",
		Count: func(c *Counted) uint64 { return c.Atom.Lines }},
	{Name: "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", Unit: "request", Desc: "global atomics without result: instructions with at least one active lane", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Red.Insts }},
	{Name: "l1tex__t_set_accesses_pipe_lsu_mem_global_op_red.sum", Unit: "line", Desc: "lines accessed by global atomics without result",
		Count: func(c *Counted) uint64 { return c.Red.Lines }},
	{Name: "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", Unit: "sector", Desc: "sectors requested by global loads", Column: "ld", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Load.Sectors }},
	{Name: "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", Unit: "sector", Desc: "sectors written by global stores", Column: "st", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Store.Sectors }},
	{Name: "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", Unit: "sector", Desc: "sectors accessed by global atomics with result; each counts once for each lane on its most contended address", Column: "atom", Recorded: true,
		Count: func(c *Counted) uint64 { return c.L2.FromSM[Atomic] }},
	{Name: "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", Unit: "sector", Desc: "sectors accessed by global atomics without result; each counts once for each lane on its most contended address", Column: "red", Recorded: true,
		Count: func(c *Counted) uint64 { return c.L2.FromSM[Red] }},
	{Name: "l1tex__t_sectors_pipe_lsu_mem_local.sum", Unit: "sector", Desc: "sectors accessed in local memory", Own: true,
		Count: func(c *Counted) uint64 { return c.Local.Sectors }},
	{Name: "l1tex__t_sectors_pipe_lsu_lookup_hit.sum", Unit: "sector", Desc: "sectors of loads that hit L1 or joined a pending request", Key: 7,
		Count: func(c *Counted) uint64 { return c.L1Hits + c.L1Joined }},
	{Name: "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", Unit: "sector", Desc: "sectors of global loads that hit L1 or joined a pending request", Column: "L1 hit", Recorded: true,
		Count: func(c *Counted) uint64 { return c.L1GlobalHits + c.L1GlobalJoined }},
	{Name: "l1tex__t_sectors_pipe_lsu_lookup_pending.sum", Unit: "sector", Desc: "those of the L1 hits that joined a pending request", Own: true,
		Count: func(c *Counted) uint64 { return c.L1Joined }},
	{Name: "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", Unit: "sector", Desc: "sectors per global load, on average", Key: 6, Weight: "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
		Value: func(c *Counted) float64 { return ratio(float64(c.Load.Sectors), float64(c.Load.Insts)) }},
	{Name: "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", Unit: "sector", Desc: "sectors per global store, on average", Weight: "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
		Value: func(c *Counted) float64 { return ratio(float64(c.Store.Sectors), float64(c.Store.Insts)) }},
	{Name: "l1tex__m_l1tex2xbar_packets.sum", Unit: "packet", Desc: "packets sent by SMs to the L2", Own: true,
		Count: func(c *Counted) uint64 { return c.Packets }},
	{Name: "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", Unit: "conflict", Desc: "additional passes of shared memory because of bank conflicts", Key: 13, Column: "conflicts", Recorded: true,
		Count: func(c *Counted) uint64 { return c.BankConflicts }},
	{Name: "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", Unit: "conflict", Desc: "additional passes of shared loads because of bank conflicts", Recorded: true,
		Count: func(c *Counted) uint64 { return c.ConflictsLoad }},
	{Name: "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", Unit: "conflict", Desc: "additional passes of shared stores because of bank conflicts", Recorded: true,
		Count: func(c *Counted) uint64 { return c.ConflictsStore }},
	{Name: "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", Unit: "conflict", Desc: "additional passes of shared atomics because lanes are on one bank", Recorded: true,
		Count: func(c *Counted) uint64 { return c.BankConflicts - c.ConflictsLoad - c.ConflictsStore }},
	{Name: "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", Unit: "wavefront", Desc: "passes of shared memory", Recorded: true, Apart: includesShuffles,
		Count: func(c *Counted) uint64 { return c.SharedWays + c.SharedAtomWays }},
	{Name: "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", Unit: "wavefront", Desc: "passes of shared atomics: the largest number of lanes on one bank, or of words if 1 is added without result; twice as many of compare-and-swap", Recorded: true,
		Count: func(c *Counted) uint64 { return c.SharedAtomWays }},
	{Name: "smsp__barriers.sum", Unit: "barrier", Desc: "block barriers that opened", Own: true,
		Count: func(c *Counted) uint64 { return c.Barriers }},
	{Name: "lts__t_sectors_op_read.sum", Unit: "sector", Desc: "sectors read in the L2; sectors that pass through both halves count twice", Key: 8, Recorded: true, Apart: includesProfiler,
		Count: func(c *Counted) uint64 { return c.L2.Read }},
	{Name: "lts__t_sectors_op_write.sum", Unit: "sector", Desc: "sectors written in the L2; sectors that pass through both halves count twice", Recorded: true, Apart: includesProfiler,
		Count: func(c *Counted) uint64 { return c.L2.Write }},
	{Name: "lts__t_sectors_op_atom.sum", Unit: "sector", Desc: "sectors of atomics with result in the L2; sectors that pass through both halves count twice", Key: 9, Column: "L2 atom", Recorded: true,
		Count: func(c *Counted) uint64 { return c.L2.Atom }},
	{Name: "lts__t_sectors_op_red.sum", Unit: "sector", Desc: "sectors of atomics without result in the L2; sectors that pass through both halves count twice", Recorded: true,
		Count: func(c *Counted) uint64 { return c.L2.Red }},
	{Name: "lts__t_sectors_srcunit_tex_op_read.sum", Unit: "sector", Desc: "sectors read from the L2 by SMs", Column: "L2 read", Recorded: true,
		Count: func(c *Counted) uint64 { return c.L2.FromSM[Load] }},
	{Name: "lts__t_sectors_srcunit_tex_op_write.sum", Unit: "sector", Desc: "sectors written to the L2 by SMs", Column: "L2 write", Recorded: true,
		Count: func(c *Counted) uint64 { return c.L2.FromSM[Store] }},
	{Name: "lts__t_sectors_srcunit_tex_op_atom.sum", Unit: "sector", Desc: "sectors of atomics with result sent to the L2 by SMs", Recorded: true,
		Count: func(c *Counted) uint64 { return c.L2.FromSM[Atomic] }},
	{Name: "lts__t_sectors_srcunit_tex_op_red.sum", Unit: "sector", Desc: "sectors of atomics without result sent to the L2 by SMs", Recorded: true,
		Count: func(c *Counted) uint64 { return c.L2.FromSM[Red] }},
	{Name: "lts__t_sectors_aperture_peer_op_read.sum", Unit: "sector", Desc: "sectors that SMs read from the memory of other GPUs",
		Count: func(c *Counted) uint64 { return c.Peer[Load] }},
	{Name: "lts__t_sectors_aperture_peer_op_write.sum", Unit: "sector", Desc: "sectors that SMs write to the memory of other GPUs",
		Count: func(c *Counted) uint64 { return c.Peer[Store] }},
	{Name: "lts__t_sectors_aperture_peer_op_atom.sum", Unit: "sector", Desc: "sectors of atomics with result that SMs send to other GPUs",
		Count: func(c *Counted) uint64 { return c.Peer[Atomic] }},
	{Name: "lts__t_sectors_aperture_peer_op_red.sum", Unit: "sector", Desc: "sectors of atomics without result that SMs send to other GPUs",
		Count: func(c *Counted) uint64 { return c.Peer[Red] }},
	{Name: "lts__t_sectors_lookup_hit.sum", Unit: "sector", Desc: "sectors that hit the L2", Recorded: true, Apart: cachedAtProfiling,
		Count: func(c *Counted) uint64 { return c.L2.Hits }},
	{Name: "lts__t_sectors_lookup_miss.sum", Unit: "sector", Desc: "sectors that missed the L2", Recorded: true, Apart: cachedAtProfiling,
		Count: func(c *Counted) uint64 { return c.L2.Misses }},
	{Name: "lts__t_sector_hit_rate.pct", Unit: "%", Desc: "sectors that hit the L2, as a share of all lookups", Key: 10, Apart: cachedAtProfiling,
		Value: func(c *Counted) float64 {
			return 100 * ratio(float64(c.L2.Hits), float64(c.L2.Hits)+float64(c.L2.Misses))
		}},
	{Name: "lts__d_atomic_input_cycles_active.sum", Unit: "cycle", Desc: "cycles in which an atomic unit of the L2 was busy, summed over all units",
		Value: func(c *Counted) float64 { return float64(c.AtomicTicks) / TicksPerCycle }},
	{Name: "lts__atomic_steps.sum", Unit: "step", Desc: "serial steps of the atomic units", Own: true,
		Count: func(c *Counted) uint64 { return c.L2.FromSM[Atomic] + c.L2.FromSM[Red] }},
	{Name: AtomicOps, Unit: "operation", Desc: "operations of atomics on device memory: one for each lane", Own: true,
		Count: func(c *Counted) uint64 { return c.L2.Ops }},
	{Name: AtomicWait, Unit: "cycle", Desc: "SM cycles for which these operations waited for their atomic unit, summed over operations", Own: true,
		Value: func(c *Counted) float64 { return float64(c.L2.Waited) / TicksPerCycle }},
	{Name: AtomicQueue, Unit: "operation", Desc: "longest queue at a word of device memory: atomic operations that had arrived at the L2 and were not done", Own: true, Largest: true,
		Value: func(c *Counted) float64 { return float64(c.Queue) }},
	{Name: "dram__bytes_read.sum", Unit: "byte", Desc: "bytes read from DRAM, whole bursts", Key: 11, Recorded: true, Apart: cachedAtProfiling,
		Count: func(c *Counted) uint64 { return c.DRAMRead }},
	{Name: "dram__bytes_write.sum", Unit: "byte", Desc: "bytes written to DRAM, whole bursts", Key: 12, Recorded: true, Apart: cachedAtProfiling,
		Count: func(c *Counted) uint64 { return c.DRAMWritten }},
	{Name: "dram__row_hit_rate.pct", Unit: "%", Desc: "DRAM accesses that found their row open", Own: true, Apart: cachedAtProfiling,
		Value: func(c *Counted) float64 {
			return 100 * ratio(float64(c.RowHits), float64(c.RowHits)+float64(c.RowMisses))
		}},

	// Counters of the functional device, which has no machine instructions.
	{Name: "smsp__inst_executed_op_local_ld.sum", Unit: "inst", Desc: "loads from local memory"},
	{Name: "smsp__inst_executed_op_local_st.sum", Unit: "inst", Desc: "stores to local memory"},
	{Name: "smsp__inst_executed_op_branch.sum", Unit: "inst", Desc: "branches and jumps", Own: true},

	// Counters of GPUs.
	{Name: "launch__registers_per_thread", Unit: "register", Desc: "registers per thread, as allocated by ptxas"},
	{Name: "launch__shared_mem_per_block_static", Unit: "byte", Desc: "static shared memory per block"},
	{Name: "launch__local_mem_per_thread", Unit: "byte", Desc: "spills and local arrays per thread"},
	{Name: GenericALU, Unit: "inst", Desc: "atomics on global memory with result, except compare-and-swap", Recorded: true},
	{Name: GenericCAS, Unit: "inst", Desc: "compare-and-swap operations on global memory with result", Recorded: true},
	{Name: "lts__t_sectors_srcunit_ltcfabric.sum", Unit: "sector", Desc: "sectors transferred between the halves of the L2", Recorded: true},

	// Counters of every device, over all launches.
	{Name: device.BytesToDevice, Unit: "byte", Desc: "bytes copied from the host to the device", Own: true},
	{Name: device.BytesToHost, Unit: "byte", Desc: "bytes copied from the device to the host", Own: true},
	{Name: "nvltx__bytes.sum", Unit: "byte", Desc: "bytes that GPUs transmitted over NVLink, headers included"},
	{Name: "nvltx__bytes_data_user.sum", Unit: "byte", Desc: "bytes that GPUs transmitted over NVLink, without headers"},
	{Name: "nvlrx__bytes.sum", Unit: "byte", Desc: "bytes that GPUs received over NVLink, headers included"},
	{Name: "nvlrx__bytes_data_user.sum", Unit: "byte", Desc: "bytes that GPUs received over NVLink, without headers"},
	{Name: "pcie__write_bytes.sum", Unit: "byte", Desc: "bytes that GPUs transmitted over PCI Express, headers included"},
	{Name: "pcie__read_bytes.sum", Unit: "byte", Desc: "bytes that GPUs received over PCI Express, headers included"},
	{Name: device.BytesCopied, Unit: "byte", Desc: "bytes copied from one buffer to another, on one GPU or between two", Own: true},
}
