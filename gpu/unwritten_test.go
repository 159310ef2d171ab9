package gpu_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
)

type bucket struct {
	n   uint32
	sum float64
}

// An atomic or ordered load of shared memory that no thread has written is an error.
func TestUnwrittenSharedMemory(t *testing.T) {
	for name, kernel := range map[string]func(t gpu.Thread){
		"add":     func(t gpu.Thread) { gpu.AtomicAdd(&gpu.Shared[[4]uint32](t)[2], 1) },
		"swap":    func(t gpu.Thread) { gpu.AtomicCAS(&gpu.Shared[[4]int32](t)[2], 0, 1) },
		"load":    func(t gpu.Thread) { gpu.Load(&gpu.Shared[[2]uint64](t)[1]) },
		"acquire": func(t gpu.Thread) { gpu.LoadAcquire(&gpu.Shared[bucket](t).sum) },
	} {
		err := gpu.Launch(2, 32, kernel)
		var f *gpu.Fault
		require.ErrorAs(t, err, &f, name)
		assert.Equal(t, "byte 8 of a shared variable is read, but no thread of the block has written it", f.What, name)
		assert.Contains(t, f.At[0].String(), "gpu/unwritten_test.go:", name)
		assert.NoError(t, gpu.Launch(2, 32, kernel, gpu.AllowUnwritten()), name)
		assert.NoError(t, gpu.Launch(2, 32, kernel, gpu.Poison(7)), name)
	}
}

// A word is readable after a plain store, an exchange or an ordered store, even one that
// stores the value that the word held before.
func TestWrittenSharedMemory(t *testing.T) {
	require.NoError(t, gpu.Launch(3, 64, func(t gpu.Thread) {
		b := gpu.Shared[[4]bucket](t)
		if t.Idx() < 4 {
			b[t.Idx()].n, b[t.Idx()].sum = math.MaxUint32, math.Inf(-1)
		}
		t.Sync()
		gpu.AtomicAdd(&b[t.Idx()%4].n, 1)
		gpu.AtomicAdd(&b[t.Idx()%4].sum, 1)

		q := gpu.Shared[[2]uint64](t)
		gpu.AtomicExch(&q[0], q[0])
		gpu.AtomicAdd(&q[0], 1)
		gpu.StoreRelease(&q[1], q[1])
		gpu.AtomicMax(&q[1], 5)

		var own [2]uint32 // a variable of the thread does not belong to the block
		gpu.Store(&own[1], 3)
	}))
}
