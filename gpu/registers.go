package gpu

// LaunchRegisters fixes how many registers each thread of the kernel has when it begins (.maxnreg in PTX), a constant: a multiple of 8 from 24 to
// 248. It may stand anywhere in the kernel. Without it the compiler for the GPU chooses the number.
func (t Thread) LaunchRegisters(n uint32) { countRegisters("LaunchRegisters", n, 248) }

// GiveRegisters gives registers of the warp back to its block, of which each thread then has n, a constant: a multiple of 8 from 24 to 256, and not
// more than it has (setmaxnreg.dec). The kernel calls [Thread.LaunchRegisters]. All four warps of a warpgroup call it, each as a whole.
//
// Registers limit how many warps fit on a GPU: a warpgroup that only copies gives away what others need that hold sums. In plain Go, where there
// are none, it does nothing. GPUs have it since compute capability 9.0.
func (t Thread) GiveRegisters(n uint32) { countRegisters("GiveRegisters", n, 256) }

// TakeRegisters waits until the block has enough registers, of those that its warps have given back, for n in each thread of the warp, and takes them
// (setmaxnreg.inc): n is as for [Thread.GiveRegisters], and not less than a thread has. What a warp has when it ends is not given back.
func (t Thread) TakeRegisters(n uint32) { countRegisters("TakeRegisters", n, 256) }
