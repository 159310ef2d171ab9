// Package gpu is the API of kernels: thread indices, barriers, warp collectives, shared
// memory, atomics, memory ordering and math functions. It is all that a kernel may import,
// besides other device code.
//
// A kernel is a Go function whose first parameter is a [Thread]. Weft compiles it for its
// simulators and for NVIDIA GPUs. [Launch] runs the same function as plain Go, so that a
// kernel can be unit-tested and debugged like any other function, without a GPU.
//
// # A kernel
//
// This kernel adds up x. Each thread adds the elements of a grid-stride loop, each block
// adds its sum to *total once:
//
//	func Sum(t gpu.Thread, x []uint32, total *uint32) {
//		sum := gpu.Shared[uint32](t) // one variable per block, not initialized
//		if t.Idx() == 0 {
//			*sum = 0
//		}
//		t.Sync()
//		part := uint32(0)
//		for i := t.Global(); i < gpu.Len(x); i += t.Stride() {
//			part += x[i]
//		}
//		gpu.AtomicAdd(sum, part, gpu.BlockScope)
//		t.Sync()
//		if t.Idx() == 0 {
//			gpu.AtomicAdd(total, *sum)
//		}
//	}
//
// A test launches it with 4 blocks of 128 threads:
//
//	var total uint32
//	err := gpu.Launch(4, 128, func(t gpu.Thread) { Sum(t, x, &total) })
//
// # For readers who know CUDA
//
//	threadIdx.x, blockIdx.x     t.Idx(), t.Block()
//	blockDim.x, gridDim.x       t.BlockDim(), t.GridDim()
//	__syncthreads()             t.Sync()
//	__syncwarp(m)               t.SyncWarp(m)
//	__ballot_sync(m, p)         t.Ballot(m, p)
//	__shfl_down_sync(m, v, d)   gpu.ShflDown(t, m, v, d)
//	__match_any_sync(m, v)      gpu.Match(t, m, v)
//	__shared__ T v              v := gpu.Shared[T](t)
//	extern __shared__ T v[]     v := gpu.DynamicShared[T](t)
//	atomicAdd(&x[i], v)         gpu.AtomicAdd(&x[i], v)
//	atomicCAS(&x[i], old, v)    gpu.AtomicCAS(&x[i], old, v)
//	__threadfence()             gpu.Fence()
//	__pipeline_memcpy_async     gpu.CopyAsync(&s[i], &x[i])
//	__pipeline_commit()         t.CommitCopies()
//	__pipeline_wait_prior(n)    t.WaitCopies(n)
//	clock64()                   t.Clock()
//
// # Memory
//
// Slices and pointers that a kernel takes as parameters are global memory; [Shared] and
// [DynamicShared] are shared memory of the block. A plain Go load or store is a weak
// access, as in CUDA. Threads that communicate need a barrier between their accesses, or
// the ordered accesses: [Load], [Store], [LoadAcquire], [StoreRelease], [Fence] and the
// atomics, each with an optional [Scope].
//
// # The files of this package
//
// Files named native*.go are the executor behind Launch, and files named host*.go are for
// host programs ([Package] describes sources to the compiler); the compiler reads neither.
// Files named device*.go are device code and are compiled like a kernel. From the other
// files the compiler reads only the declarations; it implements those functions itself.
package gpu
