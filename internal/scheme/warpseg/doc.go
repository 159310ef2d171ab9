// Package warpseg is Warp Segmentation (Khorasani, Gupta and Bhuyan, Scalable SIMD-Efficient
// Graph Processing on GPUs, PACT 2015, slides 7 and 11 to 15).
//
// A scheme that gives every vertex the same number of threads wastes lanes on a graph with
// irregular degrees: either most lanes of a vertex have no arc, or one vertex keeps its warp
// busy while the rest wait. Warp Segmentation gives a warp a group of 32 vertices instead.
// Their incoming arcs follow each other in memory, and the lanes walk over them together, 32
// arcs at a time (a strip), without regard to where one vertex ends and the next begins:
//
//   - Each lane loads one arc, so the loads of arcs are coalesced, and no lane idles before the
//     last strip of the group.
//   - The arcs of a strip that lead to the same vertex are a segment. A lane finds the vertex of
//     its arc by binary search in the group's part of the row offsets (slides 12 and 13). The
//     offset of the next vertex gives the lane's index in the segment, counted from the right
//     ([segmentOf]). The search runs while the arc and the value of its source are loaded.
//   - The updates of a segment are combined by shuffles, in five steps, without atomics in
//     shared memory ([reduce]).
//   - The first lane of the segment has the result; the lane of the vertex fetches it and
//     combines it with those of earlier strips ([Gather]).
//
// Row offsets and sums remain in registers: lane i of the warp holds those of vertex i of the
// group, and other lanes read them by shuffles. The scheme uses no shared memory and no
// barrier. The original needs no synchronization because the lanes of a warp run in
// lockstep; since Volta they need not. Here lanes communicate by shuffles and votes of the
// whole warp alone, which wait for all lanes, so the scheme is right with independent thread
// scheduling too.
//
// An iteration is one launch of [Pull] over all vertices. Values are double-buffered: it
// reads those of the previous iteration, as in the slides' example (slide 6).
//
// The share of lanes that work is the counter
// smsp__thread_inst_executed_per_inst_executed.ratio as a part of 32 (warp execution
// efficiency, slide 17).
package warpseg
