package gpu_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
)

// A copy in bulk to global memory reads when its thread waits for that, writes when the thread waits for all, and at the end of the
// block at the latest.
func TestStoreBulk(t *testing.T) {
	for _, c := range []struct {
		name string
		wait func(t gpu.Thread)
		now  [3]uint32 // what the thread finds after its wait
		end  [3]uint32 // what is there at the end, when the sources have changed
	}{
		{"no wait", func(gpu.Thread) {}, [3]uint32{1, 1, 1}, [3]uint32{9, 9, 9}},
		{"but two groups", func(t gpu.Thread) { t.WaitBulk(2) }, [3]uint32{1, 1, 1}, [3]uint32{9, 9, 9}},
		{"but one group", func(t gpu.Thread) { t.WaitBulk(1) }, [3]uint32{10, 1, 1}, [3]uint32{10, 9, 9}},
		{"all groups", func(t gpu.Thread) { t.WaitBulk(0) }, [3]uint32{10, 20, 1}, [3]uint32{10, 20, 9}},
		{"reads of one group", func(t gpu.Thread) { t.WaitBulkRead(1) }, [3]uint32{1, 1, 1}, [3]uint32{10, 9, 9}},
		{"reads of all", func(t gpu.Thread) { t.CommitBulk(); t.WaitBulkRead(0) }, [3]uint32{1, 1, 1}, [3]uint32{10, 20, 30}},
		{"reads, then all", func(t gpu.Thread) { t.CommitBulk(); t.WaitBulkRead(0); t.WaitBulk(1) }, [3]uint32{10, 20, 1}, [3]uint32{10, 20, 30}},
	} {
		to, now := []uint32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, [3]uint32{}
		require.NoError(t, gpu.Launch(1, 1, func(t gpu.Thread) {
			s := gpu.Shared[[12]uint32](t)
			s[0], s[4], s[8] = 10, 20, 30
			t.FenceAsync()
			gpu.StoreBulk(&to[0], &s[0], 4)
			t.CommitBulk()
			gpu.StoreBulk(&to[4], &s[4], 4)
			t.CommitBulk()
			gpu.StoreBulk(&to[8], &s[8], 4)
			c.wait(t)
			now = [3]uint32{to[0], to[4], to[8]}
			s[0], s[4], s[8] = 9, 9, 9
		}))
		assert.Equal(t, c.now, now, c.name)
		assert.Equal(t, c.end, [3]uint32{to[0], to[4], to[8]}, c.name)
	}
}

// A reduction updates what is there when it is done.
func TestAddBulk(t *testing.T) {
	to := []float64{1, 2}
	require.NoError(t, gpu.Launch(3, 1, func(t gpu.Thread) {
		s := gpu.Shared[[2]float64](t)
		s[0], s[1] = 10, float64(t.Block())
		gpu.AddBulk(&to[0], &s[0], 2)
		gpu.AddBulk(&to[0], &s[0], 0)
		t.CommitBulk()
		t.WaitBulk(0)
	}))
	assert.Equal(t, []float64{31, 5}, to)
	least, bits := []int32{-5, 5, -5, 5}, []uint64{6, 6}
	gpu.MinBulk(&least[0], &[]int32{0, 0, -7, 7}[0], 4) // outside of a launch at once
	gpu.XorBulk(&bits[0], &[]uint64{3, 2}[0], 2)
	gpu.OrBulk(&bits[0], &[]uint64{8, 1}[0], 2)
	gpu.AndBulk(&bits[0], &[]uint64{12, 4}[0], 2)
	gpu.MaxBulk(&bits[0], &[]uint64{9, 0}[0], 2)
	assert.Equal(t, []int32{-5, 0, -7, 5}, least)
	assert.Equal(t, []uint64{12, 4}, bits)
	err := gpu.Launch(1, 1, func(t gpu.Thread) { gpu.AddBulk(&to[0], &gpu.Shared[[2]float64](t)[0], 1) })
	require.ErrorContains(t, err, "AddBulk of 8 bytes; want a multiple of 16")
}
