package ncu

import (
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/results"
)

// Metrics returns the counters to request; the simulator has most of them under the same names. If a GPU lacks one,
// the others are still read. Their number determines how many times Nsight Compute runs each kernel.
func Metrics() []string {
	var list []string
	for _, c := range counter.All() {
		if c.Recorded {
			list = append(list, c.Name)
		}
	}
	return list
}

// complete adds counters that can be computed from others.
func complete(m map[string]float64) {
	alu, haveALU := m[counter.GenericALU]
	cas, haveCAS := m[counter.GenericCAS]
	if _, have := m[counter.GlobalAtomics]; !have && (haveALU || haveCAS) {
		m[counter.GlobalAtomics] = alu + cas
	}
}

// Missing returns the requested counters that no launch has.
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

// ByKernel combines the launches of each kernel, in the order in which the kernels first ran.
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

// OneByOne returns launches separately.
func OneByOne(launches []Launch) []results.KernelCounters {
	var list []results.KernelCounters
	for _, l := range launches {
		list = append(list, results.KernelCounters{Kernel: l.Kernel, Launches: 1, Counters: results.Together(l.Metrics)})
	}
	return list
}

// Sum returns the combined counters of all launches.
func Sum(launches []Launch) map[string]float64 {
	all := make([]map[string]float64, len(launches))
	for i := range launches {
		all[i] = launches[i].Metrics
	}
	return results.Together(all...)
}

// instrumented returns the counters for which ncu instruments the kernel's code, which can fail even if the others
// work.
func instrumented(asked []string) []string {
	var list []string
	for _, name := range asked {
		if strings.HasPrefix(name, "smsp__sass_") {
			list = append(list, name)
		}
	}
	return list
}

// refused returns the counters of the list whose names occur in ncu's error messages.
func refused(asked []string, complaint string) []string {
	var list []string
	for _, name := range asked {
		if i := strings.Index(complaint, name); i >= 0 && !within(complaint, i, len(name)) {
			list = append(list, name)
		}
	}
	return list
}

// within reports whether text[i:i+n] is part of a longer name.
func within(text string, i, n int) bool {
	letter := func(k int) bool {
		return k >= 0 && k < len(text) && (text[k] == '_' || text[k] >= 'a' && text[k] <= 'z' || text[k] >= '0' && text[k] <= '9')
	}
	return letter(i-1) || letter(i+n)
}
