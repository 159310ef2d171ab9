// Package unionfind is the scheme that finds connected components by hooking and pointer
// jumping, instead of sending updates along arcs until nothing changes.
//
// # The problem
//
// Label propagation takes as many iterations as the longest way in the graph has arcs: about
// 2,800 on a 1400 x 1400 grid. Hooking needs each edge once, whatever the diameter.
//
// # Hooking and pointer jumping
//
// Each vertex has a parent; the vertex at the end of a chain of parents is the root of a tree,
// and its own parent. An edge between two trees hooks the root of one under the other tree.
// When all edges are done, each tree is a component. Every vertex that passes a chain of
// parents also shortens it: pointer jumping (Shiloach and Vishkin, An O(log n) Parallel
// Connectivity Algorithm, Journal of Algorithms 1982).
//
// The kernels follow ECL-CC (Jaiganesh and Burtscher, A High-Performance Connected Components
// Implementation for GPUs, HPDC 2018):
//
//   - [Init]: the first parent of a vertex is its first smaller neighbor, which needs no
//     atomic (the paper's initialization).
//   - [Hook]: the larger root is hooked under the smaller one by compare-and-swap, each
//     edge once, from its larger end; on the way each vertex gets its grandparent as parent
//     (intermediate pointer jumping, which is path halving). Vertices of more than 16 arcs go
//     to a list with two ends, for warps and for blocks, and [HookWide] takes them
//     (its computation, which has three kernels by degree).
//   - [Tile], which is not in the paper, takes the place of Init where no component is skipped:
//     a block hooks the edges within a range of vertices in shared memory. On road networks and
//     grids, whose neighbors have close numbers, few edges are left, and [Across] has them.
//   - [Flatten]: all chains become as short as possible (its finalization).
//
// A parent is never larger than its vertex. There are thus no cycles, and the root of a
// component is in the end its smallest vertex.
//
// # Skipping the largest component
//
// In many graphs a few edges of each vertex are enough to find almost all of one component
// that has almost all vertices. Edges within it need not be looked at (Afforest: Sutton,
// Ben-Nun, Barak, Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling,
// IPDPS 2018). [HookRoots] leaves one root of many, [Sample] hooks one arc of each vertex, [Compress]
// flattens the trees and finds the largest one, by the roots of a few arcs, and Hook leaves out its
// vertices. An edge that ends in it is hooked from its other end, so the others look at all of their edges.
//
// With a launch for each step, tiles leave fewer edges than that on graphs with even degrees whose neighbors have close numbers, such as meshes; skip=auto decides.
//
// Afforest samples with the same compare-and-swap as everywhere. On a GPU all warps start at
// the same time, and those of a large component meet at its few roots. Sample therefore stores
// without atomics and may lose edges, which Hook finds again.
//
// # One kernel
//
// On a GPU alone one kernel does all of this, with a barrier of all blocks between two steps ([Whole], [WholeRest]): an H200 is idle between two launches of a run for some 30 us, longer
// than most of the steps take on a graph of a million vertices. Its blocks are all resident, and large, so that few of them meet at a barrier.
//
// # Several GPUs
//
// Each GPU of a group has a range of the vertices, and runs one kernel ([WholeRestGroup], [WholeGroup]). It finds the components of its own vertices first, by the arcs between them, as a GPU alone
// does on a smaller graph. Then all GPUs tell the others which of their vertices are in their largest tree: a bit for each. An arc between two of these trees says nothing new once one such arc was hooked, so few are looked at. The vertices outside of them
// hook their arcs to other GPUs, each GPU in a forest of its own, of all vertices, and what others need to know of that is sent, in pairs of a vertex and an ancestor.
//
// With a launch for each step (fusion=none, or more GPUs than have a barrier), each GPU hooks all arcs of its range in a forest of all vertices. [Join] puts the forest of another GPU into that of
// its own, until GPU 0 has the one of all arcs.
//
// # What it runs
//
// A scheme runs many algorithms, and this one runs those whose answer depends on the
// component alone: the value of each vertex is the Combine of the Init values of all vertices
// in its component; the direction of arcs does not matter. A type says so by a method Spreads() bool that returns true. Flatten
// combines the values of a component in that of its root, and gives it to the others; for the
// smallest vertex number, which the root has from the start, nothing is left to combine. If a
// root's value did change, [Spread] gives the last one to all.
package unionfind
