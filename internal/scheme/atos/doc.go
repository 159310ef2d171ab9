// Package atos is the scheme of Atos (Chen et al., "Atos: A Task-Parallel GPU Dynamic
// Scheduling Framework for Dynamic Irregular Computations", ICPP 2022). Section numbers
// are those of the paper.
//
// # The problem
//
// A bulk-synchronous program processes a frontier, waits until all of it is done, and
// launches a kernel for the next one (section 2.1). A road network has thousands of
// frontiers of a few hundred vertices: the launches take longer than the work (the small
// frontier problem). A graph with vertices of very many arcs keeps all others waiting for
// the slowest (load imbalance). And every task of an iteration waits for every task of the
// iteration before, although it depends on few of them (loss of concurrency).
//
// # Tasks, workers and one queue
//
// A task is a vertex to process. Workers take tasks from one queue, process them and add
// the tasks that follow, until there are none (section 3, listing 2). No barrier separates
// iterations. A vertex may therefore be processed with a value that is not final; then it
// is processed once more when the better value comes (section 3.1). These visits in excess
// are overwork; the run reports them as visited/least (section 6.4, table 4).
//
// The design decisions of section 3 are parameters:
//
//   - worker is the worker size (section 3.2): a thread, a warp or a block (a CTA in the
//     paper) takes and processes tasks together.
//   - fetch is FETCH_SIZE (sections 3.3 and 4): how many tasks a worker takes at a time. The
//     arcs of all their vertices are divided evenly among its threads by load-balancing
//     search: data parallelism inside a worker, and task parallelism between them.
//   - kernel is the kernel strategy (section 3.4). A persistent kernel is one launch whose
//     workers run until nothing is left; blocks is the number of its blocks (numBlock of
//     section 4), by default as many as are resident. Discrete kernels are launches for
//     portions of the queue, on several streams, where earlier launches go first.
//
// The variants of table 1 are worker=warp with fetch=1 (persist warp), the default (persist
// CTA), kernel=discrete (discrete CTA) and kernel=discrete with worker=warp (discrete warp).
//
// # The applications
//
// merge=false leaves out what the paper does not have, the merging of requests for a task
// that waits.
//
// The application functions of section 4 are methods of a [scheduler.TaskApp]: Run is f1, for the
// tasks that a worker took, and Idle is f2, for a worker that found none. These are:
//
//   - [Relax], for algorithms that send updates which may come in any order: speculative
//     BFS (section 5.1, algorithm 2), shortest and widest paths, connected components, and
//     asynchronous PageRank (section 5.2), where a residual becomes a task as soon as an
//     update has made it large enough. [Scan] is the PageRank of algorithm 4, in which
//     workers look for such residuals instead; check is its Check_Size.
//   - [Colour], for algorithms that choose a value by looking at the neighbors: speculative
//     greedy colouring (section 5.3, algorithm 6).
//
// The bulk-synchronous baselines of BFS (algorithm 1) and PageRank (algorithm 3) are the
// scheme balanced; that of colouring (algorithm 5) is kernel=bsp, with the kernels [Choose] and
// [Detect], and with worker=buckets as in section 6.2.
//
// # Several GPUs
//
// On a group, which the paper does not have, each GPU has a range of the vertices and a queue of its own. [Spread] is the kernel, [Peers] is how tasks get to other GPUs, and
// [Ending] is how all find out that nothing is left.
//
// # Which algorithms
//
// A scheme without iterations cannot keep promises about them. That a vertex becomes active
// at most once per iteration (Unique) means nothing here, and is not relied on. Updates must
// lead to the same answer in any order, and however often a vertex sends its value; if that
// is a sum, Take has to consume it, as PageRank does. Algorithms whose phases are necessary
// are refused.
//
// # The rest
//
// [scheduler.TaskRing] is the queue: how tasks are handed over, and why the run ends exactly when
// all is done. [Queue] says why no task is lost, and why the ring cannot overflow.
package atos
