package gpu_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
)

// A copy lands when the thread waits for its group, and not before: in between the thread finds what was there.
func TestCopyAsync(t *testing.T) {
	from := []uint32{10, 20, 30, 40}
	for _, c := range []struct {
		name string
		wait func(t gpu.Thread)
		want [3]uint32
	}{
		{"no wait", func(gpu.Thread) {}, [3]uint32{1, 1, 1}},
		{"but two groups", func(t gpu.Thread) { t.WaitCopies(2) }, [3]uint32{1, 1, 1}},
		{"but one group", func(t gpu.Thread) { t.WaitCopies(1) }, [3]uint32{10, 1, 1}},
		{"all groups", func(t gpu.Thread) { t.WaitCopies(0) }, [3]uint32{10, 20, 1}},
		{"all copies", gpu.Thread.WaitAllCopies, [3]uint32{10, 20, 30}},
	} {
		var got [3]uint32
		require.NoError(t, gpu.Launch(1, 1, func(t gpu.Thread) {
			s := gpu.Shared[[3]uint32](t)
			*s = [3]uint32{1, 1, 1}
			gpu.CopyAsync(&s[0], &from[0])
			t.CommitCopies()
			gpu.CopyAsync(&s[1], &from[1])
			t.CommitCopies()
			gpu.CopyAsync(&s[2], &from[2])
			c.wait(t)
			got = *s
		}))
		assert.Equal(t, c.want, got, c.name)
	}
}

// An mbarrier waits for copies: for those before the arrival, and for no others.
func TestArriveCopied(t *testing.T) {
	from := []uint32{10, 20}
	for name, tracked := range map[string]bool{"an arrival of Init": false, "one more": true} {
		var got []uint32
		require.NoError(t, gpu.Launch(1, 2, func(t gpu.Thread) {
			s := gpu.Shared[[2]uint32](t)
			b := gpu.Shared[gpu.MBarrier](t)
			if t.Idx() == 0 {
				*s = [2]uint32{1, 1}
				b.Init(1)
			}
			t.Sync()
			if t.Idx() == 0 {
				gpu.CopyAsync(&s[0], &from[0])
				got = append(got, s[0], s[1])
				if tracked {
					b.TrackCopies()
					b.Arrive()
				} else {
					b.ArriveCopied()
				}
				gpu.CopyAsync(&s[1], &from[1])
			} else {
				b.Wait(0)
				got = append(got, s[0], s[1])
			}
		}))
		assert.Equal(t, []uint32{1, 1, 10, 1}, got, name)
	}
}

// Copies have a size that the instruction has, and an mbarrier must be one when copies arrive.
func TestCopyMisuse(t *testing.T) {
	var f *gpu.Fault
	from := [3]uint32{}
	require.ErrorAs(t, gpu.Launch(1, 1, func(t gpu.Thread) { gpu.CopyAsync(gpu.Shared[[3]uint32](t), &from) }), &f)
	assert.Equal(t, "CopyAsync of 12 bytes; want 4, 8 or 16", f.What)
	require.ErrorAs(t, gpu.Launch(1, 1, func(t gpu.Thread) {
		b := gpu.Shared[gpu.MBarrier](t)
		b.Init(1)
		gpu.CopyAsync(gpu.Shared[uint32](t), &from[0])
		b.ArriveCopied()
		b.Inval()
		t.WaitAllCopies()
	}), &f)
	assert.Contains(t, f.What, "arrival at an mbarrier that is not initialised")
}
