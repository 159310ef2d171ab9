package exttest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim"
)

// copies returns n launches of a copy kernel on separate buffers, with blocks of 64 threads, and a function that
// checks their results.
func copies(t *testing.T, d *sim.Device, n, blocks int) (ls []device.Launch, check func()) {
	t.Helper()
	k := kernel(t, "internal/kernels/micro.Copy")
	var dst []device.Buffer
	const words = 4096
	for i := range n {
		from := make([]uint32, words)
		for j := range from {
			from[j] = uint32(i*words + j)
		}
		src, err := d.Alloc("src", device.U32, words)
		require.NoError(t, err)
		to, err := d.Alloc("dst", device.U32, words)
		require.NoError(t, err)
		require.NoError(t, d.Write(src, from))
		dst = append(dst, to)
		ls = append(ls, device.Launch{Kernel: k, Grid: blocks, Block: 64, Args: []any{to, src}, Stream: i})
	}
	return ls, func() {
		t.Helper()
		for i, b := range dst {
			got := make([]uint32, words)
			require.NoError(t, d.Read(b, got))
			for j, v := range got {
				require.Equal(t, uint32(i*words+j), v)
			}
		}
	}
}

// inTurn runs launches one after the other and returns the cycles of each.
func inTurn(t *testing.T, preset string, n, blocks int) (cycles []uint64) {
	t.Helper()
	d := open(t, machine(t, preset))
	ls, check := copies(t, d, n, blocks)
	for _, l := range ls {
		r, err := d.Launch(t.Context(), l)
		require.NoError(t, err)
		cycles = append(cycles, r.Cycles)
	}
	check()
	return cycles
}

func TestSmallKernelsOverlap(t *testing.T) {
	alone := inTurn(t, "h200", 2, 2)
	d := open(t, machine(t, "h200"))
	ls, check := copies(t, d, 2, 2)
	rs, err := d.LaunchAll(t.Context(), ls)
	require.NoError(t, err)
	check()
	require.Len(t, rs, 2)
	both := d.Total()
	assert.Less(t, both.Cycles, (alone[0]+alone[1])*6/10)
	assert.Equal(t, 2, both.Launches)
	insts := 0.0
	for i, r := range rs {
		assert.Equal(t, 1, r.Launches)
		assert.InEpsilon(t, alone[i], r.Cycles, 0.1, "they hardly disturb each other")
		n, ok := r.Counter("smsp__inst_executed.sum")
		assert.True(t, ok)
		insts += n
		blocks, _ := r.Counter("sm__ctas_launched.sum")
		assert.Equal(t, 2.0, blocks)
	}
	sum, _ := both.Counter("smsp__inst_executed.sum")
	assert.Equal(t, sum, insts)
}

func TestLaunchesOfOneStreamFollowEachOther(t *testing.T) {
	alone := inTurn(t, "h200", 2, 2)
	d := open(t, machine(t, "h200"))
	ls, check := copies(t, d, 2, 2)
	ls[1].Stream = ls[0].Stream
	_, err := d.LaunchAll(t.Context(), ls)
	require.NoError(t, err)
	check()
	assert.InEpsilon(t, alone[0]+alone[1], d.Total().Cycles, 0.1)
}

// TestEarlierLaunchGoesFirst fills the machine with the first of two launches.
func TestEarlierLaunchGoesFirst(t *testing.T) {
	for _, scheme := range []string{"breadth", "depth", "backwards"} {
		d := open(t, machine(t, "tiny", "launch.order", scheme))
		ls, check := copies(t, d, 3, 24) // 8 blocks fit at the same time
		rs, err := d.LaunchAll(t.Context(), ls)
		require.NoError(t, err)
		check()
		assert.Less(t, rs[0].Cycles, d.Total().Cycles/2, "the first has the machine for itself")
		again := open(t, machine(t, "tiny", "launch.order", scheme))
		ls, _ = copies(t, again, 3, 24)
		_, err = again.LaunchAll(t.Context(), ls)
		require.NoError(t, err)
		assert.Equal(t, d.Total().Cycles, again.Total().Cycles)
	}
}

func TestLaunchAllRefuses(t *testing.T) {
	d := open(t, machine(t, "tiny"))
	rs, err := d.LaunchAll(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, rs)
	ls, _ := copies(t, d, 2, 2)
	ls[1].Cooperative = true
	_, err = d.LaunchAll(t.Context(), ls)
	require.ErrorContains(t, err, "a cooperative launch concurrent with others")
	_, err = d.LaunchAll(t.Context(), []device.Launch{{Cooperative: true}, {Cooperative: true}})
	require.ErrorContains(t, err, "no kernel")
	ls[1].Cooperative, ls[1].Block = false, 0
	_, err = d.LaunchAll(t.Context(), ls)
	require.ErrorContains(t, err, "launch 2 of 2")
	ls[1].Block = 64
	ls[1].Args = []any{ls[1].Args[1].(device.Buffer).Slice(0, 16), ls[1].Args[1]}
	_, err = d.LaunchAll(t.Context(), ls)
	var fault *device.Fault
	require.ErrorAs(t, err, &fault)
	more, check := copies(t, d, 2, 2) // the machine is usable as before
	_, err = d.LaunchAll(t.Context(), more)
	require.NoError(t, err)
	check()
}
