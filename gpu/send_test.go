package gpu_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
)

// A copy to another block reads and lands when a thread of that block looks at the mbarrier, and not before.
func TestSendBulk(t *testing.T) {
	var early, late [2]uint32
	require.NoError(t, gpu.Launch(2, 1, func(t gpu.Thread) {
		s := gpu.Shared[[8]uint32](t)
		full := gpu.Shared[gpu.MBarrier](t)
		full.Init(1)
		s[0], s[4] = 10*t.Block()+1, 7
		t.FenceAsync()
		t.SyncCluster()
		if t.Block() == 0 {
			gpu.SendBulk(gpu.MapShared(t, &s[4], 1), &s[0], 4, gpu.MapShared(t, full, 1))
			gpu.SendBulk(&s[4], &s[0], 4, full) // to itself
		}
		t.SyncCluster()
		early[t.Block()] = s[4]
		full.ArriveExpect(16)
		full.Wait(0)
		late[t.Block()] = s[4]
		t.SyncCluster()
	}, gpu.ClusterSize(2)))
	assert.Equal(t, [2]uint32{7, 7}, early)
	assert.Equal(t, [2]uint32{1, 1}, late)
	to, from, full := [4]uint32{}, [4]uint32{1, 2, 3, 4}, gpu.MBarrier{}
	full.Init(1)
	full.ArriveExpect(32)
	gpu.SendBulk(&to[0], &from[0], 4, &full) // outside of a launch at once
	gpu.MulticastBulk(&from[0], &to[0], 4, &full, 1)
	assert.Equal(t, from, to)
	assert.True(t, full.TestWaitParity(0))
}

// What PTX leaves undefined ends a launch.
func TestSendMisuse(t *testing.T) {
	data := make([]uint32, 16)
	for i, want := range []string{
		"SendBulk of 8 bytes; want a multiple of 16",
		"SendBulk that completes at an mbarrier of another block than that to which it copies",
		"SendBulk from what is not a variable of Shared or DynamicShared of the block",
		"SendBulk to what is not a variable of Shared or DynamicShared",
		"block 0 ends while a copy in bulk may still read its shared memory; it must stay until the copy has landed (block 0, thread 0)",
		"MulticastBulk of 4 bytes; want a multiple of 16",
		"MulticastBulk to no block: its mask is 0",
		"MulticastBulk to block 3 of a cluster, which has 2",
		"block 1 ends while a copy in bulk may still write its shared memory; it must stay until the copy has landed (block 0, thread 0)",
		"SendBulk to block 1 of the cluster, all of whose threads have left",
	} {
		err := gpu.Launch(2, 1, func(t gpu.Thread) {
			s := gpu.Shared[[8]uint32](t)
			full := gpu.Shared[gpu.MBarrier](t)
			full.Init(1)
			other, there := gpu.MapShared(t, &s[4], 1), gpu.MapShared(t, full, 1)
			t.SyncCluster()
			if t.Block() == 1 {
				return
			}
			switch i {
			case 0:
				gpu.SendBulk(other, &s[0], 2, there)
			case 1:
				gpu.SendBulk(other, &s[0], 4, full)
			case 2:
				gpu.SendBulk(other, &data[0], 4, there)
			case 3:
				gpu.SendBulk(&data[0], &s[0], 4, full)
			case 4:
				gpu.SendBulk(&s[4], &s[0], 4, full)
			case 5:
				gpu.MulticastBulk(&s[0], &data[0], 1, full, 1)
			case 6:
				gpu.MulticastBulk(&s[0], &data[0], 4, full, 0)
			case 7:
				gpu.MulticastBulk(&s[0], &data[0], 4, full, 1<<3)
			case 8:
				gpu.MulticastBulk(&s[0], &data[0], 4, full, 1<<1)
			case 9:
				t.Sleep(1000)
				for range 10 {
					gpu.Load(&data[0]) // block 1 leaves
				}
				gpu.SendBulk(other, &s[0], 4, there)
			}
		}, gpu.ClusterSize(2))
		require.ErrorContains(t, err, want, "%d", i)
	}
}
