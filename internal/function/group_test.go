package function

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/testing/devicetest"
)

func openGroup(t *testing.T, n int, o Options) *Group {
	t.Helper()
	g, err := NewGroup(n, o)
	require.NoError(t, err)
	return g
}

func TestGroupContract(t *testing.T) {
	devicetest.GroupContract(t, func(t *testing.T) device.Group { return openGroup(t, 2, Options{}) }, devicetest.Traits{Keeps: true, Faults: true, Hangs: true})
}

// The group as a device is its first GPU.
func TestContractOfGroup(t *testing.T) {
	devicetest.Contract(t, func(t *testing.T) device.Device { return openGroup(t, 2, Options{}) },
		devicetest.Traits{Keeps: true, Faults: true, Hangs: true, Independent: true, Repeats: true})
}

func TestNewGroupErrors(t *testing.T) {
	_, err := NewGroup(0, Options{})
	require.EqualError(t, err, "a group of 0 GPUs; it has at least 1")
	_, err = NewGroup(2, Options{Memory: New(Options{}).mem})
	require.EqualError(t, err, "a group has a memory of its own for each GPU; Options.Memory is for a single device")
}

func testKernel(t *testing.T, name string) *device.Kernel {
	t.Helper()
	ks, err := devicetest.Kernels()
	require.NoError(t, err)
	k, err := ks.Kernel(t.Context(), "testkernels."+name, nil)
	require.NoError(t, err)
	return k
}

// A launch may wait for a command that may run at the same time. One that waits for what comes after it hangs.
func TestGroupHang(t *testing.T) {
	g := openGroup(t, 2, Options{})
	word, err := g.Alloc("word", device.U32, 1)
	require.NoError(t, err)
	require.NoError(t, g.Write(word, []uint32{0}))
	spin := device.Command{Launch: &device.Launch{Kernel: testKernel(t, "Spin"), Grid: 1, Block: 32, Args: []any{word}}}
	release := device.Command{GPU: 0, Stream: 1, Write: &device.HostCopy{Buffer: word, Host: []uint32{1}}}
	times, err := g.Run(t.Context(), []device.Command{spin, release})
	require.NoError(t, err)
	require.NotNil(t, times[0].Report)
	require.NoError(t, g.Write(word, []uint32{0}))

	var hang *device.HangError
	release.After = []int{0}
	_, err = g.Run(t.Context(), []device.Command{spin, release})
	require.ErrorAs(t, err, &hang, "the write comes after the launch")
	release.After, release.Stream = nil, 0
	_, err = g.Run(t.Context(), []device.Command{spin, release})
	require.ErrorAs(t, err, &hang, "the same stream")
	_, err = g.Run(t.Context(), []device.Command{release, spin})
	require.NoError(t, err)
}

// The report of a hang names launches of other commands that could end it.
func TestGroupHangNamesOthers(t *testing.T) {
	g := openGroup(t, 2, Options{})
	word, err := g.Alloc("word", device.U32, 1)
	require.NoError(t, err)
	require.NoError(t, g.Write(word, []uint32{0}))
	spin := device.Command{Launch: &device.Launch{Kernel: testKernel(t, "Spin"), Grid: 1, Block: 32, Args: []any{word}}}
	set := device.Command{GPU: 1, Launch: &device.Launch{Kernel: testKernel(t, "Iota"), Grid: 1, Block: 1, Args: []any{word}}, After: []int{0}}
	_, err = g.Run(t.Context(), []device.Command{spin, set})
	var hang *device.HangError
	require.ErrorAs(t, err, &hang)
	w := hang.Graph.Waiters[0].Writers
	require.NotEmpty(t, w)
	require.Equal(t, "testkernels.Iota in command 1 on GPU 1", w[len(w)-1].Of)
	require.Equal(t, "which has not begun: it comes after a command that has not ended", w[len(w)-1].Why)
	require.Equal(t, 0, *hang.Graph.GPU)
	require.Equal(t, 0, *hang.Waiting[0].GPU)

	set.After = nil
	_, err = g.Run(t.Context(), []device.Command{spin, set})
	require.NoError(t, err, "both run at the same time")
}

// A launch that is alone goes on for ever as one on a single GPU does, also if others come after it.
func TestGroupLivelock(t *testing.T) {
	g := openGroup(t, 2, Options{Budget: 30_000_000})
	word, err := g.Alloc("word", device.U32, 10)
	require.NoError(t, err)
	require.NoError(t, g.Write(word, make([]uint32, 10)))
	toggle := device.Command{GPU: 1, Launch: &device.Launch{Kernel: own(t, "Toggle"), Grid: 2, Block: 64, Args: []any{word, false}}}
	after := device.Command{After: []int{0}, Write: &device.HostCopy{Buffer: word, Host: make([]uint32, 10)}}
	_, err = g.Run(t.Context(), []device.Command{toggle, after})
	var hang *device.HangError
	require.ErrorAs(t, err, &hang)
	require.Equal(t, device.Livelock, hang.Kind)
}

// A launch that computes for long without a change of memory is not given up while another one waits for what comes after it.
func TestGroupPatience(t *testing.T) {
	g := openGroup(t, 2, Options{})
	word, err := g.Alloc("word", device.U32, 1)
	require.NoError(t, err)
	require.NoError(t, g.Write(word, []uint32{0}))
	spin := device.Command{Launch: &device.Launch{Kernel: testKernel(t, "Spin"), Grid: 1, Block: 32, Args: []any{word}}}
	long := device.Command{GPU: 1, Launch: &device.Launch{Kernel: own(t, "Watching"), Grid: 1, Block: 32, Args: []any{word, uint64(partPatience + partPatience/4)}}}
	one, err := g.GPU(1).Alloc("one", device.U32, 1)
	require.NoError(t, err)
	require.NoError(t, g.GPU(1).Write(one, []uint32{1}))
	release := device.Command{GPU: 1, Copy: &device.Copy{Dst: word, Src: one}}
	times, err := g.Run(t.Context(), []device.Command{spin, long, release})
	require.NoError(t, err)
	n, _ := times[1].Report.Counter("smsp__inst_executed.sum")
	require.Greater(t, n, float64(partPatience))
}

// A launch that waits for one for which there is no room beside it hangs, and the report says so.
func TestGroupRoom(t *testing.T) {
	g := openGroup(t, 2, Options{})
	word, err := g.Alloc("word", device.U32, 1)
	require.NoError(t, err)
	require.NoError(t, g.Write(word, []uint32{0}))
	all := sms * blocksPerSM
	spin := device.Command{Launch: &device.Launch{Kernel: testKernel(t, "Spin"), Grid: all, Block: 32, Args: []any{word}}}
	set := device.Command{Stream: 1, Launch: &device.Launch{Kernel: testKernel(t, "Iota"), Grid: 1, Block: 1, Args: []any{word}}}
	_, err = g.Run(t.Context(), []device.Command{spin, set})
	var hang *device.HangError
	require.ErrorAs(t, err, &hang)
	w := hang.Graph.Waiters[0].Writers
	require.Equal(t, "which has not begun: there is no room for it beside what runs on GPU 0", w[len(w)-1].Why)
	set.GPU = 1
	_, err = g.Run(t.Context(), []device.Command{spin, set})
	require.NoError(t, err, "on the other GPU there is")
}

// Links count the bytes that copies and threads move between GPUs.
func TestGroupLinks(t *testing.T) {
	g := openGroup(t, 3, Options{})
	var bufs []device.Buffer
	for i := range 3 {
		b, err := g.GPU(i).Alloc("b", device.U32, 64)
		require.NoError(t, err)
		require.NoError(t, g.GPU(i).Write(b, make([]uint32, 64)))
		bufs = append(bufs, b)
	}
	launch := func(gpu int, name string, args ...any) device.Command {
		return device.Command{GPU: gpu, Launch: &device.Launch{Kernel: testKernel(t, name), Grid: 2, Block: 32, Args: args}}
	}
	_, err := g.Run(t.Context(), []device.Command{
		{GPU: 2, Copy: &device.Copy{Dst: bufs[2], Src: bufs[0]}},
		launch(0, "Iota", bufs[1]),                         // 64 words stored
		launch(1, "Tickets", bufs[2].Slice(0, 1), bufs[1]), // 64 words updated, and the old ones returned
		launch(2, "Vector", bufs[0], bufs[2], uint32(4)),   // 16 bytes loaded
	})
	require.NoError(t, err)
	got := map[string]uint64{}
	for _, l := range g.Links() {
		got[l.From+" to "+l.To] = l.Bytes
	}
	assert.Equal(t, map[string]uint64{"GPU 0 to GPU 1": 256, "GPU 0 to GPU 2": 256 + 16, "GPU 1 to GPU 0": 0,
		"GPU 1 to GPU 2": 256, "GPU 2 to GPU 0": 0, "GPU 2 to GPU 1": 256}, got)
	n, ok := g.Total().Counter(device.BytesCopied)
	assert.True(t, ok)
	assert.InDelta(t, 256, n, 0)
}

// A group looks for races within its launches, and for reads of what a copy brought unwritten.
func TestGroupChecks(t *testing.T) {
	races := device.NewRaces()
	g := openGroup(t, 2, Options{Races: races})
	far, err := g.GPU(1).Alloc("far", device.S64, 6)
	require.NoError(t, err)
	in, err := g.Alloc("in", device.F64, 1)
	require.NoError(t, err)
	require.NoError(t, g.Write(in, []float64{2}))
	_, err = g.Run(t.Context(), []device.Command{{Launch: &device.Launch{Kernel: testKernel(t, "Convert"), Grid: 2, Block: 32, Args: []any{in, far}}}})
	require.NoError(t, err)
	require.NotEmpty(t, races.List(), "two blocks store the same elements of the other GPU's buffer")

	plain := openGroup(t, 2, Options{})
	src, err := plain.Alloc("src", device.U32, 8)
	require.NoError(t, err)
	dst, err := plain.GPU(1).Alloc("dst", device.U32, 8)
	require.NoError(t, err)
	out, err := plain.GPU(1).Alloc("out", device.U32, 4)
	require.NoError(t, err)
	require.NoError(t, plain.GPU(1).Write(dst, make([]uint32, 8)))
	_, err = plain.Run(t.Context(), []device.Command{
		{GPU: 1, Copy: &device.Copy{Dst: dst, Src: src}},
		{GPU: 1, Launch: &device.Launch{Kernel: testKernel(t, "Vector"), Grid: 1, Block: 32, Args: []any{dst, out, uint32(4)}}},
	})
	var fault *device.Fault
	require.ErrorAs(t, err, &fault)
	require.Equal(t, "element 4 of in is read, but neither the host nor a thread has written it", fault.What)
}
