package results

import "github.com/weft-gpu/weft/internal/core/counter"

// KernelCounters are the counters of Nsight Compute for one kernel, over one or more launches.
type KernelCounters struct {
	Kernel   string             `json:"kernel"` // entry point: "micro_Copy"
	Launches int                `json:"launches"`
	Counters map[string]float64 `json:"counters"`
}

// MicroCounters are the counters of micro-kernels, measured once each without warm-up.
type MicroCounters struct {
	Only     string           `json:"only"`            // the selected rows: a regular expression for "group: name"
	Heavy    bool             `json:"heavy,omitempty"` // those with large footprints, too
	Launches []KernelCounters `json:"launches"`        // individual launches, in order
}

// Together combines the counters of several launches. Counters that cannot be combined are left out.
func Together(launches ...map[string]float64) map[string]float64 {
	var sum counter.Sum
	for _, l := range launches {
		sum.Add(l)
	}
	return sum.Values()
}

// Total returns the combined counters of all kernels of a run; nil if none were recorded.
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
