// Package ptx prints compiled kernels as PTX, NVIDIA's virtual instruction set, for sm_70 and later. It needs neither
// a GPU nor CUDA:
//
//	text, err := ptx.Module(ptx.Options{Target: "sm_90"}, kernel)
//
// It prints the same ir.Program that the simulator executes, so that both run the same instructions in the same order;
// ptxas then allocates registers. Only with Options.NonCoherent, which declares that buffers do not change, does a GPU
// execute fewer loads. Loops are marked "nounroll": package opt has already unrolled the loops that ptxas would
// unroll, so that the simulator's results for a loop apply to the loop that the GPU executes. Rows become untyped
// registers (%r for 32 bits, %rd for 64), which PTX accepts for operands of any type of that size.
package ptx
