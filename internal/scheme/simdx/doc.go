// Package simdx is the scheme of SIMD-X (Liu and Huang, "SIMD-X: Programming and Processing of
// Graph Algorithms on GPUs", USENIX ATC 2019). Section numbers are those of the paper.
//
// # The model (section 3)
//
// An algorithm says which vertices are active (Active), what an arc carries (Compute), and
// how what arrives at a vertex is combined (Combine): that is [scheduler.Algorithm]. An
// iteration pushes or pulls. In a push, active vertices send updates along their outgoing
// arcs, and the targets combine them with atomics. In a pull, each vertex combines what its
// incoming arcs carry, without atomics. There are two kinds of Combine: with aggregation every
// update counts (sum, minimum); with voting one is as good as all (BFS, where any visited
// neighbor will do), and the threads that pull for a vertex stop together as soon as one of
// them has found one ([scheduler.Mapping], ArcsUntil).
//
// A run pushes, and pulls while the active vertices have more than 30% of all arcs (section
// 5); an algorithm that can only be pushed, or only be pulled, keeps to that. With
// direction=both that holds in phases, too, as in figure 3 of the paper, where delta-stepping
// pulls: a vertex reads all of its in-neighbors and takes those of the phase
// ([scheduler.PullInPhase]); and a run whose first frontier has all vertices begins with a pull.
// With direction=auto phases are pushed, since a pull looks at every vertex that is not final.
// PageRank pulls first, and pushes "in the end, when most vertices are stable" (section 6):
// direction=both,stable=0.5.
//
// Algorithms that compute every value anew in each iteration, as belief propagation does, have
// no frontier. Pulling suits them; direction=push sends along all arcs ([Scatter]).
//
// # Task management (section 4)
//
// Vertices have different numbers of arcs, so active vertices are kept in three lists: each
// vertex of the small list is processed by a thread, of the medium list by a warp, of the
// large list by a block. What remains is to find the active vertices of the next iteration
// and put them into the lists, the task of a filter:
//
//   - Online filter: the thread that makes a vertex active records it in a bin of its own,
//     64 vertices at most. After the iteration the bins are concatenated, at places that
//     prefix sums determine. This costs nothing for inactive vertices. But the lists have no
//     order, a vertex may be in them several times, and a bin may overflow.
//   - Ballot filter: all vertices are scanned, 32 neighboring ones by a warp at a time, which
//     votes on those that are active. This costs a scan, however few are active. But the
//     lists are sorted, have each vertex once, and cannot overflow.
//   - Just-in-time control (filter=jit): online, unless a bin overflows; then ballot for that
//     one iteration. Figure 7: small frontiers at the beginning and the end of a run are
//     collected online, large ones in the middle by ballot.
//
// The filters that the paper compares with:
//
//   - Batch filter, as in Gunrock. It first lists the arcs of all active vertices, for which it
//     has room for twice the number of arcs, and then updates and collects from the list. What
//     vertices send comes from an array if taking it modifies them ([Take]).
//   - Atomic filter: the thread that makes a vertex active adds it to the list by an atomic.
//   - Strided filter: a scan in which each thread looks at neighboring vertices of its own, so
//     that the lanes of a warp load words that are far from each other.
//   - Khorasani's filter: a scan with votes, in which an atomic of each warp finds the place,
//     so that the lists are not sorted, and one thread writes for the warp.
//
// # Kernel fusion (section 5)
//
// Without fusion, an iteration takes a launch for each list and each step of a filter
// (fusion=none; [Send], [Concatenate], [Count], [Write], [Gather], [ScatterList]). With fusion, a kernel runs
// all of its iterations: its blocks stay, and between two steps they meet at a barrier of the
// grid ([scheduler.GridBarrier]). One kernel for everything ([All], fusion=all) needs the
// registers of all its parts together, so fewer threads are resident ([AllScatter] where pushes
// have no frontier). Push-pull based fusion,
// the default, has one kernel for push iterations ([Push]) and one for pull iterations
// ([Pull]), and a run has a few launches.
//
// A barrier of the grid waits for ever if some block is not resident. Equation 1 of the paper
// says how many blocks are safe, from the registers: floor(registers of an SM / (registers of
// a thread x threads of a block)) x SMs. But blocks are limited by more than registers, so a
// launch with barrier=eq1 may hang: with 24 registers and blocks of 128 threads a K40 gets 315
// blocks, and holds 240. With barrier=occupancy, the default, the device is asked.
//
// # Beyond the paper
//
// Three parameters go beyond it; with the value 0 they do nothing. block-list keeps what the
// threads of a block find in lists in shared memory, which go to the frontier with one atomic
// each; bins are for what does not fit. one-block lets one block run small frontiers alone,
// without the barrier of the grid, while the others wait. split gives a vertex with very many
// arcs to several blocks.
//
// Phases that are the levels of a search and of its way back ([scheduler.Algorithm], Levels), as in betweenness centrality, run in
// a kernel of their own ([Levels]), which keeps a list of each level; fusion=none and the filters of the comparison look at
// all vertices for those of a phase, as other phases do.
package simdx
