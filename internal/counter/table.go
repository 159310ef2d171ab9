package counter

import "github.com/weft-gpu/weft/device"

// Raw is what the simulator counts as it goes. All fields are made of uint64.
type Raw struct {
	Insts, ThreadInsts, PredOn   uint64
	Dual                         uint64 // of Insts: the second in its cycle
	Branches, Divergent          uint64
	Blocks, WarpsLaunched        uint64
	SMActive                     uint64 // cycles with a resident block, over SMs
	SubActive                    uint64 // cycles with a resident warp, over sub-cores
	WarpCycles                   uint64 // resident warps times cycles, over SMs
	Stalled                      [NumStalls]uint64
	L1Hits, L1Joined             uint64 // sectors that were there, and that were under way
	L1GlobalHits, L1GlobalJoined uint64 // sectors, of these
	Load, Store, Red, Atom       Traffic
	Local                        Traffic
	Idle                         [NumAccesses]uint64 // global accesses that no lane takes part in
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
	AtomicTicks                  uint64 // in which an atomic unit worked, over all units
	DRAMRead, DRAMWritten        uint64 // bytes
	RowHits, RowMisses           uint64
	Busy                         Busy
	Launches                     uint64
	Cycles                       uint64 // from the first block's placement to the last store
	Elapsed                      uint64 // these with the start and end of each launch
	Nanoseconds                  uint64 // rounded for each launch
}

// Busy is for how long parts of the machine are taken, over all parts of a kind:
// cycles of the pipes, ticks of all else.
type Busy struct {
	Pipes       [NumPipes]uint64 // of the sub-cores
	LSU         uint64           // load-store units, with the lines of their instructions
	Shared      uint64           // shared memories
	Send, Recv  uint64           // the SMs' ports to and from the crossbar
	L2          uint64           // ports of the L2's slices
	L2Most      uint64           // the port that was taken longest, of each launch
	AtomicsMost uint64           // the atomic unit that was taken longest, of each launch; loads that wait their turn there included
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
	NumPipes
)

// Traffic is what one kind of access asks of L1.
type Traffic struct {
	Insts, Lines, Sectors uint64 // no sectors of atomics
}

// Add adds what n asks for.
func (t *Traffic) Add(n Traffic) {
	t.Insts += n.Insts
	t.Lines += n.Lines
	t.Sectors += n.Sectors
}

// L2 is what the L2 counts.
type L2 struct {
	Read, Write, Atom, Red uint64              // sectors by what was asked
	FromSM                 [NumAccesses]uint64 // sectors that SMs ask for, once each
	Hits, Misses           uint64              // sectors
	WriteBacks             uint64              // sectors
}

// The kinds of access to global memory, as indices.
const (
	Load = iota
	Store
	Atomic
	Red // an atomic whose result nobody wants
	NumAccesses
)

// Names of counters that code asks for.
const (
	WarpInstructions = "smsp__inst_executed.sum"
	GlobalAtomics    = "smsp__inst_executed_op_global_atom.sum"
	// Hopper has no counter of GlobalAtomics, and these two instead.
	GenericALU = "smsp__inst_executed_op_generic_atom_dot_alu.sum"
	GenericCAS = "smsp__inst_executed_op_generic_atom_dot_cas.sum"

	issueActive = "smsp__issue_active.sum"
)

// Why counters of one name do not compare with those of a GPU.
const (
	cachedAtProfiling = "Nsight Compute runs a kernel several times, and from the second time on its data is in the L2"
	includesProfiler  = "a GPU's include what the profiler itself reads and writes; lts__t_sectors_srcunit_tex_op_read.sum and _write.sum are what SMs ask for"
	includesShuffles  = "a GPU counts shuffles, and about two a warp in kernels without shared memory; of shared atomics alone it compares"
)

// issued is the cycles in which a sub-core issued, over the sub-cores.
func (c *Counted) issued() uint64 { return c.Insts - c.Dual }

// table is every counter but those of the stall reasons, in the order of reports.
var table = []Counter{
	{Name: "launch__count.sum", Unit: "launch", Desc: "kernels launched", Own: true,
		Count: func(c *Counted) uint64 { return c.Launches }},
	{Name: "smsp__warps_launched.sum", Unit: "warp", Desc: "warps that ran or began to",
		Count: func(c *Counted) uint64 { return c.WarpsLaunched }},
	{Name: "gpu__time_duration.sum", Unit: "ns", Desc: "time of the kernels on the GPU, without the host's part; of a simulated one with the start and end of each launch (launch.window)", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Nanoseconds }},
	{Name: "sm__cycles_elapsed.max", Unit: "cycle", Desc: "cycles in that time: from a launch's start on the GPU over its blocks and last store to its end", Recorded: true, Compared: true, Adds: true,
		Count: func(c *Counted) uint64 { return c.Elapsed }},
	{Name: "sm__cycles_active.avg", Unit: "cycle", Desc: "cycles in which an SM had a warp, mean over all SMs", Recorded: true, Compared: true, Adds: true,
		Value: func(c *Counted) float64 { return float64(c.SMActive) / float64(c.SMs) }},
	{Name: "sm__cycles_active.sum", Unit: "cycle", Desc: "cycles in which an SM had a warp, sum over the SMs",
		Count: func(c *Counted) uint64 { return c.SMActive }},
	{Name: "smsp__cycles_active.avg", Unit: "cycle", Desc: "cycles in which a sub-core had a warp, mean over all sub-cores", Recorded: true, Compared: true, Adds: true,
		Value: func(c *Counted) float64 { return float64(c.SubActive) / float64(c.SMs*c.SubCores) }},
	{Name: "smsp__cycles_active.sum", Unit: "cycle", Desc: "cycles in which a sub-core had a warp, sum over the sub-cores",
		Count: func(c *Counted) uint64 { return c.SubActive }},
	{Name: "sm__warps_active.avg.pct_of_peak_sustained_active", Unit: "%", Desc: "resident warps of an SM in its active cycles, of those it can hold", Key: 4, Recorded: true, Compared: true, Weight: "sm__cycles_active.avg",
		Value: func(c *Counted) float64 {
			return 100 * ratio(float64(c.WarpCycles), float64(c.SMActive)*float64(c.Warps))
		}},
	{Name: "sm__ctas_launched.sum", Unit: "block", Desc: "blocks that ran or began to",
		Count: func(c *Counted) uint64 { return c.Blocks }},
	{Name: "smsp__inst_executed.sum", Unit: "inst", Desc: "warp instructions", Key: 1, Column: "inst", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Insts }},
	{Name: "smsp__inst_executed.avg.per_cycle_active", Unit: "inst/cycle", Desc: "warp instructions that a sub-core executes in an active cycle; 1 at most (2 with issue.dual)", Key: 3, Recorded: true, Compared: true, Weight: "smsp__cycles_active.avg",
		Value: func(c *Counted) float64 { return ratio(float64(c.Insts), float64(c.SubActive)) }},
	{Name: "smsp__thread_inst_executed.sum", Unit: "inst", Desc: "thread instructions: active lanes over all warp instructions", Key: 5, Column: "threads", Recorded: true,
		Count: func(c *Counted) uint64 { return c.ThreadInsts }},
	{Name: "smsp__thread_inst_executed_pred_on.sum", Unit: "inst", Desc: "thread instructions whose guard holds", Recorded: true,
		Count: func(c *Counted) uint64 { return c.PredOn }},
	{Name: "smsp__thread_inst_executed_per_inst_executed.ratio", Unit: "thread", Desc: "active lanes of a warp instruction, mean: warp execution efficiency times 32", Key: 2, Weight: "smsp__inst_executed.sum",
		Value: func(c *Counted) float64 { return ratio(float64(c.ThreadInsts), float64(c.Insts)) }},
	{Name: "smsp__average_warp_latency_per_inst_issued.ratio", Unit: "cycle", Desc: "warps resident for each instruction issued: cycles from one instruction of a warp to its next, mean; the sum over all stall reasons", Recorded: true, Compared: true, Weight: "smsp__issue_active.sum",
		Value: func(c *Counted) float64 { return ratio(float64(c.WarpCycles), float64(c.Insts)) }},
	{Name: "smsp__issue_active.sum", Unit: "cycle", Desc: "cycles in which a sub-core issued, sum over the sub-cores", Recorded: true,
		Count: func(c *Counted) uint64 { return c.issued() }},
	{Name: "smsp__sass_branch_targets.sum", Unit: "branch", Desc: "branches at which lanes may part", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Branches }},
	{Name: "smsp__sass_branch_targets_threads_divergent.sum", Unit: "branch", Desc: "those of them whose lanes went both ways", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Divergent }},
	{Name: "smsp__inst_executed_op_global_ld.sum", Unit: "inst", Desc: "loads of global memory; also those that no lane takes part in", Key: 6, Recorded: true,
		Count: func(c *Counted) uint64 { return c.Load.Insts + c.Idle[Load] }},
	{Name: "smsp__inst_executed_op_global_st.sum", Unit: "inst", Desc: "stores to global memory; also those that no lane takes part in", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Store.Insts + c.Idle[Store] }},
	{Name: "smsp__inst_executed_op_global_atom.sum", Unit: "inst", Desc: "atomics on global memory with result", Key: 7,
		Count: func(c *Counted) uint64 { return c.Atom.Insts + c.Idle[Atomic] }},
	{Name: "smsp__inst_executed_op_global_red.sum", Unit: "inst", Desc: "atomics on global memory without result", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Red.Insts + c.Idle[Red] }},
	{Name: "smsp__inst_executed_op_shared.sum", Unit: "inst", Desc: "accesses to shared memory; also those that no lane takes part in",
		Count: func(c *Counted) uint64 { return c.SharedAccesses }},
	{Name: "smsp__inst_executed_op_shared_ld.sum", Unit: "inst", Desc: "loads of shared memory; also those that no lane takes part in", Recorded: true,
		Count: func(c *Counted) uint64 { return c.SharedLoads }},
	{Name: "smsp__inst_executed_op_shared_st.sum", Unit: "inst", Desc: "stores to shared memory; also those that no lane takes part in", Recorded: true,
		Count: func(c *Counted) uint64 { return c.SharedStores }},
	{Name: "smsp__inst_executed_op_shared_atom.sum", Unit: "inst", Desc: "atomics on shared memory", Recorded: true,
		Count: func(c *Counted) uint64 { return c.SharedAtomics }},
	{Name: "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", Unit: "request", Desc: "global loads: instructions with a lane that takes part", Column: "loads", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Load.Insts }},
	{Name: "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum", Unit: "line", Desc: "lines that global loads ask for", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Load.Lines }},
	{Name: "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", Unit: "request", Desc: "stores to global memory: instructions with a lane that takes part", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Store.Insts }},
	{Name: "l1tex__t_set_accesses_pipe_lsu_mem_global_op_st.sum", Unit: "line", Desc: "lines that global stores write",
		Count: func(c *Counted) uint64 { return c.Store.Lines }},
	{Name: "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", Unit: "request", Desc: "global atomics with result: instructions with a lane that takes part", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Atom.Insts }},
	{Name: "l1tex__t_set_accesses_pipe_lsu_mem_global_op_atom.sum", Unit: "line", Desc: "lines that global atomics with result go to",
		Count: func(c *Counted) uint64 { return c.Atom.Lines }},
	{Name: "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", Unit: "request", Desc: "global atomics without result: instructions with a lane that takes part", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Red.Insts }},
	{Name: "l1tex__t_set_accesses_pipe_lsu_mem_global_op_red.sum", Unit: "line", Desc: "lines that global atomics without result go to",
		Count: func(c *Counted) uint64 { return c.Red.Lines }},
	{Name: "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", Unit: "sector", Desc: "sectors that global loads ask for", Column: "ld", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Load.Sectors }},
	{Name: "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", Unit: "sector", Desc: "sectors that global stores write", Column: "st", Recorded: true,
		Count: func(c *Counted) uint64 { return c.Store.Sectors }},
	{Name: "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", Unit: "sector", Desc: "sectors that global atomics with result go to; once for each lane on its most wanted address", Column: "atom", Recorded: true,
		Count: func(c *Counted) uint64 { return c.L2.FromSM[Atomic] }},
	{Name: "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", Unit: "sector", Desc: "sectors that global atomics without result go to; once for each lane on its most wanted address", Column: "red", Recorded: true,
		Count: func(c *Counted) uint64 { return c.L2.FromSM[Red] }},
	{Name: "l1tex__t_sectors_pipe_lsu_mem_local.sum", Unit: "sector", Desc: "sectors of local memory", Own: true,
		Count: func(c *Counted) uint64 { return c.Local.Sectors }},
	{Name: "l1tex__t_sectors_pipe_lsu_lookup_hit.sum", Unit: "sector", Desc: "sectors of loads that L1 held or had asked for", Key: 9,
		Count: func(c *Counted) uint64 { return c.L1Hits + c.L1Joined }},
	{Name: "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", Unit: "sector", Desc: "sectors of global loads that L1 held or had asked for", Column: "L1 hit", Recorded: true,
		Count: func(c *Counted) uint64 { return c.L1GlobalHits + c.L1GlobalJoined }},
	{Name: "l1tex__t_sectors_pipe_lsu_lookup_pending.sum", Unit: "sector", Desc: "sectors of loads that joined a request under way, of those that hit", Own: true,
		Count: func(c *Counted) uint64 { return c.L1Joined }},
	{Name: "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", Unit: "sector", Desc: "sectors that a global load asks for, mean", Key: 8, Weight: "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
		Value: func(c *Counted) float64 { return ratio(float64(c.Load.Sectors), float64(c.Load.Insts)) }},
	{Name: "l1tex__m_l1tex2xbar_packets.sum", Unit: "packet", Desc: "packets that SMs sent to the L2", Own: true,
		Count: func(c *Counted) uint64 { return c.Packets }},
	{Name: "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", Unit: "conflict", Desc: "further passes of shared memory because of bank conflicts or atomics on one address", Key: 15, Column: "conflicts", Recorded: true,
		Count: func(c *Counted) uint64 { return c.BankConflicts }},
	{Name: "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", Unit: "conflict", Desc: "further passes of shared loads because of bank conflicts", Recorded: true,
		Count: func(c *Counted) uint64 { return c.ConflictsLoad }},
	{Name: "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", Unit: "conflict", Desc: "further passes of shared stores because of bank conflicts", Recorded: true,
		Count: func(c *Counted) uint64 { return c.ConflictsStore }},
	{Name: "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", Unit: "conflict", Desc: "further passes of shared atomics because of lanes on one address", Recorded: true,
		Count: func(c *Counted) uint64 { return c.BankConflicts - c.ConflictsLoad - c.ConflictsStore }},
	{Name: "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", Unit: "wavefront", Desc: "passes of shared memory", Recorded: true, Apart: includesShuffles,
		Count: func(c *Counted) uint64 { return c.SharedWays + c.SharedAtomWays }},
	{Name: "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", Unit: "wavefront", Desc: "passes of shared atomics: the most lanes on one address", Recorded: true,
		Count: func(c *Counted) uint64 { return c.SharedAtomWays }},
	{Name: "smsp__barriers.sum", Unit: "barrier", Desc: "block barriers that opened", Own: true,
		Count: func(c *Counted) uint64 { return c.Barriers }},
	{Name: "lts__t_sectors_op_read.sum", Unit: "sector", Desc: "sectors read in the L2; those that pass both halves count in each", Key: 10, Recorded: true, Apart: includesProfiler,
		Count: func(c *Counted) uint64 { return c.L2.Read }},
	{Name: "lts__t_sectors_op_write.sum", Unit: "sector", Desc: "sectors written in the L2; those that pass both halves count in each", Recorded: true, Apart: includesProfiler,
		Count: func(c *Counted) uint64 { return c.L2.Write }},
	{Name: "lts__t_sectors_op_atom.sum", Unit: "sector", Desc: "sectors of atomics with result in the L2; those that pass both halves count in each", Key: 11, Column: "L2 atom", Recorded: true,
		Count: func(c *Counted) uint64 { return c.L2.Atom }},
	{Name: "lts__t_sectors_op_red.sum", Unit: "sector", Desc: "sectors of atomics without result in the L2; those that pass both halves count in each", Recorded: true,
		Count: func(c *Counted) uint64 { return c.L2.Red }},
	{Name: "lts__t_sectors_srcunit_tex_op_read.sum", Unit: "sector", Desc: "sectors that SMs ask the L2 for", Column: "L2 read", Recorded: true,
		Count: func(c *Counted) uint64 { return c.L2.FromSM[Load] }},
	{Name: "lts__t_sectors_srcunit_tex_op_write.sum", Unit: "sector", Desc: "sectors that SMs write to the L2", Column: "L2 write", Recorded: true,
		Count: func(c *Counted) uint64 { return c.L2.FromSM[Store] }},
	{Name: "lts__t_sectors_srcunit_tex_op_atom.sum", Unit: "sector", Desc: "sectors of atomics with result that SMs ask the L2 for", Recorded: true,
		Count: func(c *Counted) uint64 { return c.L2.FromSM[Atomic] }},
	{Name: "lts__t_sectors_srcunit_tex_op_red.sum", Unit: "sector", Desc: "sectors of atomics without result that SMs ask the L2 for", Recorded: true,
		Count: func(c *Counted) uint64 { return c.L2.FromSM[Red] }},
	{Name: "lts__t_sectors_lookup_hit.sum", Unit: "sector", Desc: "sectors that the L2 held", Recorded: true, Apart: cachedAtProfiling,
		Count: func(c *Counted) uint64 { return c.L2.Hits }},
	{Name: "lts__t_sectors_lookup_miss.sum", Unit: "sector", Desc: "sectors that the L2 did not hold", Recorded: true, Apart: cachedAtProfiling,
		Count: func(c *Counted) uint64 { return c.L2.Misses }},
	{Name: "lts__t_sector_hit_rate.pct", Unit: "%", Desc: "sectors that the L2 held", Key: 12, Apart: cachedAtProfiling,
		Value: func(c *Counted) float64 {
			return 100 * ratio(float64(c.L2.Hits), float64(c.L2.Hits)+float64(c.L2.Misses))
		}},
	{Name: "lts__d_atomic_input_cycles_active.sum", Unit: "cycle", Desc: "cycles in which an atomic unit of the L2 worked, over all units",
		Value: func(c *Counted) float64 { return float64(c.AtomicTicks) / TicksPerCycle }},
	{Name: "lts__atomic_steps.sum", Unit: "step", Desc: "serial steps of the atomic units", Own: true,
		Count: func(c *Counted) uint64 { return c.L2.FromSM[Atomic] + c.L2.FromSM[Red] }},
	{Name: "dram__bytes_read.sum", Unit: "byte", Desc: "bytes read from DRAM, whole bursts", Key: 13, Recorded: true, Apart: cachedAtProfiling,
		Count: func(c *Counted) uint64 { return c.DRAMRead }},
	{Name: "dram__bytes_write.sum", Unit: "byte", Desc: "bytes written to DRAM, whole bursts", Key: 14, Recorded: true, Apart: cachedAtProfiling,
		Count: func(c *Counted) uint64 { return c.DRAMWritten }},
	{Name: "dram__row_hit_rate.pct", Unit: "%", Desc: "DRAM accesses that met their row open", Own: true, Apart: cachedAtProfiling,
		Value: func(c *Counted) float64 {
			return 100 * ratio(float64(c.RowHits), float64(c.RowHits)+float64(c.RowMisses))
		}},

	// Of the functional device, which has no machine instructions.
	{Name: "smsp__inst_executed_op_local_ld.sum", Unit: "inst", Desc: "loads of local memory"},
	{Name: "smsp__inst_executed_op_local_st.sum", Unit: "inst", Desc: "stores to local memory"},
	{Name: "smsp__inst_executed_op_branch.sum", Unit: "inst", Desc: "branches and jumps", Own: true},

	// Of GPUs.
	{Name: "launch__registers_per_thread", Unit: "register", Desc: "registers of a thread, by ptxas"},
	{Name: "launch__shared_mem_per_block_static", Unit: "byte", Desc: "static shared memory of a block"},
	{Name: "launch__local_mem_per_thread", Unit: "byte", Desc: "spills and local arrays of a thread"},
	{Name: GenericALU, Unit: "inst", Desc: "atomics on global memory with result, but compare-and-swap", Recorded: true},
	{Name: GenericCAS, Unit: "inst", Desc: "compare-and-swaps on global memory with result", Recorded: true},
	{Name: "lts__t_sectors_srcunit_ltcfabric.sum", Unit: "sector", Desc: "sectors that pass between the halves of the L2", Recorded: true},

	// Of every device, over all launches.
	{Name: device.BytesToDevice, Unit: "byte", Desc: "bytes copied from the host to the device", Own: true},
	{Name: device.BytesToHost, Unit: "byte", Desc: "bytes copied from the device to the host", Own: true},
}
