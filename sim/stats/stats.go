// Package stats names what the simulator counts: each counter as Nsight
// Compute calls the same thing, with unit and meaning.
//
// In a name, the part before the two underscores is the unit of the GPU that
// counts: sm an SM, smsp one of its sub-cores, l1tex the L1 of an SM, lts a slice
// of the L2. What follows the dot says what is made of the instances: .sum adds
// them up, .avg is the sum by their number (those that were idle included), .max
// the largest; .avg.per_cycle_active is the sum by the sum of the cycles in which
// an instance was active, and .avg.pct_of_peak_sustained_active that in percent
// of what an instance can do.
package stats

// Counter is one counter of the simulator.
type Counter struct {
	Name string
	Unit string // "inst", "sector", "cycle", "byte", "%", ...
	Desc string
}

// Stalls are the reasons for which a warp does not issue (and, the last one,
// that it does), by the name that they have in counters, with their meaning.
// Every cycle of a resident warp has one. Of those that Nsight Compute knows,
// imc_miss, tex_throttle and misc are missing: there are no instruction or
// constant caches and no textures here.
var Stalls = []struct{ Name, Desc string }{
	{"no_instruction", "its block was placed and its first instruction is not there yet"},
	{"not_selected", "it could issue and another warp of its sub-core did"},
	{"wait", "a result of fixed latency"},
	{"short_scoreboard", "a result of shared memory, a special function, a vote or a shuffle"},
	{"long_scoreboard", "a result of global or local memory"},
	{"barrier", "a barrier of its block"},
	{"membar", "a memory fence, or the accesses before a release or after an acquire"},
	{"branch_resolving", "a branch"},
	{"math_pipe_throttle", "the pipe it needs is busy"},
	{"lg_throttle", "the queue of the load-store unit is full"},
	{"mio_throttle", "the shared memory pipe is busy"},
	{"sleeping", "Sleep"},
	{"drain", "it has ended, its stores are under way"},
	{"selected", "nothing: it issues"},
}

// StallName is the counter of a stall reason: warps that wait for it, for each
// instruction issued.
func StallName(reason string) string {
	return "smsp__average_warps_issue_stalled_" + reason + "_per_issue_active.ratio"
}

// own are the counters that Nsight Compute has nothing of.
var own = map[string]bool{
	"launch__count.sum": true, "smsp__barriers.sum": true, "l1tex__t_sectors_pipe_lsu_mem_local.sum": true,
	"l1tex__t_sectors_pipe_lsu_lookup_pending.sum": true, "l1tex__m_l1tex2xbar_packets.sum": true,
	"lts__atomic_steps.sum": true, "dram__row_hit_rate.pct": true,
}

// Own reports that the name is ours, and no counter of Nsight Compute.
func Own(name string) bool { return own[name] }

// All is every counter, in the order of reports.
func All() []Counter {
	out := append([]Counter(nil), plain...)
	for _, s := range Stalls {
		out = append(out, Counter{StallName(s.Name), "warp", "warps that wait, for each instruction issued: " + s.Desc})
	}
	return out
}

var plain = []Counter{
	{"launch__count.sum", "launch", "kernels launched"},
	{"smsp__warps_launched.sum", "warp", "warps that ran or began to"},
	{"gpu__time_duration.sum", "ns", "time on the GPU, with the start and end of each launch there (launch.window), without the host's part"},
	{"sm__cycles_elapsed.max", "cycle", "cycles in that time: from a launch's start on the GPU over its blocks and last store to its end"},
	{"sm__cycles_active.avg", "cycle", "cycles in which an SM had a warp, mean over all SMs"},
	{"sm__cycles_active.sum", "cycle", "cycles in which an SM had a warp, sum over the SMs"},
	{"smsp__cycles_active.avg", "cycle", "cycles in which a sub-core had a warp, mean over all sub-cores"},
	{"smsp__cycles_active.sum", "cycle", "cycles in which a sub-core had a warp, sum over the sub-cores"},
	{"sm__warps_active.avg.pct_of_peak_sustained_active", "%", "resident warps of an SM in its active cycles, of those it can hold"},
	{"sm__ctas_launched.sum", "block", "blocks that ran or began to"},
	{"smsp__inst_executed.sum", "inst", "warp instructions"},
	{"smsp__inst_executed.avg.per_cycle_active", "inst/cycle", "warp instructions that a sub-core executes in an active cycle; 1 at most (2 with issue.dual)"},
	{"smsp__thread_inst_executed.sum", "inst", "thread instructions: active lanes over all warp instructions"},
	{"smsp__thread_inst_executed_pred_on.sum", "inst", "thread instructions whose guard holds"},
	{"smsp__thread_inst_executed_per_inst_executed.ratio", "thread", "active lanes of a warp instruction, mean: warp execution efficiency times 32"},
	{"smsp__average_warp_latency_per_inst_issued.ratio", "cycle", "warps resident for each instruction issued: cycles from one instruction of a warp to its next, mean; the sum over all stall reasons"},
	{"smsp__issue_active.sum", "cycle", "cycles in which a sub-core issued, sum over the sub-cores"},
	{"smsp__sass_branch_targets.sum", "branch", "branches at which lanes may part"},
	{"smsp__sass_branch_targets_threads_divergent.sum", "branch", "those of them whose lanes went both ways"},
	{"smsp__inst_executed_op_global_ld.sum", "inst", "loads of global memory; also those that no lane takes part in"},
	{"smsp__inst_executed_op_global_st.sum", "inst", "stores to global memory; also those that no lane takes part in"},
	{"smsp__inst_executed_op_global_atom.sum", "inst", "atomics on global memory with result"},
	{"smsp__inst_executed_op_global_red.sum", "inst", "atomics on global memory without result"},
	{"smsp__inst_executed_op_shared.sum", "inst", "accesses to shared memory; also those that no lane takes part in"},
	{"smsp__inst_executed_op_shared_ld.sum", "inst", "loads of shared memory; also those that no lane takes part in"},
	{"smsp__inst_executed_op_shared_st.sum", "inst", "stores to shared memory; also those that no lane takes part in"},
	{"smsp__inst_executed_op_shared_atom.sum", "inst", "atomics on shared memory"},
	{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request", "global loads: instructions with a lane that takes part"},
	{"l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum", "line", "lines that global loads ask for"},
	{"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "request", "stores to global memory: instructions with a lane that takes part"},
	{"l1tex__t_set_accesses_pipe_lsu_mem_global_op_st.sum", "line", "lines that global stores write"},
	{"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "request", "global atomics with result: instructions with a lane that takes part"},
	{"l1tex__t_set_accesses_pipe_lsu_mem_global_op_atom.sum", "line", "lines that global atomics with result go to"},
	{"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "request", "global atomics without result: instructions with a lane that takes part"},
	{"l1tex__t_set_accesses_pipe_lsu_mem_global_op_red.sum", "line", "lines that global atomics without result go to"},
	{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector", "sectors that global loads ask for"},
	{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sector", "sectors that global stores write"},
	{"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "sector", "sectors that global atomics with result go to; once for each lane on its most wanted address"},
	{"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "sector", "sectors that global atomics without result go to; once for each lane on its most wanted address"},
	{"l1tex__t_sectors_pipe_lsu_mem_local.sum", "sector", "sectors of local memory"},
	{"l1tex__t_sectors_pipe_lsu_lookup_hit.sum", "sector", "sectors of loads that L1 held or had asked for"},
	{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "sector", "sectors of global loads that L1 held or had asked for"},
	{"l1tex__t_sectors_pipe_lsu_lookup_pending.sum", "sector", "sectors of loads that joined a request under way, of those that hit"},
	{"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "sector", "sectors that a global load asks for, mean"},
	{"l1tex__m_l1tex2xbar_packets.sum", "packet", "packets that SMs sent to the L2"},
	{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "conflict", "further passes of shared memory because of bank conflicts or atomics on one address"},
	{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "conflict", "further passes of shared loads because of bank conflicts"},
	{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "conflict", "further passes of shared stores because of bank conflicts"},
	{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", "conflict", "further passes of shared atomics because of lanes on one address"},
	{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "wavefront", "passes of shared memory"},
	{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "wavefront", "passes of shared atomics: the most lanes on one address"},
	{"smsp__barriers.sum", "barrier", "block barriers that opened"},
	{"lts__t_sectors_op_read.sum", "sector", "sectors read in the L2; those that pass both halves count in each"},
	{"lts__t_sectors_op_write.sum", "sector", "sectors written in the L2; those that pass both halves count in each"},
	{"lts__t_sectors_op_atom.sum", "sector", "sectors of atomics with result in the L2; those that pass both halves count in each"},
	{"lts__t_sectors_op_red.sum", "sector", "sectors of atomics without result in the L2; those that pass both halves count in each"},
	{"lts__t_sectors_srcunit_tex_op_read.sum", "sector", "sectors that SMs ask the L2 for"},
	{"lts__t_sectors_srcunit_tex_op_write.sum", "sector", "sectors that SMs write to the L2"},
	{"lts__t_sectors_srcunit_tex_op_atom.sum", "sector", "sectors of atomics with result that SMs ask the L2 for"},
	{"lts__t_sectors_srcunit_tex_op_red.sum", "sector", "sectors of atomics without result that SMs ask the L2 for"},
	{"lts__t_sectors_lookup_hit.sum", "sector", "sectors that the L2 held"},
	{"lts__t_sectors_lookup_miss.sum", "sector", "sectors that the L2 did not hold"},
	{"lts__t_sector_hit_rate.pct", "%", "sectors that the L2 held"},
	{"lts__d_atomic_input_cycles_active.sum", "cycle", "cycles in which an atomic unit of the L2 worked, over all units"},
	{"lts__atomic_steps.sum", "step", "serial steps of the atomic units"},
	{"dram__bytes_read.sum", "byte", "bytes read from DRAM, whole bursts"},
	{"dram__bytes_write.sum", "byte", "bytes written to DRAM, whole bursts"},
	{"dram__row_hit_rate.pct", "%", "DRAM accesses that met their row open"},
}

// StallNames are the names of Stalls, in their order.
func StallNames() (names []string) {
	for _, s := range Stalls {
		names = append(names, s.Name)
	}
	return names
}
