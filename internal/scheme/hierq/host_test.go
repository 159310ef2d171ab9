//go:build !kernel

package hierq_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/scheme/hierq"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

var (
	bfsType  = scheduler.Type{Name: "kernels.BFS", Value: reflect.TypeFor[uint32]()}
	ssspType = scheduler.Type{Name: "kernels.SSSP", Value: reflect.TypeFor[uint32](), Fields: []scheduler.Field{{Name: "Delta", Elem: reflect.TypeFor[uint32]()}}}
)

func device() *native.Device {
	return native.New(map[string]any{
		"scheduler.Init[kernels.BFS, uint32]":                         scheduler.Init[kernels.BFS, uint32],
		"hierq.Push[kernels.BFS, hierq.WarpLevel, uint32]":            hierq.Push[kernels.BFS, hierq.WarpLevel, uint32],
		"hierq.Push[kernels.BFS, hierq.BlockLevel, uint32]":           hierq.Push[kernels.BFS, hierq.BlockLevel, uint32],
		"hierq.Push[kernels.BFS, hierq.GlobalLevel, uint32]":          hierq.Push[kernels.BFS, hierq.GlobalLevel, uint32],
		"hierq.PushSmall[kernels.BFS, hierq.WarpLevel, uint32]":       hierq.PushSmall[kernels.BFS, hierq.WarpLevel, uint32],
		"hierq.PushSmall[kernels.BFS, hierq.BlockLevel, uint32]":      hierq.PushSmall[kernels.BFS, hierq.BlockLevel, uint32],
		"hierq.Push[kernels.BFS, hierq.StraightLevel, uint32]":        hierq.Push[kernels.BFS, hierq.StraightLevel, uint32],
		"hierq.Push[kernels.SSSP, hierq.BlockLevel, uint32]":          hierq.Push[kernels.SSSP, hierq.BlockLevel, uint32],
		"hierq.Push[kernels.SSSP, hierq.StraightLevel, uint32]":       hierq.Push[kernels.SSSP, hierq.StraightLevel, uint32],
		"hierq.PushFlush[kernels.BFS, hierq.WarpLevel, uint32]":       hierq.PushFlush[kernels.BFS, hierq.WarpLevel, uint32],
		"hierq.PushFlush[kernels.BFS, hierq.BlockLevel, uint32]":      hierq.PushFlush[kernels.BFS, hierq.BlockLevel, uint32],
		"hierq.PushFlush[kernels.SSSP, hierq.WarpLevel, uint32]":      hierq.PushFlush[kernels.SSSP, hierq.WarpLevel, uint32],
		"hierq.PushFlush[kernels.SSSP, hierq.BlockLevel, uint32]":     hierq.PushFlush[kernels.SSSP, hierq.BlockLevel, uint32],
		"hierq.PushFlush[kernels.SSSP, hierq.StraightLevel, uint32]":  hierq.PushFlush[kernels.SSSP, hierq.StraightLevel, uint32],
		"hierq.PushSmall[kernels.SSSP, hierq.BlockLevel, uint32]":     hierq.PushSmall[kernels.SSSP, hierq.BlockLevel, uint32],
		"hierq.PushNested[kernels.BFS, hierq.WarpLevel, uint32]":      hierq.PushNested[kernels.BFS, hierq.WarpLevel, uint32],
		"hierq.PushSmallNested[kernels.BFS, hierq.WarpLevel, uint32]": hierq.PushSmallNested[kernels.BFS, hierq.WarpLevel, uint32],
		"hierq.PushKept[kernels.BFS, hierq.LaneAdds, uint32]":         hierq.PushKept[kernels.BFS, hierq.LaneAdds, uint32],
		"hierq.PushKept[kernels.BFS, hierq.WarpAdds, uint32]":         hierq.PushKept[kernels.BFS, hierq.WarpAdds, uint32],
		"hierq.PushKept[kernels.BFS, hierq.KeptWarpAdds, uint32]":     hierq.PushKept[kernels.BFS, hierq.KeptWarpAdds, uint32],
		"hierq.PushKept[kernels.BFS, hierq.EightLaneAdds, uint32]":    hierq.PushKept[kernels.BFS, hierq.EightLaneAdds, uint32],
		"hierq.PushKept[kernels.BFS, hierq.EightWarpAdds, uint32]":    hierq.PushKept[kernels.BFS, hierq.EightWarpAdds, uint32],
		"hierq.PushKept[kernels.SSSP, hierq.LaneAdds, uint32]":        hierq.PushKept[kernels.SSSP, hierq.LaneAdds, uint32],
		"hierq.PushKept[kernels.SSSP, hierq.WarpAdds, uint32]":        hierq.PushKept[kernels.SSSP, hierq.WarpAdds, uint32],
		"hierq.PushKept[kernels.SSSP, hierq.KeptWarpAdds, uint32]":    hierq.PushKept[kernels.SSSP, hierq.KeptWarpAdds, uint32],
		"hierq.PushKept[kernels.SSSP, hierq.EightLaneAdds, uint32]":   hierq.PushKept[kernels.SSSP, hierq.EightLaneAdds, uint32],
		"hierq.PushKept[kernels.SSSP, hierq.EightWarpAdds, uint32]":   hierq.PushKept[kernels.SSSP, hierq.EightWarpAdds, uint32],
		"hierq.Place[uint32]":                                    hierq.Place[uint32],
		"scheduler.Init[kernels.SSSP, uint32]":                   scheduler.Init[kernels.SSSP, uint32],
		"hierq.Push[kernels.SSSP, hierq.WarpLevel, uint32]":      hierq.Push[kernels.SSSP, hierq.WarpLevel, uint32],
		"hierq.PushSmall[kernels.SSSP, hierq.WarpLevel, uint32]": hierq.PushSmall[kernels.SSSP, hierq.WarpLevel, uint32],
	})
}

func open(t *testing.T, spec string) *graph.CSR {
	g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
	require.NoError(t, err)
	return g
}

// job returns a run of BFS on a small graph, from its vertex of largest degree.
func job(t *testing.T, d *native.Device, params map[string]string) scheduler.Job {
	values, err := hierq.New().Values(params)
	require.NoError(t, err)
	j := scheduler.Job{Device: d, Kernels: d, Algorithm: bfsType, Linked: kernels.BFS{}, Graph: open(t, "rmat:scale=6,degree=6,seed=3"), Params: values}
	j.Source, _ = j.Graph.MaxDegreeVertex()
	return j
}

// line returns a step's kernel, its iteration and its quantities in short form: frontier and
// next, iterations, vertices queued in warp and block queues and appended one by one, and
// overflows of warp and block queues.
func line(t *testing.T, s scheduler.Step) string {
	number := func(name string) int {
		x, ok := s.Number(name)
		require.True(t, ok, name)
		return int(x)
	}
	kernel, _, _ := strings.Cut(strings.TrimPrefix(s.Kernel, "hierq."), "[")
	return fmt.Sprintf("%s %d: %d->%d in %d, queued %d %d %d, overflows %d %d", kernel, s.Iteration, number("frontier"), number("next"), number("iterations"),
		number("warp-queued"), number("block-queued"), number("appended"), number("warp-overflows"), number("block-overflows"))
}

// TestSteps checks the kernels that the parameters select, and what the steps report.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		name   string
		params map[string]string
		want   []string
	}{
		{"global queue", map[string]string{"levels": "global"}, []string{
			"Push 1: 1->28 in 1, queued 0 0 28, overflows 0 0",
			"Push 2: 28->21 in 1, queued 0 0 21, overflows 0 0",
			"Push 3: 21->1 in 1, queued 0 0 1, overflows 0 0",
			"Push 4: 1->0 in 1, queued 0 0 0, overflows 0 0",
		}},
		{"block queue", map[string]string{"levels": "block", "block-length": "20", "one-block": "0"}, []string{
			"Push 1: 1->28 in 1, queued 0 20 8, overflows 0 8",
			"Push 2: 28->21 in 1, queued 0 20 1, overflows 0 1",
			"Push 3: 21->1 in 1, queued 0 1 0, overflows 0 0",
			"Push 4: 1->0 in 1, queued 0 0 0, overflows 0 0",
		}},
		{"places reserved by warps", map[string]string{"levels": "block", "block-length": "20", "one-block": "0", "reserve": "warp"}, []string{
			"PushKept 1: 1->28 in 1, queued 0 20 8, overflows 0 8",
			"PushKept 2: 28->21 in 1, queued 0 20 1, overflows 0 1",
			"PushKept 3: 21->1 in 1, queued 0 1 0, overflows 0 0",
			"PushKept 4: 1->0 in 1, queued 0 0 0, overflows 0 0",
		}},
		{"4 vertices in registers", map[string]string{"levels": "block", "block-length": "22", "one-block": "10", "registers": "4"}, []string{
			"PushSmall 1: 1->28 in 1, queued 0 22 6, overflows 0 6",
			"PushKept 2: 28->21 in 1, queued 0 21 0, overflows 0 0",
			"PushKept 3: 21->1 in 1, queued 0 1 0, overflows 0 0",
			"PushSmall 4: 1->0 in 1, queued 0 0 0, overflows 0 0",
		}},
		{"8 vertices in the registers of each lane", map[string]string{"levels": "block", "block-length": "22", "one-block": "10", "registers": "8", "reserve": "warp"}, []string{
			"PushSmall 1: 1->28 in 1, queued 0 22 6, overflows 0 6",
			"PushKept 2: 28->21 in 1, queued 0 21 0, overflows 0 0",
			"PushKept 3: 21->1 in 1, queued 0 1 0, overflows 0 0",
			"PushSmall 4: 1->0 in 1, queued 0 0 0, overflows 0 0",
		}},
		{"block queue, one block", map[string]string{"levels": "block"}, []string{
			"PushSmall 4: 51->0 in 4, queued 0 50 0, overflows 0 0",
		}},
		{"warp queues", map[string]string{"one-block": "0", "warp-queues": "4", "warp-length": "5", "block-length": "24"}, []string{
			"Push 1: 1->28 in 1, queued 5 24 4, overflows 23 4",
			"Push 2: 28->21 in 1, queued 17 21 0, overflows 4 0",
			"Push 3: 21->1 in 1, queued 1 1 0, overflows 0 0",
			"Push 4: 1->0 in 1, queued 0 0 0, overflows 0 0",
		}},
		{"warp queues straight to the global queue", map[string]string{"one-block": "0", "warp-queues": "4", "warp-length": "5", "block-length": "24", "warp-to": "global"}, []string{
			"Push 1: 1->28 in 1, queued 5 23 0, overflows 23 0", // what no warp queue had room for
			"Push 2: 28->21 in 1, queued 18 3 0, overflows 3 0", // the frontier has another order than with warp-to=block
			"Push 3: 21->1 in 1, queued 1 0 0, overflows 0 0",
			"Push 4: 1->0 in 1, queued 0 0 0, overflows 0 0",
		}},
		{"block queue that is emptied", map[string]string{"levels": "block", "block-length": "10", "one-block": "0", "full": "flush"}, []string{
			"PushFlush 1: 1->28 in 1, queued 0 28 0, overflows 0 0",
			"PushFlush 2: 28->21 in 1, queued 0 21 0, overflows 0 0",
			"PushFlush 3: 21->1 in 1, queued 0 1 0, overflows 0 0",
			"PushFlush 4: 1->0 in 1, queued 0 0 0, overflows 0 0",
		}},
		{"one block while the block queue suffices", map[string]string{"block-length": "24"}, []string{
			"PushSmall 1: 1->28 in 1, queued 28 24 4, overflows 0 4",
			"Push 2: 28->21 in 1, queued 21 21 0, overflows 0 0",
			"PushSmall 4: 22->0 in 2, queued 1 1 0, overflows 0 0",
		}},
		{"one block up to 24 vertices", map[string]string{"one-block": "24"}, []string{
			"PushSmall 1: 1->28 in 1, queued 28 28 0, overflows 0 0",
			"Push 2: 28->21 in 1, queued 21 21 0, overflows 0 0",
			"PushSmall 4: 22->0 in 2, queued 1 1 0, overflows 0 0",
		}},
		{"the device launches", map[string]string{"launch-from": "device", "block-length": "24"}, []string{
			"PushSmallNested 1: 1->28 in 1, queued 28 24 4, overflows 0 4",
			"PushNested 2: 28->21 in 1, queued 21 21 0, overflows 0 0",
			"PushSmallNested 4: 22->0 in 2, queued 1 1 0, overflows 0 0",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := device()
			d.Nested = true
			j := job(t, d, c.params)
			out, err := hierq.New().Run(t.Context(), j)
			require.NoError(t, err)
			require.NoError(t, reference.CheckBFS(t.Context(), j.Graph, j.Source, out.Values.([]uint32)))
			require.Zero(t, d.Live)
			require.True(t, out.Steps[0].Setup)
			var got []string
			for _, s := range out.Steps[1:] {
				got = append(got, line(t, s))
			}
			require.Equal(t, c.want, got)
		})
	}
}

// runsSSSP runs SSSP, whose vertices return to the frontier, and checks the answer.
func runsSSSP(t *testing.T, params map[string]string) *scheduler.Outcome {
	t.Helper()
	d := device()
	j := job(t, d, params)
	j.Algorithm = ssspType
	var err error
	j.Graph, _, err = j.Graph.WithWeights(t.Context())
	require.NoError(t, err)
	out, err := hierq.New().Run(t.Context(), j)
	require.NoError(t, err, "%v", params)
	require.NoError(t, reference.CheckSSSP(t.Context(), j.Graph, j.Source, out.Values.([]uint32)))
	require.Zero(t, d.Live)
	return out
}

// TestOverflows runs an algorithm whose vertices return to the frontier, with queues that
// are far too short, and both layouts of the warp queues.
func TestOverflows(t *testing.T) {
	for _, params := range []map[string]string{
		{"warp-queues": "5", "warp-length": "3", "block-length": "11", "one-block": "0"},
		{"warp-queues": "32", "warp-length": "1", "block-length": "1", "interleaved": "false"},
		{"warp-queues": "8", "warp-length": "2", "block-length": "20", "block": "32", "one-block-threads": "64"},
		{"warp-queues": "3", "warp-length": "1", "block-length": "5", "interleaved": "false", "one-block": "5"},
	} {
		out := runsSSSP(t, params)
		overflows := 0.0
		next := 1.0
		for _, s := range out.Steps[1:] {
			number := func(name string) float64 { x, _ := s.Number(name); return x }
			found := number("frontier") - next + number("next")
			next = number("next")
			overflows += number("warp-overflows") * number("block-overflows")
			require.InDelta(t, found, number("warp-queued")+number("warp-overflows"), 0)
			require.InDelta(t, found, number("block-queued")+number("appended"), 0)
			require.InDelta(t, number("appended"), number("block-overflows"), 0)
		}
		require.Positive(t, overflows, "%v", params)
	}
}

// TestKept runs an algorithm whose vertices return to the frontier with each way to add several vertices at once to a block
// queue that is too short for them, and with one that has room.
func TestKept(t *testing.T) {
	for _, by := range []string{"lane", "warp"} {
		for _, registers := range []string{"1", "4", "8"} {
			for _, length := range []string{"1", "6", "1024"} {
				runsSSSP(t, map[string]string{"levels": "block", "block-length": length, "one-block": "0", "reserve": by, "registers": registers, "block": "64"})
			}
		}
	}
}

// TestFlushes checks how often a block empties its queue, and that no vertex goes to the global
// queue alone: the source finds 28 vertices, and the third iteration finds one.
func TestFlushes(t *testing.T) {
	for _, c := range []struct {
		params map[string]string
		want   []float64
	}{
		{map[string]string{"levels": "block", "block-length": "10"}, []float64{2, 2, 0, 0}},
		{map[string]string{"levels": "block", "block-length": "1"}, []float64{28, 21, 1, 0}},
		// Warp queue 0 takes 5 of the source's 28 vertices: 23 go to the block queue, and then 5 more.
		{map[string]string{"warp-queues": "4", "warp-length": "5", "block-length": "14"}, []float64{2, 1, 0, 0}},
		{map[string]string{"warp-queues": "4", "warp-length": "5", "block-length": "1000"}, []float64{0, 0, 0, 0}},
	} {
		d := device()
		c.params["one-block"], c.params["full"] = "0", "flush"
		j := job(t, d, c.params)
		out, err := hierq.New().Run(t.Context(), j)
		require.NoError(t, err)
		require.NoError(t, reference.CheckBFS(t.Context(), j.Graph, j.Source, out.Values.([]uint32)))
		require.Zero(t, d.Live)
		var got []float64
		for _, s := range out.Steps[1:] {
			n, ok := s.Number("flushes")
			require.True(t, ok)
			got = append(got, n)
			alone, _ := s.Number("appended")
			require.Zero(t, alone)
		}
		require.Equal(t, c.want, got, "%v", c.params)
	}
}

// TestStraightAndFlush runs an algorithm whose vertices return to the frontier, with short queues
// that are emptied, or go straight to the global queue, or both, in both layouts.
func TestStraightAndFlush(t *testing.T) {
	for _, params := range []map[string]string{
		{"warp-queues": "5", "warp-length": "3", "block-length": "11", "warp-to": "global"},
		{"warp-queues": "32", "warp-length": "1", "block-length": "1", "interleaved": "false", "warp-to": "global"},
		{"warp-queues": "5", "warp-length": "3", "block-length": "11", "full": "flush"},
		{"warp-queues": "32", "warp-length": "1", "block-length": "1", "interleaved": "false", "full": "flush", "block": "256"},
		{"warp-queues": "7", "warp-length": "2", "block-length": "3", "full": "flush", "warp-to": "global", "block": "64"},
		{"levels": "block", "block-length": "3", "full": "flush", "one-block": "3"},
	} {
		if params["one-block"] == "" {
			params["one-block"] = "0"
		}
		runsSSSP(t, params)
	}
}

func TestRunEndsEarly(t *testing.T) {
	const path = "grid:width=9,keep=1,seed=1"
	t.Run("at the limit of iterations", func(t *testing.T) {
		for _, c := range [][2]string{{"0", "host"}, {"4", "host"}, {"1024", "host"}, {"0", "device"}, {"4", "device"}, {"1024", "device"}} {
			d := device()
			d.Nested = true
			j := job(t, d, map[string]string{"max-iterations": "3", "one-block": c[0], "launch-from": c[1]})
			j.Graph, j.Source = open(t, path), 0
			out, err := hierq.New().Run(t.Context(), j)
			require.EqualError(t, err, "kernels.BFS did not end within 3 iterations: 4 vertices are still active")
			require.Equal(t, 3, out.Iterations)
			require.Nil(t, out.Values)
			require.Zero(t, d.Live)
		}
	})
	t.Run("when cancelled", func(t *testing.T) {
		d := device()
		ctx, cancel := context.WithCancel(context.Background())
		d.After = func() {
			if len(d.Grids) == 2 {
				cancel()
			}
		}
		out, err := hierq.New().Run(ctx, job(t, d, map[string]string{"one-block": "0"}))
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 1, out.Iterations)
		require.Zero(t, d.Live)
	})
	t.Run("when a launch fails", func(t *testing.T) {
		for at := 1; at <= 3; at++ {
			d := device()
			d.FailAt, d.Failure = at, errors.New("index out of range")
			out, err := hierq.New().Run(t.Context(), job(t, d, map[string]string{"one-block": "1"}))
			require.ErrorIs(t, err, d.Failure)
			require.Zero(t, d.Live)
			require.Len(t, out.Steps, at, "the launch that failed counts, with what it reported")
			require.EqualValues(t, 5, out.Steps[at-1].Cycles)
			require.Nil(t, out.Values)
		}
	})
	t.Run("when a launch of the device fails", func(t *testing.T) {
		for at := 1; at <= 3; at++ {
			d := device()
			d.Nested, d.FailAt, d.Failure = true, at, errors.New("index out of range")
			out, err := hierq.New().Run(t.Context(), job(t, d, map[string]string{"one-block": "1", "launch-from": "device"}))
			require.ErrorIs(t, err, d.Failure)
			require.Zero(t, d.Live)
			require.Len(t, out.Steps, at, "the launch that failed counts, and nothing is known of those before it but their times")
			require.EqualValues(t, 5, out.Steps[at-1].Cycles)
			require.Nil(t, out.Values)
		}
	})
	t.Run("where kernels start none", func(t *testing.T) {
		d := device()
		_, err := hierq.New().Run(t.Context(), job(t, d, map[string]string{"launch-from": "device"}))
		require.EqualError(t, err, "launch-from=device: device native has no kernels that start kernels; use launch-from=host")
		require.Zero(t, d.Live)
	})
	t.Run("without memory", func(t *testing.T) {
		for _, name := range []string{"g.Row", "g.Col", "values", "queue", "queue.Stamp", "counts"} {
			d := device()
			d.NoMemory = name
			_, err := hierq.New().Run(t.Context(), job(t, d, nil))
			require.EqualError(t, err, "allocating "+name+": out of memory")
			require.Zero(t, d.Live)
		}
	})
	t.Run("without kernels", func(t *testing.T) {
		d := device()
		j := job(t, d, nil)
		j.Algorithm.Name = "kernels.CC"
		_, err := hierq.New().Run(t.Context(), j)
		require.EqualError(t, err, "no kernel hierq.Push[kernels.CC, hierq.WarpLevel, uint32]")
	})
}

func TestParameters(t *testing.T) {
	s := hierq.New()
	require.NoError(t, s.Validate())
	for want, given := range map[string]map[string]string{
		`parameter levels of scheduler hierq: "grid" is not one of global, block, warp`:               {"levels": "grid"},
		`parameter warp-queues of scheduler hierq: 33 is not a whole number from 1 to 32`:             {"warp-queues": "33"},
		`parameter warp-length of scheduler hierq: 0 is not a whole number from 1 to 16384`:           {"warp-length": "0"},
		`parameter full of scheduler hierq: "wait" is not one of overflow, flush`:                     {"full": "wait"},
		`parameter warp-to of scheduler hierq: "warp" is not one of block, global`:                    {"warp-to": "warp"},
		`parameter reserve of scheduler hierq: "block" is not one of lane, warp`:                      {"reserve": "block"},
		`parameter registers of scheduler hierq: 2 is not one of 1, 4, 8`:                             {"registers": "2"},
		`parameter interleaved of scheduler hierq: "maybe" is not true or false`:                      {"interleaved": "maybe"},
		`parameter block-length of scheduler hierq: 0 is not a whole number from 1 to 32768`:          {"block-length": "0"},
		`parameter one-block of scheduler hierq: -1 is not a whole number from 0 to 32768`:            {"one-block": "-1"},
		`parameter one-block-threads of scheduler hierq: 100 is not a multiple of 32 from 32 to 1024`: {"one-block-threads": "100"},
		`parameter block of scheduler hierq: 2048 is not a multiple of 32 from 32 to 1024`:            {"block": "2048"},
		`scheduler hierq has no parameter "depth"; there are: block, block-length, full, host-levels, interleaved, launch-from, levels, max-iterations, one-block, one-block-threads, registers, reserve, warp-length, warp-queues, warp-to`: {"depth": "1"},
	} {
		_, err := s.Values(given)
		require.EqualError(t, err, want)
	}
	for want, given := range map[string]map[string]string{
		"full=flush empties a full block queue; levels=global has none":    {"levels": "global", "full": "flush"},
		"warp-to=global says where warp queues go; levels=global has none": {"levels": "global", "warp-to": "global"},
		"warp-to=global says where warp queues go; levels=block has none":  {"levels": "block", "warp-to": "global"},

		"reserve=warp and registers=4 or 8 are ways to add to a block queue without warp queues; levels=warp is not levels=block":   {"reserve": "warp"},
		"reserve=warp and registers=4 or 8 are ways to add to a block queue without warp queues; levels=global is not levels=block": {"levels": "global", "registers": "8"},
		"reserve=warp and registers=4 or 8 do not empty full block queues; use full=overflow":                                       {"levels": "block", "full": "flush", "registers": "4"},
		"launch-from=device has no kernel for reserve=warp and registers=4 or 8; use launch-from=host":                              {"levels": "block", "launch-from": "device", "reserve": "warp"},

		"launch-from=device has no kernel that empties full block queues; use full=overflow": {"launch-from": "device", "full": "flush"},
	} {
		v, err := s.Values(given)
		require.NoError(t, err)
		require.EqualError(t, s.Takes(bfsType, v), want)
		d := device()
		_, err = s.Run(t.Context(), job(t, d, given))
		require.EqualError(t, err, want)
		require.Empty(t, d.Grids)
	}
	defaults, err := s.Values(nil)
	require.NoError(t, err)
	require.NoError(t, s.Takes(bfsType, defaults))
	onHost, err := s.Values(map[string]string{"host-levels": "2"})
	require.NoError(t, err)
	require.NoError(t, s.Takes(bfsType, onHost))
	phased := bfsType
	phased.Phased = true
	require.NoError(t, s.Takes(phased, defaults))
	require.EqualError(t, s.Takes(phased, onHost), "host-levels=2: kernels.BFS runs in phases, which the host does not; use host-levels=0")
	nested, err := s.Values(map[string]string{"launch-from": "device"})
	require.NoError(t, err)
	require.NoError(t, s.Takes(bfsType, nested))
	require.EqualError(t, s.Takes(phased, nested), "launch-from=device: kernels.BFS runs in phases, between which the host decides; use launch-from=host")
	require.EqualError(t, s.Takes(scheduler.Type{Name: "a.A", From: map[string]string{"Apply": "a.A"}}, defaults),
		"a.A cannot be pushed: it defines Apply, which only a pull scheme calls, and none of Take, Update and Active")
}
