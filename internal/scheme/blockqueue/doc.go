// Package blockqueue is a bulk-synchronous scheme in which each block has its own queue in
// shared memory.
//
// With one global queue, every vertex found costs an atomic on the counter of the next
// frontier, on which the atomics of all blocks serialize. Here each block collects the
// vertices that it finds in shared memory. At its end it reserves space for all of them in
// the global queue with one atomic and copies them with coalesced stores. If a block finds
// more vertices than its queue holds, it appends the rest to the global queue directly.
//
// Source: ECE 508 lecture 7, after Luo, Wong and Hwu, DAC 2010.
package blockqueue
