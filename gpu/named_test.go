package gpu_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
)

// In each round one warp fills a buffer and the other empties it.
func TestNamedBarriers(t *testing.T) {
	sum := make([]uint32, 64)
	require.NoError(t, gpu.Launch(1, 64, func(t gpu.Thread) {
		q := gpu.Shared[[32]uint32](t)
		for r := range uint32(10) {
			if t.Warp() == 0 {
				q[t.Lane()] = r * t.Lane()
				t.ArriveNamed(1, 64)
				t.SyncNamed(2, 64)
			} else {
				t.SyncNamed(1, 64)
				sum[t.Idx()] += q[t.Lane()]
				t.ArriveNamed(2, 64)
			}
		}
	}))
	for i, s := range sum {
		assert.Equal(t, uint32(i/32*(i%32)*45), s)
	}
}

func TestNamedBarrierErrors(t *testing.T) {
	for _, c := range []struct {
		kernel func(t gpu.Thread)
		want   string
	}{
		{func(t gpu.Thread) { t.GiveRegisters(100) }, "GiveRegisters of 100 registers; want a multiple of 8 from 24 to 256"},
		{func(t gpu.Thread) { t.LaunchRegisters(256) }, "LaunchRegisters of 256 registers; want a multiple of 8 from 24 to 248"},
		{func(t gpu.Thread) { t.SyncNamed(0, 64) }, "SyncNamed of barrier 0; a block has barriers 1 to 15"},
		{func(t gpu.Thread) { t.ArriveNamed(16, 64) }, "ArriveNamed of barrier 16; a block has barriers 1 to 15"},
		{func(t gpu.Thread) { t.SyncNamed(1, 48) }, "SyncNamed of 48 threads; want a multiple of 32, up to 1024"},
		{func(t gpu.Thread) { t.SyncNamed(1, 96) }, "waits at barrier 1, which 64 of 96 threads have reached"},
		{func(t gpu.Thread) { t.SyncNamed(1+t.Idx()%2, 64) }, "the lanes of a warp arrive at different named barriers"},
		{func(t gpu.Thread) { t.SyncNamed(4, 64+32*t.Warp()) }, "a warp arrives at barrier 4 for 96 threads, where others have arrived for 64"},
		{func(t gpu.Thread) {
			if t.Warp() == 0 {
				t.Sync()
			} else {
				t.SyncNamed(4, 64)
			}
		}, "threads of a block wait for each other at different places"},
	} {
		require.ErrorContains(t, gpu.Launch(1, 64, c.kernel), c.want)
	}
}
