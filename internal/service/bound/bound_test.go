package bound_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/service/bound"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// words returns a buffer of n words that form a ring: each word is the index of
// the next one, stride further.
func words(t *testing.T, d device.Device, name string, n, stride int) device.Buffer {
	t.Helper()
	b, err := d.Alloc(name, device.U32, n)
	require.NoError(t, err)
	host := make([]uint32, n)
	for i := range host {
		host[i] = uint32((i + stride) % n)
	}
	require.NoError(t, d.Write(b, host))
	return b
}

// bounded runs a micro-kernel and returns its analysis.
func bounded(t *testing.T, machine, kernel string, l func(d device.Device) device.Launch) bound.Kernel {
	t.Helper()
	machine, set, _ := strings.Cut(machine, ",")
	cfg, err := config.Load(machine)
	require.NoError(t, err)
	if path, value, ok := strings.Cut(set, "="); ok {
		require.NoError(t, cfg.Set(path, value))
	}
	d, err := sim.New(cfg, sim.Options{Seed: 1})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	k, err := kernels.Kernel(t.Context(), "internal/kernels/micro."+kernel, nil)
	require.NoError(t, err)
	launch := l(d)
	launch.Kernel = k
	rep, err := d.Launch(t.Context(), launch)
	require.NoError(t, err)
	var c bound.Collector
	c.Add(launch, rep)
	list := c.List(d)
	require.Len(t, list, 1)
	for _, p := range list[0].Peaks {
		assert.GreaterOrEqual(t, p.Share, 0.0, p.Unit)
		assert.LessOrEqual(t, p.Share, 1.0, p.Unit)
	}
	return list[0]
}

// TestKnownBounds checks the rule on micro-kernels whose bound is known.
func TestKnownBounds(t *testing.T) {
	cycles := func(d device.Device) device.Buffer {
		b, err := d.Alloc("cycles", device.U64, 1)
		require.NoError(t, err)
		return b
	}
	end := func(d device.Device, of device.Kind) device.Buffer {
		b, err := d.Alloc("end", of, 4*4*1024)
		require.NoError(t, err)
		return b
	}
	for _, x := range []struct {
		name, machine, kernel string
		launch                func(d device.Device) device.Launch
		kind, text            string
	}{
		// With all of tiny's bandwidth the copy is at the limit between two bounds: it reaches 52.8% of the peak, and 54.2% with
		// l2.index=hash. As the sets of the L2 are address bits, an evicted line comes from the set of the line that is read.
		{"copy", "tiny,dram.bandwidth=25.6", "Copy", func(d device.Device) device.Launch {
			n := 1 << 19
			return device.Launch{Grid: 64, Block: 256, Args: []any{words(t, d, "dst", n, 0), words(t, d, "src", n, 1)}}
		}, bound.DRAM, `^DRAM: \d\d\.\d% of 25\.6 GB/s, of which 90\.0% can be reached$`},
		{"multiply-adds", "tiny", "Throughput[micro.FMulAdd, float32]", func(d device.Device) device.Launch {
			return device.Launch{Grid: 4, Block: 1024, Args: []any{float32(1), uint32(2048), cycles(d), end(d, device.F32)}}
		}, bound.Pipe, `^FP32 pipe: \d\d\.\d% of 4 G inst/s$`},
		{"multiply-adds, one a cycle", "tiny,interval.fp32=1", "Throughput[micro.FMulAdd, float32]", func(d device.Device) device.Launch {
			return device.Launch{Grid: 4, Block: 1024, Args: []any{float32(1), uint32(2048), cycles(d), end(d, device.F32)}}
		}, bound.Issue, `^issue slots: \d\d\.\d% of 8 G inst/s$`},
		{"sums", "tiny", "Throughput[micro.AddXor, uint32]", func(d device.Device) device.Launch {
			return device.Launch{Grid: 4, Block: 1024, Args: []any{uint32(1), uint32(2048), cycles(d), end(d, device.U32)}}
		}, bound.Pipe, `^ALU pipe: \d\d\.\d% of 4 G inst/s$`},
		{"atomics on one address", "h200", "AtomicThroughput", func(d device.Device) device.Launch {
			return device.Launch{Grid: 132, Block: 256, Args: []any{uint32(0), words(t, d, "cells", 1<<12, 0), uint32(1), uint32(0), uint32(16)}}
		}, bound.Atomic, `^busiest atomic unit: 9\d\.\d% of 1\.32 G steps/s$`},
		{"dependent loads", "h200", "Chase", func(d device.Device) device.Launch {
			return device.Launch{Grid: 1, Block: 1, Args: []any{words(t, d, "next", 1<<19, 32), uint32(4096), cycles(d), words(t, d, "end", 2, 0)}}
		}, bound.Latency, `^latency: no unit is at 60% of its peak; most stalls are long_scoreboard \(9[89]\.\d%\); 1\.6% of the warps that fit are resident; 131 of 132 SMs have no block, as the grid has 1 block$`},
		{"empty", "h200", "Empty", func(device.Device) device.Launch { return device.Launch{Grid: 1, Block: 32} },
			bound.Launches, `^launches: 96\.\d% of the kernel's time is its start and end, before its first block and after its last store$`},
	} {
		t.Run(x.name, func(t *testing.T) {
			k := bounded(t, x.machine, x.kernel, x.launch)
			require.NotNil(t, k.Bound)
			assert.Equal(t, x.kind, k.Bound.Kind)
			assert.Regexp(t, x.text, k.Bound.Text)
		})
	}
}

// TestOfRun checks that launches bound a run if its kernels run for less than
// half of its time, and that otherwise the bound is that of the kernel with the
// most time.
func TestOfRun(t *testing.T) {
	first := &bound.Bound{Kind: bound.DRAM, Text: "DRAM: 80.0% of 4.8 TB/s"}
	kernels := []bound.Kernel{{Seconds: 3e-6, Bound: first}, {Seconds: 1e-6, Bound: &bound.Bound{Kind: bound.Latency}}}
	assert.Same(t, first, bound.OfRun(kernels, 8e-6))
	assert.Same(t, first, bound.OfRun(kernels, 0), "without a clock of the host")
	b := bound.OfRun(kernels, 10e-6)
	assert.Equal(t, bound.Launches, b.Kind)
	assert.InDelta(t, 0.6, b.Share, 1e-9)
	assert.Equal(t, "launches: the GPU time of the kernels is 40.0% of the algorithm time, the rest is launching them, waiting and copying", b.Text)
	assert.Nil(t, bound.OfRun(nil, 1))
	assert.Nil(t, bound.OfRun([]bound.Kernel{{Name: "k"}}, 0), "of a device that counts nothing")
}

// TestCollector checks that launches of a kernel become one entry, with the
// range of their grids and blocks, the occupancy of the configuration with the
// most time, and counters weighted by time.
func TestCollector(t *testing.T) {
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	d, err := sim.New(cfg, sim.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	load := func(name string) *device.Kernel {
		k, err := kernels.Kernel(t.Context(), "internal/kernels/micro."+name, nil)
		require.NoError(t, err)
		return k
	}
	report := func(cycles, issue, long float64) *device.Report {
		return &device.Report{Launches: 1, Cycles: uint64(cycles), Seconds: 1, Counters: []device.Counter{
			{Name: counter.Duration, Value: 1000 * cycles}, {Name: counter.Elapsed, Value: cycles}, {Name: counter.ActiveCycles, Value: cycles},
			{Name: counter.IssuePeak, Value: issue}, {Name: counter.IssueActive, Value: cycles}, {Name: counter.WarpLatency, Value: 10},
			{Name: counter.Stalls[counter.StallLong].Counter(), Value: long}, {Name: counter.Stalls[counter.StallSelected].Counter(), Value: 10 - long},
		}}
	}
	var c bound.Collector
	c.Add(device.Launch{Kernel: load("Empty"), Grid: 2, Block: 32}, report(100, 10, 4))
	c.Add(device.Launch{Kernel: load("Copy"), Grid: 1, Block: 64}, report(100, 90, 5))
	c.Add(device.Launch{Kernel: load("Copy"), Grid: 8, Block: 128, DynamicShared: 20 << 10, Args: []any{1}}, report(300, 50, 9))
	c.Add(device.Launch{Kernel: load("Copy"), Grid: 8, Block: 128}, nil) // it was rejected
	list := c.List(d)
	require.Len(t, list, 2)
	k := list[0]
	assert.Equal(t, "micro.Copy", k.Name)
	assert.Equal(t, 2, k.Launches)
	assert.InDelta(t, 0.8, k.Share, 1e-9)
	assert.InDelta(t, 400e-6, k.Seconds, 1e-12)
	assert.Equal(t, bound.Range{Least: 1, Most: 8}, k.Grid)
	assert.Equal(t, "64 to 128", k.Block.String())
	assert.Equal(t, "8", bound.Range{Least: 8, Most: 8}.String())
	assert.Equal(t, 20<<10, k.SharedBytes)
	assert.Equal(t, "shared memory", k.Occupancy.Limit, "the launch of 300 cycles has dynamic shared memory")
	assert.Equal(t, "issue slots", k.Peaks[0].Unit)
	assert.InDelta(t, 0.6, k.Peaks[0].Share, 1e-9)
	require.Len(t, k.Stalls, 1, "an instruction that issues is no stall")
	assert.InDelta(t, 0.8, k.Stalls[0].Share, 1e-9)
	assert.Equal(t, bound.Issue, k.Bound.Kind)
	assert.Equal(t, "micro.Empty", list[1].Name)
}

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{0: "0%", 1e-5: "<0.1%", 0.0006: "0.1%", 0.5: "50.0%", 0.9994: "99.9%", 0.99951: "100%", 1: "100%"} {
		assert.Equal(t, want, bound.Percent(share))
	}
}
