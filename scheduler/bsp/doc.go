// Package bsp is the bulk-synchronous scheme: one kernel launch an iteration,
// and the host looks at the frontier in between. There are three of it, which
// map a vertex to a thread, a warp or a block.
//
// Push works off a queue of active vertices and sends along their outgoing
// arcs by atomics; Pull visits all vertices and gathers along their incoming
// arcs without any. Both are generic over the algorithm and over the mapping of
// vertices to threads.
package bsp
