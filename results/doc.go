// Package results contains measurements of real GPUs, recorded with the command "weft record", and loads them for
// comparisons with the simulator. Our records are embedded in the program; each GPU has a folder below hw/ with a
// README.md. OpenRecords reads those of a folder instead.
//
//	h, err := results.Load("h200")
//	found := h.Find("bfs", "warp", vertices, arcs, source)    // nil if not recorded
//	fmt.Println(found.Kernels.Median)                         // seconds
//
// All times are in seconds unless a field says otherwise.
package results
