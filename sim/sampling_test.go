package sim

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/sim/profile"
)

const samplingSource = `package p

import "github.com/weft-gpu/weft/gpu"

// Uneven adds to y[i] the sum of x[i], x[i+1], ... of which there are fewer for later blocks.
func Uneven(t gpu.Thread, x, y []uint32) {
	i := t.Global()
	n := 64 - i/1024
	for k := uint32(0); k < n; k++ {
		y[i] += x[(i+k)%uint32(len(x))]
	}
}

// Count counts to n.
func Count(t gpu.Thread, x []uint32, n uint32) {
	k := uint32(0)
	for ; k < n; k++ {
		x[t.Global()%uint32(len(x))] = k
	}
}

// Until waits for a value that nobody writes.
func Until(t gpu.Thread, x []uint32, value uint32) {
	for gpu.LoadAcquire(&x[0]) != value {
	}
}

// Chain makes block b wait for block b-1.
func Chain(t gpu.Thread, x []uint32) {
	if t.Idx() != 0 {
		return
	}
	for gpu.LoadAcquire(&x[0]) != uint32(t.Block()) {
	}
	gpu.StoreRelease(&x[0], uint32(t.Block())+1)
}

// Backwards makes block b wait for block b+1, but for the last of 8.
func Backwards(t gpu.Thread, x []uint32) {
	b := t.Block()
	if t.Idx() != 0 {
		return
	}
	if b%8 != 7 {
		for gpu.LoadAcquire(&x[b+1]) == 0 {
		}
	}
	gpu.StoreRelease(&x[b], 1)
}
`

// sampled opens a small machine that samples with a bound; with 0, it simulates everything.
func sampled(t testing.TB, bound float64, set ...string) *Device {
	d, err := New(machineOf(t, set...), Options{Seed: 1, Sample: bound})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// numbers returns the numbers from 0 to n-1.
func numbers(n int) []uint32 {
	x := make([]uint32, n)
	for i := range x {
		x[i] = uint32(i)
	}
	return x
}

// TestSampleBlocks compares launches of which a part of the blocks is simulated with launches that are simulated whole: all values
// are equal, what does not depend on time is counted exactly, and time and other counters are within the interval.
func TestSampleBlocks(t *testing.T) {
	type result struct {
		values []uint32
		r      *device.Report
		s      *Sampled
	}
	const blocks, threads = 800, 64
	run := func(t *testing.T, kernel *device.Kernel, bound float64) result {
		d := sampled(t, bound)
		x, y := upload(t, d, "x", device.U32, numbers(blocks*threads)), upload(t, d, "y", device.U32, numbers(blocks*threads))
		r := launch(t, d, kernel, blocks, threads, x, y)
		return result{download[uint32](t, d, y), r, d.Sampled()}
	}
	for _, c := range []struct {
		name   string
		kernel *device.Kernel
	}{{"saxpy", saxpy(t)}, {"uneven", compiled(t, samplingSource, "Uneven")}} {
		t.Run(c.name, func(t *testing.T) {
			whole, part := run(t, c.kernel, 0), run(t, c.kernel, 0.05)
			assert.Nil(t, whole.s)
			assert.Equal(t, whole.values, part.values)
			require.Equal(t, 1, part.s.Partly)
			assert.Less(t, part.s.Detailed, part.s.Insts*3/4)
			for _, name := range []string{"smsp__inst_executed.sum", "sm__ctas_launched.sum", "smsp__warps_launched.sum"} {
				assert.Equal(t, count(t, whole.r, name), count(t, part.r, name), name)
			}
			t.Logf("%d cycles, sampled %d, error %.4f, %d of %d instructions", whole.r.Cycles, part.r.Cycles, part.s.Error, part.s.Detailed, part.s.Insts)
			assert.InEpsilon(t, float64(whole.r.Cycles), float64(part.r.Cycles), max(part.s.Error, 0.01))
		})
	}
}

// TestSampleLaunches is the same for launches of a loop.
func TestSampleLaunches(t *testing.T) {
	const launches, n = 120, 3000
	run := func(bound float64) (*device.Report, []uint32, *Sampled, float64) {
		d := sampled(t, bound)
		k := saxpy(t)
		x, y := upload(t, d, "x", device.U32, numbers(n)), upload(t, d, "y", device.U32, numbers(n))
		seconds := 0.0
		for i := range launches {
			blocks := 10 + i%20 // of several sizes
			seconds += launch(t, d, k, blocks, 64, x, y).Seconds
		}
		return d.Total(), download[uint32](t, d, y), d.Sampled(), seconds
	}
	whole, values, none, _ := run(0)
	assert.Nil(t, none)
	for _, bound := range []float64{0.2, 0.05, 0.02} {
		part, got, s, seconds := run(bound)
		assert.Equal(t, values, got)
		assert.Equal(t, whole.Launches, part.Launches)
		assert.Equal(t, launches, s.Whole+s.Partly+s.Left)
		assert.Greater(t, s.Left, launches/4)
		assert.Equal(t, s.Error <= bound, s.Holds())
		off := float64(part.Cycles)/float64(whole.Cycles) - 1
		assert.LessOrEqual(t, math.Abs(off), bound)
		assert.LessOrEqual(t, math.Abs(off), s.Error)
		assert.Less(t, s.Error, 1.5*bound)
		assert.InEpsilon(t, float64(part.Cycles)/(machineOf(t).Clock.SM*1e6)+float64(launches)*machineOf(t).Launch.Kernel*1e-6, seconds+s.Corrected, 1e-6)
		assert.Equal(t, count(t, whole, counter.WarpInstructions), count(t, part, counter.WarpInstructions))
		const reads = "lts__t_sectors_op_read.sum"
		assert.InDelta(t, count(t, whole, reads), count(t, part, reads), max(2*s.Intervals[reads], 0.01*count(t, whole, reads)))
		t.Logf("bound %v: error %.4f, off by %.4f, %d of %d launches", bound, s.Error, off, s.Whole+s.Partly, launches)
	}
}

// TestSampleWaits samples launches whose blocks wait for earlier or later ones: whatever is left out, they end, and those whose
// work depends on time are simulated whole from then on.
func TestSampleWaits(t *testing.T) {
	for _, name := range []string{"Chain", "Backwards"} {
		t.Run(name, func(t *testing.T) {
			d := sampled(t, 0.5)
			const blocks = 200
			for range 4 {
				x := upload(t, d, "x", device.U32, make([]uint32, blocks))
				launch(t, d, compiled(t, samplingSource, name), blocks, 32, x)
				got := download[uint32](t, d, x)
				if name == "Chain" {
					assert.EqualValues(t, blocks, got[0])
				} else {
					assert.NotContains(t, got, uint32(0))
				}
				checkIdle(t, d)
			}
		})
	}
}

// TestSampleFault has a fault in a block that is not simulated.
func TestSampleFault(t *testing.T) {
	const blocks = 400
	fault := func(bound float64) *device.Fault {
		d := sampled(t, bound)
		x, y := upload(t, d, "x", device.U32, make([]uint32, blocks*64)), upload(t, d, "y", device.U32, make([]uint32, blocks*64-64*150))
		_, err := d.Launch(context.Background(), device.Launch{Kernel: saxpy(t), Grid: blocks, Block: 64, Args: []any{x, y}})
		var f *device.Fault
		require.ErrorAs(t, err, &f)
		return f
	}
	whole, part := fault(0), fault(0.1)
	assert.Equal(t, whole.Buffer, part.Buffer)
	assert.Equal(t, whole.Block, part.Block)
	assert.Equal(t, whole.Index, part.Index)
}

// TestSampleHang has a loop of launches of which one, that is not simulated, never ends.
func TestSampleHang(t *testing.T) {
	d := sampled(t, 0.3)
	k, x := compiled(t, samplingSource, "Until"), upload(t, d, "x", device.U32, make([]uint32, 64))
	for d.Sampled().Left == 0 {
		launch(t, d, k, 2, 32, x, uint32(0))
	}
	for {
		before := d.Sampled().Whole
		_, err := d.Launch(context.Background(), device.Launch{Kernel: k, Grid: 2, Block: 32, Args: []any{x, uint32(1)}})
		var hang *device.HangError
		require.ErrorAs(t, err, &hang)
		if d.Sampled().Whole == before { // it was not simulated
			break
		}
	}
	launch(t, d, k, 2, 32, x, uint32(0)) // the device goes on
}

// TestSampleBudget has launches of a loop of which one, that is not simulated, goes on for longer than any before.
func TestSampleBudget(t *testing.T) {
	d, err := New(machineOf(t), Options{Seed: 1, Sample: 0.3, Budget: 100_000})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	k, x := compiled(t, samplingSource, "Count"), upload(t, d, "x", device.U32, make([]uint32, 64))
	for d.Sampled().Left == 0 {
		launch(t, d, k, 2, 32, x, uint32(100))
	}
	for {
		before := d.Sampled().Whole
		_, err := d.Launch(context.Background(), device.Launch{Kernel: k, Grid: 2, Block: 32, Args: []any{x, uint32(1 << 30)}})
		var undecided *device.UndecidedError
		require.ErrorAs(t, err, &undecided)
		if d.Sampled().Whole == before { // it was not simulated
			break
		}
	}
	c := machineOf(t)
	assert.EqualValues(t, 20*c.SM.Count*c.SM.SubCores, issuable(c, 10))
	assert.Zero(t, issuable(c, math.MaxUint64), "no limit")
}

// TestSampleInterrupted ends a sampled launch from outside.
func TestSampleInterrupted(t *testing.T) {
	d := sampled(t, 0.1)
	x := upload(t, d, "x", device.U32, make([]uint32, 64*400))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := d.Launch(ctx, device.Launch{Kernel: saxpy(t), Grid: 400, Block: 64, Args: []any{x, x}})
	require.ErrorIs(t, err, context.Canceled)
}

func TestSampleRefused(t *testing.T) {
	for what, o := range map[string]Options{
		"looking for races": {Races: device.NewRaces()},
		"a profile":         {Profile: profile.New(0)},
		"a trace":           {Trace: profile.NewTrace(0, 0)},
		"a strict device":   {Strict: true},
	} {
		o.Sample = 0.1
		_, err := New(machineOf(t), o)
		assert.EqualError(t, err, what+" and sampling exclude each other: with the first, everything is simulated")
	}
	_, err := NewGroup(machineOf(t), 2, Options{Sample: 0.1})
	assert.EqualError(t, err, "sampling is for one GPU, not for a group")
}
