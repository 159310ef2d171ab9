package sim

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// mixedCommands is a list in which kernels work on their own memory and on that of another GPU while copies use the
// same links. No launch joins another one on its GPU.
func mixedCommands(t *testing.T, g *Group, remote bool) []device.Command {
	const words = 1 << 10
	k := scatter(t, words)
	var x, y []device.Buffer
	for _, d := range g.gpus {
		x = append(x, upload(t, d, "x", device.U32, slices.Repeat([]uint32{1}, words)))
		y = append(y, upload(t, d, "y", device.U32, make([]uint32, words)))
	}
	launch := func(gpu, of int, after ...int) device.Command {
		return device.Command{GPU: gpu, After: after, Launch: &device.Launch{Kernel: k, Grid: 4, Block: 256, Args: []any{x[gpu], y[of]}}}
	}
	cmds := []device.Command{launch(0, 0), launch(1, 1)}
	if remote {
		cmds = append(cmds, launch(2, 0), device.Command{GPU: 1, Stream: 1, Copy: &device.Copy{Dst: x[1], Src: x[2]}, After: []int{1}}, launch(0, 1, 2), launch(2, 1, 2))
	}
	return cmds
}

// TestWindowsDoNotChangeTimes checks that it does not matter for how many cycles a GPU is simulated before the next one
// is: with shorter windows than the links allow, all commands take the same times.
func TestWindowsDoNotChangeTimes(t *testing.T) {
	run := func(window uint64, cmds func(g *Group) []device.Command) (times [][2]float64) {
		g := openGroup(t, Options{Seed: 1}, "tiny", 3)
		for _, d := range g.gpus {
			require.Greater(t, d.comp.window, uint64(100))
			if window > 0 {
				d.comp.window = window
			}
		}
		ts, err := g.Run(t.Context(), cmds(g))
		require.NoError(t, err)
		for _, x := range ts {
			times = append(times, [2]float64{x.Start, x.End})
		}
		return append(times, [2]float64{g.Now(), float64(g.Total().Cycles)})
	}
	remote := func(g *Group) []device.Command { return mixedCommands(t, g, true) }
	want := run(0, remote)
	for _, window := range []uint64{1, 17, 100} {
		assert.Equal(t, want, run(window, remote), "windows of %d cycles", window)
	}

	// Without remote accesses windows are 32,768 cycles long; a command that has some makes all of the list short.
	long := run(0, func(g *Group) []device.Command { return mixedCommands(t, g, false) })
	short := run(0, func(g *Group) []device.Command {
		cmds := mixedCommands(t, g, false)
		far := upload(t, g.gpus[2], "far", device.U32, make([]uint32, 256))
		return append(cmds, device.Command{GPU: 0, After: []int{0, 1}, Launch: &device.Launch{Kernel: touch(t, ir.OpStore, false), Grid: 1, Block: 32, Args: []any{far, far}}})
	})
	assert.InDeltaSlice(t, []float64{long[0][1] - long[0][0], long[1][1] - long[1][0]}, []float64{short[0][1] - short[0][0], short[1][1] - short[1][0]}, 1e-15)
}

// TestFreshGroup checks that a list with a launch that asks for a fresh device takes the same times on all GPUs whatever
// was allocated and launched before it, and that counters go on.
func TestFreshGroup(t *testing.T) {
	run := func(before int, fresh bool) (times []float64) {
		g := openGroup(t, Options{Seed: 1}, "tiny", 3, "issue.scheduler", "random")
		for i := range before {
			upload(t, g.gpus[i%3], "other", device.U8, make([]uint8, 1000+700*i))
			_, err := g.Run(t.Context(), mixedCommands(t, g, true))
			require.NoError(t, err)
		}
		cmds := mixedCommands(t, g, true)
		cmds[1].Launch.Fresh = fresh
		carried := g.Links()[0].Bytes
		began, launches := g.Now(), g.Total().Launches
		require.Equal(t, 5*before, launches)
		ts, err := g.Run(t.Context(), cmds)
		require.NoError(t, err)
		for _, x := range ts {
			times = append(times, x.Start-began, x.End-began)
			if x.Report.Launches > 0 {
				times = append(times, float64(x.Report.Cycles))
			}
		}
		require.Equal(t, 5*before+5, g.Total().Launches)
		require.Greater(t, g.Links()[0].Bytes, carried, "links go on counting")
		return times
	}
	first := run(0, true)
	for _, before := range []int{1, 3} {
		assert.InDeltaSlice(t, first, run(before, true), 1e-12, "after %d lists", before)
	}
	assert.NotEqual(t, first, run(3, false), "what came before shows without it")
}

// TestSeedsOfGroups checks that seeded delays give a group other schedules, the same again for the same seed, and right
// answers in all.
func TestSeedsOfGroups(t *testing.T) {
	run := func(seed uint64) (out []float64) {
		g := openGroup(t, Options{Seed: seed}, "tiny", 3, "jitter.message", "200")
		cmds := mixedCommands(t, g, true)
		ts, err := g.Run(t.Context(), cmds)
		require.NoError(t, err)
		for _, x := range ts {
			out = append(out, x.Start, x.End)
		}
		sum := uint32(0)
		for gpu := range 2 {
			for _, v := range download[uint32](t, g.gpus[gpu], cmds[gpu].Launch.Args[1].(device.Buffer)) {
				sum += v
			}
		}
		require.EqualValues(t, 5*4*256*16, sum)
		return out
	}
	first := run(1)
	assert.Equal(t, first, run(1))
	assert.NotEqual(t, first, run(2))
}

// TestRelayThroughHost checks the time of copies between GPUs that pass through the memory of the host: after the first
// chunk they go at the rate of the links to the host, and each way of the four carries all of them.
func TestRelayThroughHost(t *testing.T) {
	took := func(n int, direct string) (float64, *Group) {
		g := openGroup(t, Options{Seed: 1}, "tiny", 2, "link.peer_copy", direct)
		in := make([]uint32, n)
		for i := range in {
			in[i] = uint32(i * i)
		}
		src, dst := upload(t, g.gpus[0], "src", device.U32, in), upload(t, g.gpus[1], "dst", device.U32, make([]uint32, n))
		before := map[string]uint64{}
		for _, l := range g.Links() {
			before[l.From+l.To] = l.Bytes
		}
		ts, err := g.Run(t.Context(), []device.Command{{GPU: 0, Copy: &device.Copy{Dst: dst, Src: src}}})
		require.NoError(t, err)
		for _, l := range g.Links() {
			nv := l.From != "host" && l.To != "host" && l.From != "root complex" && l.To != "root complex"
			uses := nv == (direct == "true") && (l.From == "GPU 0" || l.To == "GPU 1" || l.From == "host" || l.To == "host")
			assert.Equal(t, uses, l.Bytes-before[l.From+l.To] == uint64(4*n), "%s to %s, direct: %s", l.From, l.To, direct)
		}
		require.Equal(t, in, download[uint32](t, g.gpus[1], dst))
		return ts[0].End - ts[0].Start, g
	}
	const large = 1 << 20
	small, g := took(1, "false")
	smallDirect, _ := took(1, "true")
	c := g.cfg.Link
	assert.InDelta(t, (2*c.HostLatency-c.Latency)*1e-9, small-smallDirect, 0.05e-6, "the way to the host and from there")

	half, _ := took(large/2, "false")
	whole, _ := took(large, "false")
	direct, _ := took(large, "true")
	rate := min(c.HostBandwidth*float64(c.HostPayload)/float64(c.HostPayload+c.HostHeader), c.CopyRate) * 1e9
	assert.InEpsilon(t, 4*large/2/rate, whole-half, 0.03, "the slowest of the ways")
	assert.Greater(t, whole, direct)
	assert.Less(t, whole, c.CopyLatency*1e-6+2*4*large/rate, "the two halves of the way are used at the same time")
}
