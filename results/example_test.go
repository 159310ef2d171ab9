package results_test

import (
	"fmt"

	"github.com/weft-gpu/weft/results"
)

// Find the recorded run of an algorithm on a graph, and the registers per thread of a kernel.
func ExampleLoad() {
	h, err := results.Load("h200")
	if err != nil {
		panic(err)
	}
	const vertices, arcs, source = 7115, 103689, 2356 // the demo graph wiki-Vote, from its vertex with the most arcs
	run := h.Find("bfs", "warp", vertices, arcs, source)
	fmt.Println(h.Meta.GPU, h.Meta.SMs, "SMs")
	fmt.Println("verified:", run.Verified, "iterations:", run.Iterations, "times measured:", run.Kernels.Runs)
	// Output:
	// NVIDIA H200 132 SMs
	// verified: true iterations: 5 times measured: 9
}
