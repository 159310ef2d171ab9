// Package llvm prints kernels of Weft as LLVM IR, so that clang compiles them: for x86-64, where package host runs them,
// and for AMD's gfx803, which MGPUSim simulates.
//
//	text, err := llvm.Module(llvm.X86, fn)
//
// It prints the SSA form of a kernel. What runs on Weft's devices is the Program that package opt makes of the same form, so
// clang's register allocation, instruction selection and order of blocks are independent of Weft's, and so is what each
// operation means: it is written here a second time, in the operations of LLVM.
package llvm
