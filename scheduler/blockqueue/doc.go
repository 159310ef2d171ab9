// Package blockqueue is a bulk-synchronous scheme with a block-private queue.
//
// Every vertex found is an atomic on the one counter of the next frontier, and
// those of all blocks meet there. So each block collects what it finds in shared
// memory, and at its end takes room for all of it in the global queue by one
// atomic and copies it there, neighbouring threads to neighbouring words. A
// block that finds more than its queue holds appends the rest directly.
//
// From: ECE 508 lecture 7, after Luo, Wong and Hwu, DAC 2010.
package blockqueue
