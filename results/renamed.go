package results

import "github.com/weft-gpu/weft/internal/compiler/ir"

// renamed maps names of kernels in older recordings and notes to their current names: package kernels once had a
// variable for each of them. These names are not used anywhere else.
var renamed = map[string]string{}

func init() {
	for _, a := range [][3]string{
		{"kernels.BFS", "uint32", "bsp.Push"},
		{"kernels.CC", "uint32", "bsp.Push"},
		{"kernels.PageRank", "float32", "bsp.Push"},
		{"kernels.PageRankPull", "float32", "bsp.Pull"},
		{"kernels.SSSP", "uint32", "bsp.Push"},
	} {
		renamed[a[0]+"Init"] = "scheduler.Init[" + a[0] + ", " + a[1] + "]"
		for _, team := range []string{"Thread", "Warp", "Block"} {
			renamed[a[0]+team] = a[2] + "[" + a[0] + ", scheduler." + team + "PerVertex, " + a[1] + "]"
		}
	}
	renamed["kernels.BFS"+"BlockQueue"] = "blockqueue.Push[kernels.BFS, uint32]"
	for was, is := range renamed { // as profilers print them
		symbols[ir.Symbol(was)] = ir.Symbol(is)
	}
}

var symbols = map[string]string{}

// KernelName returns the current name of a kernel that was renamed; it returns any other name unchanged.
func KernelName(name string) string {
	if is, ok := renamed[name]; ok {
		return is
	}
	return name
}

// rename gives the kernels of a record their current names.
func (h *Hardware) rename() {
	for i := range h.Kernels {
		h.Kernels[i].Name = KernelName(h.Kernels[i].Name)
	}
	for i := range h.ByHand {
		h.ByHand[i].Kernel = KernelName(h.ByHand[i].Kernel)
	}
	for i := range h.Runs {
		renameSymbols(h.Runs[i].ByKernel)
	}
	renameSymbols(h.MicroCounters.Launches)
}

func renameSymbols(list []KernelCounters) {
	for i := range list {
		if is, ok := symbols[list[i].Kernel]; ok {
			list[i].Kernel = is
		}
	}
}
