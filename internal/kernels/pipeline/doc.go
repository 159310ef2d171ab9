// Package pipeline has kernels in which some warps of a block bring data to shared memory and others use it, with the mbarriers
// of package gpu between them, and the same computation with barriers of the whole block.
package pipeline
