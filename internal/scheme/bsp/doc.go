// Package bsp is the bulk-synchronous scheme: one kernel launch per iteration, and the host
// reads the size of the frontier in between. It exists with three mappings, which assign a
// vertex to a thread ([Thread]), to a warp ([Warp]) or to a block ([Block]).
//
// [Push] processes a queue of active vertices and sends updates along their outgoing arcs
// by atomics. [Pull] visits all vertices and gathers updates along their incoming arcs
// without atomics. Both are generic over the algorithm and over the mapping of vertices to
// threads.
package bsp
