// Package kernels contains the graph algorithms of Weft, one per file: BFS, with levels, with
// predecessors and with numbers of paths, SSSP, widest paths, connected components of three
// kinds, k-cores, colouring, triangles, PageRank, belief propagation, and simulations of
// neurons, heat and circuits.
//
// An algorithm is a struct type that implements [scheduler.Algorithm]: it defines the value
// of a vertex, what an arc computes, and how updates combine. It contains no loop over the
// graph. A scheme (package scheduler and below) supplies the loops: it decides which
// threads process which arcs, and how the next frontier is collected. Every algorithm runs
// under every scheme that supports it:
//
//	bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32] // BFS, one warp per vertex
//	blockqueue.Push[kernels.SSSP, uint32]                  // SSSP with a queue per block
//
// Such an instance is a kernel. It runs as plain Go under gpu.Launch too; see the example
// of [BFS].
//
// # How to read an algorithm
//
// Start with the comment of the type, which says what the algorithm computes and from which
// paper it is. Then read the methods in the order in which a scheme calls them: Init and
// Start set the first values and the first frontier; Take and Compute say what an active
// vertex sends along an arc; Combine and Update (mostly from the embedded [scheduler.Min]
// or [scheduler.Add]) say what happens where updates meet; Active decides whether the
// target joins the next frontier. In a pull scheme Apply computes the next value of a
// vertex from the combined updates. [KCore], [SCC] and [WCC] run in phases: Phase and Enter
// say what happens when the frontier is empty.
//
// Files named host*.go are the host half: what an algorithm needs of the graph, and how its
// answer is checked against a CPU reference. All other files are device code.
//
// Package micro, below this one, has kernels that measure machines; package litmus has
// kernels that test memory models.
package kernels

// Unreached is the value of a vertex that no path from the source reaches.
const Unreached = ^uint32(0)
