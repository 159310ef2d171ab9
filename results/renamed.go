package results

import "github.com/weft-gpu/weft/internal/ir"

// renamed has the kernels that older recordings, and older notes, know by
// another name: once package kernels had a variable for each of them. Nothing
// else in the program knows these names.
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

// KernelName is what a kernel is called today that had another name once; any
// other name is itself.
func KernelName(name string) string {
	if is, ok := renamed[name]; ok {
		return is
	}
	return name
}

// rename gives the kernels of a record the names of today.
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
