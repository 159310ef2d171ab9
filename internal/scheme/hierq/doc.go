// Package hierq is the bulk-synchronous scheme with hierarchical queues of ECE 508
// lecture 7 ("Privatization for Graph Search"), where they speed up BFS.
//
// # The problem
//
// A GPU has no serial queue of vertices to visit; thousands of threads find vertices of the
// next frontier at the same time. If all of them append to one queue in global memory, the
// atomics on its counter serialize ("Global Queue is Too Slow"). The lecture's answer is
// privatization: copies of the queue that fewer threads share, in faster memory.
//
// # The queues
//
//   - Global queue: the next frontier, in global memory.
//   - Block queue ("Two-level Hierarchy"): in the shared memory of each block. At its end
//     the block reserves space in the global queue for all of it with one atomic, and
//     copies it with coalesced stores.
//   - Warp queues ("Solution: Add a Warp-level Queue"): the lanes of a warp are executed
//     together, so their atomics on one block queue always collide. Hence a block has
//     several small queues; lane i uses queue i modulo their number. The lanes of a warp
//     are split over the queues, and the warps of the block share them. At its end the
//     block moves them into its block queue.
//
// Each level overflows to the one below: a full warp queue to the block queue ("Why keep
// the b-queue?": it smooths the load), a full block queue to the global queue, with one
// atomic per vertex. With full=flush a full block queue is copied to the global queue by all
// threads of the block, which then go on ("flush and continue", [PushFlush]). With warp-to=global
// the warp queues go straight to the global queue at the end of a block, after a scan over all
// queues ("Why not copy w-queue directly to g-queue?").
//
// More warp queues mean fewer collisions, but shorter queues, so more overflows ("Dividing
// up the Resources"). Their number and length are typically powers of 2. If each queue is
// contiguous, the same slot of all queues is in one bank of shared memory, and accesses
// serialize; the scheme therefore interleaves the queues by default ("Need to Think About
// Bank Conflicts").
//
// # The kernels
//
// A launch per iteration costs more than the iteration if the frontier is small
// ("Hierarchical Kernel Arrangement"). As long as the frontier fits into the block queue,
// [PushSmall] runs in one block, with barriers between iterations. Larger frontiers go to
// [Push], a grid, one launch per iteration. The lecture only changes from the first kernel
// to the second; here the host reads the size of the frontier anyway, and changes back when
// the frontier has become small. With launch-from=device the kernels start each other, where the
// machine can ("Or use dynamic parallelism", [PushSmallNested], [PushNested]).
//
// At the start even one block is too much ("Use CPU to Expand First Few Levels"): with
// host-levels the host runs the first iterations itself ([scheduler.Expand]) and copies what it
// reached to the device, where [Place] stores it. A simulated host takes no time for its own
// work, only for launches and copies; on a real GPU the algorithm time contains it.
//
// Two ideas of "More Thoughts on the Details" are for a block queue without warp queues ([PushKept]): with reserve=warp the lanes
// of a warp reserve their places with a vote and one atomic, and with registers=4 or 8 a thread adds that many at once.
//
// The queues keep order of no kind and say nothing of duplicates: "Competing for Insertion
// Rights is Atomic" (slide of that name). An algorithm whose updates do not decide that uses
// the marks of [scheduler.Queue], as in all schemes.
//
// # What came before
//
// The lecture starts with earlier BFS, which other schemes run: one thread per vertex without
// queues (Harish and Narayanan, HiPC 2007) is scheduler nodes; the sparse matrix-vector product
// with path counts (Deng, Wang and Mu, ICCAD 2009) is algorithm paths with any scheme that pulls;
// and the gather that stops at the first neighbor with a level is direction=pull of an
// algorithm with EarlyEnd, as BFS is. Scheduler thread has one queue in global memory.
// Scheduler block-queue is levels=block and one-block=0 with queues of fixed length.
package hierq
