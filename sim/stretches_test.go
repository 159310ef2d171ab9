package sim

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/counter"
)

const stretchSource = `package p

import "github.com/weft-gpu/weft/gpu"

// Stride adds to y[i] the sum of x[i], x[i+1] and so on, of which there are more for some than for others, for all i of a thread.
func Stride(t gpu.Thread, x, y []uint32) {
	for i := t.Global(); i < uint32(len(y)); i += t.Stride() {
		n := 4 + i*2654435761>>28
		for k := uint32(0); k < n; k++ {
			y[i] += x[(i*7+k)%uint32(len(x))]
		}
	}
}

// Tiles reverses pieces of x by shared memory, 64 times, with two barriers and a vote for each; every second thread writes y.
func Tiles(t gpu.Thread, x, y []uint32) {
	tile := gpu.Shared[[64]uint32](t)
	for next := t.Block() * 64; next < 64*uint32(len(y)); next += t.GridDim() * 64 {
		i, first := t.Idx(), next%uint32(len(y))
		tile[i] = x[first+i]
		t.Sync()
		v := tile[63-i]
		if t.SyncCount(v%3 == 0) > 20 {
			v++
		}
		if i%2 == 0 {
			y[first+i] = v
		}
		t.Sync()
	}
}

// Histogram counts by atomics, by the lanes of a warp together where they agree.
func Histogram(t gpu.Thread, x, y []uint32) {
	for i := t.Global(); i < uint32(len(x)); i += t.Stride() {
		gpu.AtomicAdd(&y[x[i]*2654435761>>22], 1)
		if x[i]%5 == 0 {
			gpu.AtomicMax(&y[1024+x[i]%32], i)
		}
	}
}

// Apart makes the halves of a warp come to the block's barriers by themselves, after different amounts of work.
func Apart(t gpu.Thread, x, y []uint32) {
	tile := gpu.Shared[[64]uint32](t)
	for next := t.Block() * 64; next < 16*uint32(len(y)); next += t.GridDim() * 64 {
		i, first := t.Idx(), next%uint32(len(y))
		v := x[first+i]
		if i%32 < 16 {
			for k := uint32(0); k < v%8; k++ {
				v += x[(v+k)%uint32(len(x))] & 1
			}
			tile[i] = v
			t.Sync()
		} else {
			tile[i] = v * 3
			t.Sync()
		}
		y[first+i] = tile[63-i]
		t.Sync()
	}
}

// Faulty copies x, of which there is less than of y.
func Faulty(t gpu.Thread, x, y []uint32) {
	for i := t.Global(); i < uint32(len(y)); i += t.Stride() {
		y[i] = x[i]
	}
}

// Parting lets the halves of a warp come to a barrier by themselves in the last part of its work alone.
func Parting(t gpu.Thread, x, y []uint32) {
	tile := gpu.Shared[[64]uint32](t)
	last := 64 * uint32(len(y))
	for next := t.Block() * 64; next < last; next += t.GridDim() * 64 {
		i, first := t.Idx(), next%uint32(len(y))
		if next > last/4 && i%32 < 16 {
			tile[i] = x[first+i] + 1
			t.Sync()
		} else {
			tile[i] = x[first+i]
			t.Sync()
		}
		y[first+i] += tile[63-i]
		t.Sync()
	}
}

// Rounds makes all blocks meet in each round, by polling.
func Rounds(t gpu.Thread, x, y []uint32) {
	for round := uint32(0); round < 400; round++ {
		for i := t.Global(); i < 4096; i += t.Stride() {
			y[i] += x[i] + round
		}
		t.Sync()
		if t.Idx() < 32 {
			if t.Idx() == 0 {
				gpu.Fence()
				gpu.AtomicAdd(&y[4096], 1)
			}
			for gpu.LoadAcquire(&y[4096]) < (round+1)*t.GridDim() {
			}
		}
		t.Sync()
	}
}
`

// TestStretches compares launches whose blocks are all on the machine, of which stretches are not simulated, with launches that
// are simulated whole.
func TestStretches(t *testing.T) {
	type result struct {
		values []uint32
		r      *device.Report
		s      *Sampled
	}
	const n = 1 << 17
	run := func(t *testing.T, kernel string, bound float64, out int, divergence string) result {
		d := sampled(t, bound, "sm.divergence", divergence)
		x, y := upload(t, d, "x", device.U32, numbers(n)), upload(t, d, "y", device.U32, make([]uint32, out))
		r := launch(t, d, compiled(t, stretchSource, kernel), 8, 64, x, y)
		checkIdle(t, d)
		return result{download[uint32](t, d, y), r, d.Sampled()}
	}
	for _, c := range []struct {
		kernel     string
		out        int
		divergence string
	}{{"Stride", n, "its"}, {"Stride", n, "stack"}, {"Histogram", 2048, "its"}, {"Histogram", 2048, "stack"}, {"Tiles", 1 << 13, "its"}, {"Apart", 1 << 13, "its"}, {"Tiles", 1 << 13, "stack"}} {
		t.Run(c.kernel+"/"+c.divergence, func(t *testing.T) {
			whole, part := run(t, c.kernel, 0, c.out, c.divergence), run(t, c.kernel, 0.1, c.out, c.divergence)
			assert.Equal(t, whole.values, part.values)
			if c.kernel == "Tiles" && c.divergence == "stack" { // lanes that wait at a barrier by themselves
				assert.Equal(t, 1, part.s.Whole)
				assert.Equal(t, whole.r.Cycles, part.r.Cycles)
				return
			}
			if c.kernel == "Apart" { // the executors differ in where such lanes go on together
				assert.Greater(t, part.s.Detailed, part.s.Insts*9/10)
				assert.InEpsilon(t, float64(whole.r.Cycles), float64(part.r.Cycles), 0.02)
				return
			}
			require.Equal(t, 1, part.s.Partly)
			assert.Less(t, part.s.Detailed, part.s.Insts*3/4)
			for _, name := range []string{counter.WarpInstructions, "sm__ctas_launched.sum", "smsp__warps_launched.sum"} {
				assert.Equal(t, count(t, whole.r, name), count(t, part.r, name), name)
			}
			t.Logf("%d cycles, sampled %d, error %.4f, %d of %d instructions", whole.r.Cycles, part.r.Cycles, part.s.Error, part.s.Detailed, part.s.Insts)
			// Few warps fall into step with each other, which a stretch ends: the machine may go on a little faster or slower.
			assert.InEpsilon(t, float64(whole.r.Cycles), float64(part.r.Cycles), max(part.s.Error, 0.05))
			for _, name := range []string{"lts__t_sectors_op_read.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "dram__bytes_read.sum"} {
				want := count(t, whole.r, name)
				assert.InDelta(t, want, count(t, part.r, name), max(2*part.s.Intervals[name], 0.05*want), name)
			}
		})
	}
}

// TestStretchesOfFewWarps launches as many warps as the machine has sub-cores, of which stretches are left out, and one block less, of which none is.
func TestStretchesOfFewWarps(t *testing.T) {
	d := sampled(t, 0.1, "sm.divergence", "its")
	warps := len(d.m.subs)
	for blocks, partly := range map[int]int{warps / 2: 1, warps/2 - 1: 0} {
		d := sampled(t, 0.1, "sm.divergence", "its")
		x, y := upload(t, d, "x", device.U32, numbers(1<<17)), upload(t, d, "y", device.U32, make([]uint32, 1<<17))
		launch(t, d, compiled(t, stretchSource, "Stride"), blocks, 64, x, y)
		assert.Equal(t, partly, d.Sampled().Partly, "%d warps on %d sub-cores", 2*blocks, warps)
		assert.Equal(t, 1-partly, d.Sampled().Whole)
	}
}

// TestStretchesOfWaitingWarps samples a kernel whose blocks wait for each other. What they execute depends on time, so that later
// launches are simulated whole.
func TestStretchesOfWaitingWarps(t *testing.T) {
	d := sampled(t, 0.5, "sm.divergence", "its")
	x := upload(t, d, "x", device.U32, numbers(4096))
	k := compiled(t, stretchSource, "Rounds")
	want := make([]uint32, 4097)
	for i := range want[:4096] {
		want[i] = 400*uint32(i) + 400*399/2
	}
	want[4096] = 400 * 8
	for range 3 {
		y := upload(t, d, "y", device.U32, make([]uint32, 4097))
		launch(t, d, k, 8, 64, x, y)
		assert.Equal(t, want, download[uint32](t, d, y))
	}
	s := d.Sampled()
	assert.Equal(t, 1, s.Partly)
	assert.Equal(t, 2, s.Whole)
}

// TestStretchFault has a fault in a stretch that is not simulated.
func TestStretchFault(t *testing.T) {
	fault := func(bound float64) (*device.Fault, *Sampled) {
		d := sampled(t, bound)
		x, y := upload(t, d, "x", device.U32, numbers(1<<14)), upload(t, d, "y", device.U32, make([]uint32, 1<<17))
		_, err := d.Launch(t.Context(), device.Launch{Kernel: compiled(t, stretchSource, "Faulty"), Grid: 8, Block: 64, Args: []any{x, y}})
		var f *device.Fault
		require.ErrorAs(t, err, &f)
		checkIdle(t, d)
		launch(t, d, compiled(t, stretchSource, "Stride"), 8, 64, x, y) // the device goes on
		return f, d.Sampled()
	}
	whole, none := fault(0)
	assert.Nil(t, none)
	part, s := fault(0.1)
	assert.Less(t, s.Detailed, s.Insts)
	assert.Equal(t, whole.Error(), part.Error())
}

// TestStretchThreads checks that how many threads simulate a launch changes nothing of what is left out and estimated. Negative
// numbers let SMs run by themselves from the beginning.
func TestStretchThreads(t *testing.T) {
	for _, kernel := range []string{"Stride", "Tiles", "Rounds"} {
		t.Run(kernel, func(t *testing.T) {
			run := func(threads int) (string, []uint32) {
				d, err := New(machineOf(t, "sm.divergence", "its", "sm.count", "4", "xbar.request", "40", "launch.start", "60"), Options{Seed: 3, Sample: 0.1, Threads: threads})
				require.NoError(t, err)
				defer func() { require.NoError(t, d.Close()) }()
				x, y := upload(t, d, "x", device.U32, numbers(1<<15)), upload(t, d, "y", device.U32, make([]uint32, 1<<15))
				r := launch(t, d, compiled(t, stretchSource, kernel), 16, 64, x, y)
				s := d.Sampled()
				if kernel != "Rounds" {
					assert.Equal(t, 1, s.Partly)
				}
				return fmt.Sprint(r.Cycles, r.Counters, *s), download[uint32](t, d, y)
			}
			want, values := run(1)
			for _, threads := range []int{-1, 2, -2, -3} {
				got, also := run(threads)
				assert.Equal(t, want, got, threads)
				assert.Equal(t, values, also, threads)
			}
		})
	}
}

// TestStretchSplits has lanes that go on by themselves for the first time in a stretch: the machine goes on with them, and simulates
// the rest.
func TestStretchSplits(t *testing.T) {
	run := func(bound float64) ([]uint32, *Sampled) {
		d := sampled(t, bound, "sm.divergence", "its")
		x, y := upload(t, d, "x", device.U32, numbers(1<<13)), upload(t, d, "y", device.U32, make([]uint32, 1<<13))
		launch(t, d, compiled(t, stretchSource, "Parting"), 8, 64, x, y)
		return download[uint32](t, d, y), d.Sampled()
	}
	whole, _ := run(0)
	part, s := run(0.5)
	assert.Equal(t, whole, part)
	assert.Equal(t, 1, s.Partly)
}

// TestStretchBudget has a launch of which stretches are not simulated, and which takes more cycles than its budget: it ends about when
// it would if all were simulated.
func TestStretchBudget(t *testing.T) {
	const budget = 400_000
	insts := func(bound float64) float64 {
		d, err := New(machineOf(t), Options{Seed: 1, Sample: bound, Budget: budget})
		require.NoError(t, err)
		defer func() { require.NoError(t, d.Close()) }()
		x, y := upload(t, d, "x", device.U32, numbers(1<<17)), upload(t, d, "y", device.U32, make([]uint32, 1<<17))
		r, err := d.Launch(t.Context(), device.Launch{Kernel: compiled(t, stretchSource, "Stride"), Grid: 8, Block: 64, Args: []any{x, y}})
		var u *device.UndecidedError
		require.ErrorAs(t, err, &u)
		assert.ErrorContains(t, err, "its budget of 400000 cycles")
		return count(t, r, counter.WarpInstructions)
	}
	whole, part := insts(0), insts(0.1)
	t.Logf("%.0f instructions, sampled %.0f", whole, part)
	assert.InEpsilon(t, whole, part, 0.5)
}
