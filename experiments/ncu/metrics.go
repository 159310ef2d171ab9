package ncu

import (
	"slices"
	"strings"

	"github.com/weft-gpu/weft/results"
)

// Metrics are the counters that are asked for; the simulator counts most under
// the same names. A GPU that lacks one gives the others. Their number decides
// how often Nsight Compute runs each kernel.
func Metrics() []string {
	list := slices.Clone(plain)
	for _, s := range stalls {
		list = append(list, "smsp__average_warps_issue_stalled_"+s+"_per_issue_active.ratio")
	}
	return list
}

var plain = []string{
	"gpu__time_duration.sum",
	"sm__cycles_elapsed.max",
	"sm__cycles_active.avg",
	"smsp__cycles_active.avg",
	"smsp__inst_executed.avg.per_cycle_active",
	"sm__warps_active.avg.pct_of_peak_sustained_active",
	"smsp__issue_active.sum",
	"smsp__average_warp_latency_per_inst_issued.ratio",
	"smsp__inst_executed.sum",
	"smsp__thread_inst_executed.sum",
	"smsp__thread_inst_executed_pred_on.sum",
	"smsp__sass_branch_targets.sum",
	"smsp__sass_branch_targets_threads_divergent.sum",
	"smsp__inst_executed_op_global_ld.sum",
	"smsp__inst_executed_op_global_st.sum",
	"smsp__inst_executed_op_global_red.sum",
	genericALU, // atomics on global memory with result; Hopper has no counter named op_global_atom
	genericCAS,
	"smsp__inst_executed_op_shared_ld.sum",
	"smsp__inst_executed_op_shared_st.sum",
	"smsp__inst_executed_op_shared_atom.sum",
	"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
	"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
	"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
	"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
	"l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum",
	"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
	"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
	"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
	"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
	"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
	"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
	"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
	"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
	"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
	"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
	"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
	"lts__t_sectors_op_read.sum",
	"lts__t_sectors_op_write.sum",
	"lts__t_sectors_op_atom.sum",
	"lts__t_sectors_op_red.sum",
	"lts__t_sectors_lookup_hit.sum",
	"lts__t_sectors_lookup_miss.sum",
	// What SMs send, and what passes between the halves of the L2.
	"lts__t_sectors_srcunit_tex_op_read.sum",
	"lts__t_sectors_srcunit_tex_op_write.sum",
	"lts__t_sectors_srcunit_tex_op_atom.sum",
	"lts__t_sectors_srcunit_tex_op_red.sum",
	"lts__t_sectors_srcunit_ltcfabric.sum",
	"dram__bytes_read.sum",
	"dram__bytes_write.sum",
}

// stalls are the reasons of a warp not to issue that matter here. Left out are
// those of textures and tensor cores.
var stalls = []string{
	"no_instruction", "not_selected", "wait", "short_scoreboard", "long_scoreboard", "barrier", "membar", "branch_resolving",
	"math_pipe_throttle", "lg_throttle", "mio_throttle", "sleeping", "drain", "selected", "dispatch_stall", "imc_miss",
}

const (
	genericALU  = "smsp__inst_executed_op_generic_atom_dot_alu.sum"
	genericCAS  = "smsp__inst_executed_op_generic_atom_dot_cas.sum"
	globalAtoms = "smsp__inst_executed_op_global_atom.sum"
)

// complete adds what follows from other counters.
func complete(m map[string]float64) {
	alu, haveALU := m[genericALU]
	cas, haveCAS := m[genericCAS]
	if _, have := m[globalAtoms]; !have && (haveALU || haveCAS) {
		m[globalAtoms] = alu + cas
	}
}

// Missing lists the counters asked for that no launch has.
func Missing(kernels []results.KernelCounters) []string {
	var list []string
	for _, name := range Metrics() {
		if !slices.ContainsFunc(kernels, func(k results.KernelCounters) bool {
			_, ok := k.Counters[name]
			return ok
		}) {
			list = append(list, name)
		}
	}
	return list
}

// ByKernel puts the launches of each kernel together, in the order in which
// the kernels first ran.
func ByKernel(launches []Launch) []results.KernelCounters {
	var names []string
	of := map[string][]map[string]float64{}
	for _, l := range launches {
		if of[l.Kernel] == nil {
			names = append(names, l.Kernel)
		}
		of[l.Kernel] = append(of[l.Kernel], l.Metrics)
	}
	var list []results.KernelCounters
	for _, n := range names {
		list = append(list, results.KernelCounters{Kernel: n, Launches: len(of[n]), Counters: results.Together(of[n]...)})
	}
	return list
}

// OneByOne leaves launches apart.
func OneByOne(launches []Launch) []results.KernelCounters {
	var list []results.KernelCounters
	for _, l := range launches {
		list = append(list, results.KernelCounters{Kernel: l.Kernel, Launches: 1, Counters: results.Together(l.Metrics)})
	}
	return list
}

// Sum is the counters of all launches together.
func Sum(launches []Launch) map[string]float64 {
	all := make([]map[string]float64, len(launches))
	for i := range launches {
		all[i] = launches[i].Metrics
	}
	return results.Together(all...)
}

// instrumented are the counters for which ncu changes the kernel's code, which
// can fail where the others do not.
func instrumented(asked []string) []string {
	var list []string
	for _, name := range asked {
		if strings.HasPrefix(name, "smsp__sass_") {
			list = append(list, name)
		}
	}
	return list
}

// refused are the counters of the list whose names ncu's complaint holds.
func refused(asked []string, complaint string) []string {
	var list []string
	for _, name := range asked {
		if i := strings.Index(complaint, name); i >= 0 && !within(complaint, i, len(name)) {
			list = append(list, name)
		}
	}
	return list
}

// within reports whether text[i:i+n] is a part of a longer name.
func within(text string, i, n int) bool {
	letter := func(k int) bool {
		return k >= 0 && k < len(text) && (text[k] == '_' || text[k] >= 'a' && text[k] <= 'z' || text[k] >= '0' && text[k] <= '9')
	}
	return letter(i-1) || letter(i+n)
}
