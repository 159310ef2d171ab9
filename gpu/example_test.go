package gpu_test

import (
	"fmt"

	"github.com/weft-gpu/weft/gpu"
)

// Sum adds the elements of x to *total. Each thread adds the elements of a grid-stride
// loop, each block adds its sum to *total once.
func Sum(t gpu.Thread, x []uint32, total *uint32) {
	sum := gpu.Shared[uint32](t)
	if t.Idx() == 0 {
		*sum = 0
	}
	t.Sync()
	part := uint32(0)
	for i := t.Global(); i < gpu.Len(x); i += t.Stride() {
		part += x[i]
	}
	gpu.AtomicAdd(sum, part, gpu.BlockScope)
	t.Sync()
	if t.Idx() == 0 {
		gpu.AtomicAdd(total, *sum)
	}
}

// A kernel runs as plain Go under Launch. Parameters other than the thread are bound by a
// closure.
func Example() {
	x := make([]uint32, 1000)
	for i := range x {
		x[i] = uint32(i)
	}
	var total uint32
	err := gpu.Launch(4, 128, func(t gpu.Thread) { Sum(t, x, &total) })
	fmt.Println(total, err)
	// Output: 499500 <nil>
}

// Each of 2 blocks of 2 threads scales its part of x.
func ExampleLaunch() {
	x := []uint32{1, 2, 3, 4}
	err := gpu.Launch(2, 2, func(t gpu.Thread) { x[t.Global()] *= 10 })
	fmt.Println(x, err)
	// Output: [10 20 30 40] <nil>
}

// The error of a launch has the source position, the block and the thread.
func ExampleLaunch_fault() {
	x := make([]uint32, 3)
	err := gpu.Launch(1, 4, func(t gpu.Thread) { x[t.Global()] = 1 })
	fmt.Println(err)
	// Output: gpu: gpu/example_test.go:52: index out of range [3] with length 3 (block 0, thread 3)
}

// A barrier that some threads do not reach before they wait elsewhere cannot complete.
func ExampleLaunch_hang() {
	err := gpu.Launch(1, 64, func(t gpu.Thread) {
		if t.Warp() == 0 {
			t.Sync()
		} else {
			t.SyncOr(true)
		}
	})
	fmt.Println(err)
	// Output:
	// gpu: the kernel hangs: threads of a block wait at barriers of different kinds, so none can complete
	// 	gpu/example_test.go:61: block 0, thread 0-31: waits at Sync
	// 	gpu/example_test.go:63: block 0, thread 32-63: waits at SyncOr
}

// The threads of a block reverse an array through shared memory.
func ExampleShared() {
	x := []uint32{1, 2, 3, 4}
	err := gpu.Launch(1, 4, func(t gpu.Thread) {
		tile := gpu.Shared[[4]uint32](t)
		tile[t.Idx()] = x[t.Idx()]
		t.Sync()
		x[t.Idx()] = tile[t.BlockDim()-1-t.Idx()]
	})
	fmt.Println(x, err)
	// Output: [4 3 2 1] <nil>
}

// Stream compaction of a warp: the lanes that keep an element compute its place from a
// ballot.
func ExampleThread_Ballot() {
	x := []uint32{7, 0, 0, 5, 0, 3, 0, 0}
	kept := make([]uint32, len(x))
	err := gpu.Launch(1, 8, func(t gpu.Thread) {
		v := x[t.Lane()]
		votes := t.Ballot(gpu.FullMask, v != 0)
		if v != 0 {
			lower := votes & (1<<t.Lane() - 1)
			kept[gpu.PopCount(lower)] = v
		}
	})
	fmt.Println(kept, err)
	// Output: [7 5 3 0 0 0 0 0] <nil>
}

// A warp adds up the values of its lanes in five steps.
func ExampleShflDown() {
	var sum uint32
	err := gpu.Launch(1, gpu.WarpSize, func(t gpu.Thread) {
		v := t.Lane()
		for delta := uint32(gpu.WarpSize / 2); delta > 0; delta /= 2 {
			v += gpu.ShflDown(t, gpu.FullMask, v, delta)
		}
		if t.Lane() == 0 {
			sum = v
		}
	})
	fmt.Println(sum, err)
	// Output: 496 <nil>
}

// A histogram of 4 bins.
func ExampleAtomicAdd() {
	x := []uint32{3, 1, 1, 0, 3, 3}
	bins := make([]uint32, 4)
	err := gpu.Launch(2, 3, func(t gpu.Thread) { gpu.AtomicAdd(&bins[x[t.Global()]], 1) })
	fmt.Println(bins, err)
	// Output: [1 2 0 3] <nil>
}

// The second block waits until the first one has published its data.
func ExampleLoadAcquire() {
	var data, ready, seen uint32
	err := gpu.Launch(2, 1, func(t gpu.Thread) {
		if t.Block() == 0 {
			data = 42
			gpu.StoreRelease(&ready, 1)
			return
		}
		for gpu.LoadAcquire(&ready) == 0 {
		}
		seen = data
	})
	fmt.Println(seen, err)
	// Output: 42 <nil>
}
