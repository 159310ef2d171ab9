// Package kernel makes a launch of a compiled kernel a program whose schedules
// can be explored: blocks, or whole clusters of a launch that has them, warps or
// lanes are the threads of the progress model.
//
// Memory is sequentially consistent. A step is an access that others can see, an
// atomic, a load or a store of memory that more than one unit uses, with all that
// follows before the next one. What happens in between is seen by nobody, so its
// order does not matter. A state has memory, positions, and the registers that
// are live.
//
// Asynchronous copies end by steps of their own, which belong to no thread, where
// others than the thread that began them learn of it; see pending.go.
//
// The lanes of a warp that are at the same instruction execute it together. Where
// they diverge, each side goes on independently, as on GPUs with independent
// thread scheduling; they join where they meet. If lanes are the threads, each
// goes on alone.
package kernel
