// Package pipeline has kernels in which threads of a block bring data to shared memory and others use it, with the mbarriers
// or the asynchronous copies of package gpu, and the same computation with loads and barriers of the whole block.
package pipeline
