package compare

import (
	"maps"
	"slices"

	"github.com/weft-gpu/weft/device"
)

// TimeRow is a recorded run and the same run on another device. Times are in seconds: A is that of the device, B the median
// of the recorded ones, from the first launch until the host knows that the answer is complete in device memory. Those of
// kernels are the sums over all launches on all GPUs.
type TimeRow struct {
	Graph        string            `json:"graph"`
	Algorithm    string            `json:"algorithm"`
	Scheduler    string            `json:"scheduler"`
	Params       map[string]string `json:"params,omitempty"`
	A            float64           `json:"a"`
	B            float64           `json:"b"`
	Error        Part              `json:"error"`
	KernelsA     float64           `json:"kernels_a"`
	KernelsB     float64           `json:"kernels_b"`
	KernelsError Part              `json:"kernels_error"`
	Iterations   int               `json:"iterations_a"`
	IterationsB  int               `json:"iterations_b"`
	// Host is what a simulated host did in A beside the kernels.
	Host device.HostWork `json:"host,omitzero"`
}

// TimePart summarizes the rows that have one value of what differs between them: the graph, the algorithm, the scheduler,
// or a parameter. Kernels is the mean error of kernel times.
type TimePart struct {
	What  string `json:"what"`
	Value string `json:"value"`
	Summary
	Kernels float64 `json:"mean_of_kernels"`
}

// SummarizeTimes summarizes the errors of the times of rows, and of those of their kernels.
func SummarizeTimes(rows []TimeRow) (all, kernels Summary) {
	var a, k [][2]float64
	for _, r := range rows {
		a, k = append(a, [2]float64{r.A, r.B}), append(k, [2]float64{r.KernelsA, r.KernelsB})
	}
	return Summarize(a), Summarize(k)
}

// TimeParts summarizes rows by each thing that differs between them, with its values in the order of the rows.
func TimeParts(rows []TimeRow) (parts []TimePart) {
	names := map[string]bool{}
	for _, r := range rows {
		for name := range r.Params {
			names[name] = true
		}
	}
	split := func(what string, value func(r TimeRow) string) {
		var values []string
		by := map[string][]TimeRow{}
		for _, r := range rows {
			v := value(r)
			if by[v] == nil {
				values = append(values, v)
			}
			by[v] = append(by[v], r)
		}
		if len(values) < 2 {
			return
		}
		for _, v := range values {
			all, kernels := SummarizeTimes(by[v])
			parts = append(parts, TimePart{what, v, all, kernels.Mean})
		}
	}
	split("graph", func(r TimeRow) string { return r.Graph })
	split("algorithm", func(r TimeRow) string { return r.Algorithm })
	split("scheduler", func(r TimeRow) string { return r.Scheduler })
	for _, name := range slices.Sorted(maps.Keys(names)) {
		split(name, func(r TimeRow) string { return r.Params[name] })
	}
	return parts
}

// SharedParams returns the parameters that all rows have with the same value, and for each row the other ones.
func SharedParams(rows []TimeRow) (same map[string]string, differ []map[string]string) {
	for i, r := range rows {
		if i == 0 {
			same = maps.Clone(r.Params)
		}
		maps.DeleteFunc(same, func(name, value string) bool { v, ok := r.Params[name]; return !ok || v != value })
	}
	for _, r := range rows {
		own := maps.Clone(r.Params)
		maps.DeleteFunc(own, func(name, _ string) bool { _, ok := same[name]; return ok })
		differ = append(differ, own)
	}
	return same, differ
}
