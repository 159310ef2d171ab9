package results

import "strings"

// KernelCounters are what Nsight Compute counted of one kernel, over one or
// more launches.
type KernelCounters struct {
	Kernel   string             `json:"kernel"` // entry point: "micro_Copy"
	Launches int                `json:"launches"`
	Counters map[string]float64 `json:"counters"`
}

// MicroCounters are the counters of micro-kernels, measured once each without
// warm-up.
type MicroCounters struct {
	Only     string           `json:"only"`     // the rows: a regular expression of "group: name"
	Launches []KernelCounters `json:"launches"` // one by one, in order
}

// weightOf says how the values of a counter over several launches become one:
// they add up (weight ""), or are a mean weighted by another counter. ok is
// false for a counter that nothing can be said of but launch by launch.
func weightOf(name string) (weight string, ok bool) {
	switch {
	case strings.HasSuffix(name, ".sum"), name == "sm__cycles_elapsed.max", name == "sm__cycles_active.avg", name == "smsp__cycles_active.avg":
		return "", true
	case strings.HasPrefix(name, "smsp__average_") && (strings.HasSuffix(name, "_per_issue_active.ratio") || strings.HasSuffix(name, "_per_inst_issued.ratio")):
		return "smsp__issue_active.sum", true
	case name == "smsp__thread_inst_executed_per_inst_executed.ratio":
		return "smsp__inst_executed.sum", true
	case name == "smsp__inst_executed.avg.per_cycle_active":
		return "smsp__cycles_active.avg", true
	case name == "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio":
		return "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", true
	case name == "sm__warps_active.avg.pct_of_peak_sustained_active":
		return "sm__cycles_active.avg", true
	}
	return "", false
}

// Together puts the counters of several launches into one. Counters that can
// only be told launch by launch are left out.
func Together(launches ...map[string]float64) map[string]float64 {
	total, weights := map[string]float64{}, map[string]float64{}
	for _, l := range launches {
		for name, v := range l {
			by, ok := weightOf(name)
			if !ok {
				continue
			}
			w, have := 1.0, true
			if by != "" {
				if w, have = l[by]; !have {
					continue
				}
				weights[name] += w
			}
			total[name] += v * w
		}
	}
	for name, w := range weights {
		if w != 0 {
			total[name] /= w
		}
	}
	return total
}

// Total is the counters of all kernels of a run together; nil where none were
// recorded.
func (r *Run) Total() map[string]float64 {
	if r.Counters != nil || len(r.ByKernel) == 0 {
		return r.Counters
	}
	all := make([]map[string]float64, len(r.ByKernel))
	for i := range r.ByKernel {
		all[i] = r.ByKernel[i].Counters
	}
	return Together(all...)
}
