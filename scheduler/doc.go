// Package scheduler distributes the work of a graph algorithm over the threads of a GPU. It
// contains what all schemes share:
//
//   - [Algorithm]: the interface of a graph algorithm, after SIMD-X's
//     Active-Compute-Combine; [Min], [Max] and [Add] implement most of it.
//   - [Graph], [Vertex], [Edge]: the graph as a kernel sees it.
//   - [Mapping]: which threads share the arcs of a vertex: [ThreadPerVertex],
//     [WarpPerVertex] or [BlockPerVertex].
//   - [Queue] and [Frontier]: the active vertices of the next and of the current iteration.
//   - [NextPhase] and [EnterPhase]: what follows, for an algorithm that runs in phases, when
//     no vertex is active.
//   - [Scheme]: what a program runs: kernels, parameters and a host loop.
//
// Each scheme is a folder of internal/scheme, written once for all algorithms: bsp launches
// one kernel per iteration, blockqueue adds a frontier queue in each block's shared memory;
// vwc and warpseg pull with virtual warps and with Warp Segmentation;
// wolf gives each thread an edge instead of a vertex;
// hierq has queues for each warp, block and grid;
// simdx has persistent kernels, lists for threads, warps and blocks, and filters;
// multi spreads over several GPUs, with a choice of what they send each other;
// nodes gives a thread to each vertex of the graph in each iteration, without queues;
// balanced divides the arcs of each frontier evenly among all threads, as the baseline of atos;
// unionfind hooks trees instead of sending updates; oriented counts triangles by arcs of one direction;
// atos has workers that share one queue of tasks and never wait for an iteration to end.
// Package kernels contains the algorithms.
//
// # An algorithm
//
// This is single-source widest paths; the value of a vertex is the largest w for which some
// path from the source consists of arcs with a weight of at least w:
//
//	type Widest struct{ scheduler.Max[uint32] }
//
//	func (Widest) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
//		if v.ID == in.Source {
//			return ^uint32(0)
//		}
//		return 0
//	}
//
//	func (Widest) Start(v scheduler.Vertex, in scheduler.Problem) bool {
//		return v.ID == in.Source
//	}
//
//	func (Widest) Compute(e scheduler.Edge, src uint32) (uint32, bool) {
//		return min(src, e.Weight()), true
//	}
//
// If the type also has a method Symmetric() bool that returns true, it runs on the graph with
// the opposite of each arc added. A [Host] adds a name and a reference on the CPU.
//
// The kernels of a scheme are generic functions; an instance of one runs on a device, and
// under gpu.Launch as plain Go:
//
//	bsp.Push[Widest, scheduler.WarpPerVertex, uint32]
//
// # Tasks
//
// Work that is no graph, such as a search in a tree, is written as tasks that add tasks: a [Task] has
// the functions f1 and f2 of Atos, and its [Worker], a thread, warp or block, shares a [TaskQueue] with all others.
// weft.RunTasks launches it. The scheme atos uses the same workers through [TaskApp].
//
// # Host loops
//
// The host loop of a scheme uses [Loop], which manages device memory, launches and their
// record, or [RunRounds], which launches a kernel until the frontier is empty and there is no
// further phase.
//
// Files named host*.go are host code; all other files are device code. Do not confuse these
// schemes with the warp schedulers of a simulated machine, which are in package sim.
package scheduler
