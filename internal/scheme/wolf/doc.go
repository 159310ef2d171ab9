// Package wolf is the edge-centric scheme of WolfGraph, "an Edge-Centric graph processing
// framework on GPUs" (a thesis chapter; the section and figure numbers here are its own).
//
// # Edges, not vertices
//
// A scheme that gives each thread a vertex has idle lanes when degrees differ. WolfGraph
// gives each thread an edge (section 5.2). The graph is a list of edges: arrays of the
// source, the destination and the weight ([Edges]; the destination and the weight are Col and Weight of the
// graph). Neighboring threads read neighboring elements, so reading the list is coalesced.
// Each iteration passes over the list. An edge whose source has not changed since the last
// iteration sends nothing, since what it would send has been sent before. A thread block has a
// range of neighboring edges, an edge block; whoever changes a vertex also marks the edge
// blocks of its edges, and a block without a mark ends at once. The iterations
// end when no value changes. The chapter has no marks: with edges=all every iteration processes
// every edge.
//
// The list is ordered by source, or as in the graph's file (order=file), as in the chapter, which
// does not sort. What order and blocks are is the [Plan] of the kernels: [Blocks] by default,
// [Listed] in the order of the file, [Every] for all edges.
//
// # Two places for an update
//
// Several edges lead to one vertex, so updates must be atomic, and their addresses are
// random. The parameter variant says where they meet (section 5.3):
//
//   - direct: in the global values ([Direct]), with a global atomic for each update that may
//     change a value.
//   - shared: in shared memory first. The shared index (Slot in [Edges]) gives the destination of each edge a slot
//     in the block's array of local vertex values (figure 5.2); edges of one block with the
//     same destination have the same slot. [Gather] combines updates there with shared
//     atomics. Then a separate kernel, [WriteBack], combines the local values with the global
//     ones: one global atomic at most for each destination of a block.
//
// Local values outlive the first kernel in global memory, where blocks store them
// contiguously. In the shared variant an iteration reads only values of the one before; in
// the direct one it may also read newer values.
//
// # The size of an edge block
//
// More edges in a block mean more updates that meet in shared memory, but also longer local
// arrays and so fewer blocks on an SM. The rule (parameter edges-per-block=0): the most edges
// for which the local array, one value per edge at worst, leaves as many blocks on an SM as
// fit without it; but no more than needed to give every SM its blocks. The result is a
// multiple of the threads per block, so the threads stride over the edge block.
//
// The chapter's local vertex value array has the destinations of the block's edges, so a graph may
// have more vertices than fit into shared memory. Its rule for the size of a block is in a part
// that we do not have. With destinations-per-block a block ends when its edges have that many
// different destinations: then blocks may have many more edges than values fit.
//
// # Preparation
//
// The host builds the sources and slots in one pass over the graph, in time
// linear in vertices and edges; BenchmarkSplit measures it. It happens before the first
// launch and is not part of the algorithm time.
//
// # Which algorithms
//
// All that can be pushed. If Take modifies a vertex (PageRank, which takes its residual), all
// edges of the vertex must send the result of one call: a kernel of its own, [Take], calls it for
// each active vertex before the edges are processed. An algorithm that can only be pulled is
// rejected, because it computes the next value of a vertex from all of its incoming arcs at
// once, and here they are spread over several edge blocks.
//
// # Conflicts
//
// Figures 5.4 to 5.6 show how many threads write one location at the same time. With
// conflicts=true a further kernel, [Conflicts], counts before each iteration how many updates
// meet at each destination of an edge block: the quantity conflict is the most of them (figure
// 5.4), and conflict-1, conflict-2, conflict-4, ... are the numbers of destinations at which 1,
// 2 or 3, 4 to 7, ... meet. It works on every device:
//
//	weft run sssp --scheduler wolf --device func --graph rmat:scale=10 --param conflicts=true --json
//
// The synchronized writes to global memory (5.5) are the operations of WriteBack in global
// memory, against those of Direct, under "atomics by launch" of
//
//	weft annotate sssp --scheduler wolf --device sim:tiny --graph rmat:scale=10
//	weft annotate sssp --scheduler wolf --device sim:tiny --graph rmat:scale=10 --param variant=direct
//
// There the column "of a block" of Gather is the most atomics on one local value; it may be
// smaller than conflict, because an update that comes too late needs no atomic. Programs find
// the columns in profile.Launch: BlockDegree, Shared and Global. Of the global atomics, up to
// two per warp and launch count edges and changes. The times of the iterations (5.6) are in the
// steps of weft run --json. results/papers has all of it beside the chapter's answers.
//
// Figure 5.3, the time of an atomic in shared and in global memory by the number of threads
// that meet, is a measurement of its own: WolfSharedOnce and WolfGlobalOnce in internal/kernels/micro.
package wolf
