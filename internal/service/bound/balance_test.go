package bound_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/bound"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// known runs a kernel of testdata/known on a simulated H200, which has 132 SMs of 4 sub-cores, each with room for 64
// warps. args has its arguments without the last one, a buffer for its results.
func known(t *testing.T, kernel string, grid, block int, args func(d device.Device) []any) (bound.Kernel, *device.Report) {
	t.Helper()
	cfg, err := config.Load("h200")
	require.NoError(t, err)
	d, err := sim.New(cfg, sim.Options{Seed: 1})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	at, err := catalog.Mount("testdata/known")
	require.NoError(t, err)
	k, err := kernels.Kernel(t.Context(), at+"."+kernel, nil)
	require.NoError(t, err)
	list := args(d)
	kind := device.F32
	if kernel == "Follow" {
		kind = device.U32
	}
	end, err := d.Alloc("end", kind, grid*block)
	require.NoError(t, err)
	l := device.Launch{Kernel: k, Grid: grid, Block: block, Args: append(list, end)}
	r, err := d.Launch(t.Context(), l)
	require.NoError(t, err)
	var c bound.Collector
	c.Add(l, r)
	out := c.List(d)
	require.Len(t, out, 1)
	return out[0], r
}

// multiply returns the arguments of Multiply: the first blocks have most steps, the others few.
func multiply(first, most, few uint32) func(device.Device) []any {
	return func(device.Device) []any { return []any{float32(1), first, most, few} }
}

// TestBalance checks the explanation of kernels whose blocks do not fill the machine evenly. What each must say follows
// from its grid.
func TestBalance(t *testing.T) {
	for _, x := range []struct {
		name        string
		grid, block int
		args        func(device.Device) []any
		kind, class string
		waves       float64
		text        string
	}{
		{"all SMs", 264, 1024, multiply(0, 0, 96), bound.Issue, bound.Even, 1, `^issue slots: \d\d\.\d% of 1\.05 T inst/s$`},
		{"half of the SMs", 66, 1024, multiply(0, 0, 96), bound.EmptySMs, bound.EmptySMs, 0.25,
			`^empty SMs: 66 of 132 SMs have no block, as the grid has 66 blocks; on SMs with a block: issue slots, \d\d\.\d% of peak$`},
		{"one long block", 132, 1024, multiply(1, 3072, 96), bound.Imbalance, bound.Imbalance, 0.5,
			`^imbalance: SMs that get a block have one for \d\.\d% of the time on average, the last of them until the end; on SMs with a block: .+$`},
		{"1.1 waves", 290, 1024, multiply(0, 0, 96), bound.Tail, bound.Tail, 290. / 264,
			`^tail: 290 blocks are 1\.10 waves of 264; the last wave has 26 blocks for 132 SMs; on SMs with a block: issue slots, \d\d\.\d% of peak$`},
		{"two blocks on some SMs", 150, 1024, multiply(0, 0, 96), bound.Imbalance, bound.Imbalance, 150. / 264,
			`^imbalance: SMs that get a block have one for [56]\d\.\d% of the time on average, the last of them until the end; some SMs have 2 blocks, others 1; on SMs with a block: issue slots, \d\d\.\d% of peak$`},
		{"blocks of one warp", 132, 32, multiply(0, 0, 3072), bound.SubCores, bound.Even, 132. / (132 * 32),
			`^empty sub-cores: 1 of 4 sub-cores of an SM have a warp; there: issue slots, \d\d\.\d% of peak$`},
	} {
		t.Run(x.name, func(t *testing.T) {
			k, r := known(t, "Multiply", x.grid, x.block, x.args)
			require.NotNil(t, k.Bound)
			require.NotNil(t, k.Balance)
			assert.Equal(t, x.kind, k.Bound.Kind)
			assert.Equal(t, x.class, k.Balance.Class)
			assert.InDelta(t, x.waves, k.Balance.Waves, 1e-9)
			assert.Regexp(t, x.text, k.Bound.Text)
			assert.EqualValues(t, min(x.grid, 132), k.Balance.SMs)
			if x.class == bound.EmptySMs { // twice the blocks take the same time: the half without any was free
				_, full := known(t, "Multiply", 2*x.grid, x.block, x.args)
				assert.InEpsilon(t, r.Cycles, full.Cycles, 0.02)
			}
		})
	}
}

// TestLatency checks kernels that wait for memory: on all SMs, and on half of them.
func TestLatency(t *testing.T) {
	follow := func(d device.Device) []any { return []any{words(t, d, "next", 1<<19, 32*1021), uint32(128)} }
	k, _ := known(t, "Follow", 132, 64, follow)
	assert.Equal(t, bound.Latency, k.Bound.Kind)
	assert.Equal(t, bound.Even, k.Balance.Class)
	assert.Regexp(t, `^latency: no unit is at 60% of its peak; most stalls are long_scoreboard \(9\d\.\d%\); 3\.1% of the warps that fit are resident$`, k.Bound.Text)
	k, _ = known(t, "Follow", 66, 64, follow)
	assert.Equal(t, bound.Latency, k.Bound.Kind)
	assert.Equal(t, bound.EmptySMs, k.Balance.Class)
	assert.Regexp(t, `; 66 of 132 SMs have no block, as the grid has 66 blocks$`, k.Bound.Text)
}

// TestRoofline computes a roofline by hand. An H200 has 132 SMs with 4 sub-cores at 1,980 MHz, which issue instructions
// of 32 threads: 33.45 T a second. Its L1 take a line of 128 bytes a cycle each: 33.45 TB/s; 80 slices of the L2 deliver
// 32 bytes every 0.64 cycles: 7.92 TB/s.
func TestRoofline(t *testing.T) {
	k, r := known(t, "Multiply", 132, 1024, multiply(0, 0, 96))
	f := k.Roofline
	require.NotNil(t, f)
	assert.InEpsilon(t, 132*4*32*1980e6, f.Peak, 1e-9)
	assert.InEpsilon(t, f.Peak, f.PeakFP32, 1e-9, "32 lanes for a sub-core")
	// 384 multiply-adds of 135,168 threads, and the loop around each 48 of them.
	assert.Greater(t, f.Operations, 4*96*132*1024.)
	assert.Less(t, f.Operations, 1.4*4*96*132*1024)
	assert.InEpsilon(t, f.Operations/(float64(r.Cycles)/1980e6), f.Rate, 1e-9)
	assert.Less(t, f.Rate, f.Peak)
	peaks := map[string]float64{"L1": 132 * 128 * 1980e6, "L2": 80 * 32 * 1980e6 / 0.64, "DRAM": 4.8e12}
	// Each warp of 132 x 32 writes 128 bytes.
	for i, name := range []string{"L1", "L2"} {
		l := f.Levels[i]
		assert.Equal(t, name, l.Name)
		assert.InEpsilon(t, 132*32*128, l.Bytes, 1e-9)
		assert.InEpsilon(t, peaks[name], l.Peak, 1e-9)
		assert.InEpsilon(t, f.Operations/(132*32*128), l.Intensity, 1e-9)
		assert.InEpsilon(t, f.Peak, l.Roof, 1e-9, "far right of the ridge")
	}
	k, _ = known(t, "Follow", 132, 64, func(d device.Device) []any { return []any{words(t, d, "next", 1<<19, 32*1021), uint32(128)} })
	for _, l := range k.Roofline.Levels {
		assert.InEpsilon(t, peaks[l.Name], l.Peak, 1e-9)
		assert.InEpsilon(t, l.Peak*l.Intensity, l.Roof, 1e-9, "%s: left of the ridge", l.Name)
		assert.Less(t, k.Roofline.Rate, l.Roof)
	}
}
