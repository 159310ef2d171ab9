//go:build cgo && linux

package hw_test

import (
	"context"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/hw/internal/fakecuda"
	"github.com/weft-gpu/weft/hw/internal/worker"
)

// openGroup opens n GPUs of a machine without GPUs.
func openGroup(t testing.TB, n string, numbers []int, opts hw.Options) *hw.Group {
	t.Helper()
	t.Setenv(fakecuda.GPUs, n)
	t.Setenv(fake, "1")
	t.Setenv(worker.ByMain, "1")
	opts.Substitute = map[string]hw.Binary{}
	for kernel, entry := range stands {
		opts.Substitute["testkernels."+kernel] = hw.Binary{Code: []byte("a fake"), Entry: entry}
	}
	g, err := hw.OpenGroup(t.Context(), numbers, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	return g
}

// on allocates a buffer of words of a GPU.
func on(t testing.TB, g *hw.Group, gpu int, name string, n int) device.Buffer {
	t.Helper()
	b, err := g.GPU(gpu).Alloc(name, device.U32, n)
	require.NoError(t, err)
	return b
}

// command returns a command that launches a kernel of the contract test.
func command(t testing.TB, gpu, stream int, name string, after []int, args ...any) device.Command {
	t.Helper()
	return device.Command{GPU: gpu, Stream: stream, After: after, Launch: &device.Launch{Kernel: kernel(t, name), Grid: 1, Block: 32, Args: args}}
}

// TestGroup checks the facts of a group, and that each of its GPUs is a device.
func TestGroup(t *testing.T) {
	g := openGroup(t, "6", []int{0, 5}, hw.Options{})
	assert.Equal(t, "hw:0,5", g.Name())
	assert.Equal(t, 2, g.GPUs())
	assert.Equal(t, "hw:0,5#1", g.GPU(1).Name())
	assert.Equal(t, 5, g.GPU(1).(*hw.Device).Info().Index)
	assert.True(t, g.Capabilities().Has(device.Peers))
	assert.False(t, g.GPU(0).Capabilities().Has(device.Peers))
	assert.Equal(t, device.Peer{Copy: true, Access: true, Atomics: true}, g.Peer(1, 1))
	assert.Equal(t, device.Peer{Copy: true, Access: true, Atomics: true, Link: "NVLink 4"}, g.Peer(0, 1))
	for i := range 2 {
		still(t, g.GPU(i).(*hw.Device))
	}
	a, b := on(t, g, 0, "a", 4), on(t, g, 1, "b", 4)
	at, err := g.Where(b)
	require.NoError(t, err)
	assert.Equal(t, 1, at)
	assert.EqualError(t, g.GPU(1).Write(a, make([]uint32, 4)), "write: buffer a is on GPU 0, not on GPU 1")
	require.NoError(t, g.GPU(1).Close(), "it does nothing")
	require.NoError(t, g.GPU(1).Write(b, make([]uint32, 4)))
	assert.Equal(t, []device.LinkUse{{From: "GPU 0", To: "GPU 1", Kind: "NVLink 4"}, {From: "GPU 1", To: "GPU 0", Kind: "NVLink 4"},
		{From: "host", To: "GPU 0"}, {From: "GPU 0", To: "host", Bytes: 256}, {From: "host", To: "GPU 1", Bytes: 16}, {From: "GPU 1", To: "host", Bytes: 256}}, g.Links())
}

// TestGroupMissing checks the errors of lists of GPUs.
func TestGroupMissing(t *testing.T) {
	t.Setenv(fakecuda.GPUs, "2")
	t.Setenv(fake, "1")
	t.Setenv(worker.ByMain, "1")
	_, err := hw.OpenGroup(t.Context(), []int{0, 5}, hw.Options{})
	require.True(t, hw.IsMissing(err))
	assert.EqualError(t, err, "no GPU 5: this machine has 2, numbered from 0; run on a machine with an NVIDIA GPU and its driver, or choose a simulated device such as sim:h200")
	_, err = hw.OpenGroup(t.Context(), []int{1, 0, 1}, hw.Options{})
	assert.EqualError(t, err, "hw:1,0,1: GPU 1 is named twice")
	_, err = hw.OpenGroup(t.Context(), nil, hw.Options{})
	assert.EqualError(t, err, "a group of no GPUs; name at least one")
}

// TestGroupPeers checks what the driver may allow: copies between GPUs work in any case.
func TestGroupPeers(t *testing.T) {
	for _, c := range []struct {
		without string
		peer    device.Peer
	}{
		{fakecuda.PCIe, device.Peer{Copy: true, Access: true, Link: "PCIe"}},
		{fakecuda.NoPeers, device.Peer{Link: "PCIe"}},
		{fakecuda.NoPinning, device.Peer{Copy: true, Access: true, Atomics: true, Link: "NVLink 4"}},
	} {
		t.Run("without "+c.without, func(t *testing.T) {
			t.Setenv(c.without, "1")
			g := openGroup(t, "2", []int{0, 1}, hw.Options{})
			assert.Equal(t, c.peer, g.Peer(0, 1))
			a, b := on(t, g, 0, "a", 100), on(t, g, 1, "b", 100)
			in, out := make([]uint32, 100), make([]uint32, 100)
			in[99] = 7
			_, err := g.Run(t.Context(), []device.Command{
				{GPU: 0, Write: &device.HostCopy{Buffer: a, Host: in}},
				{GPU: 0, Copy: &device.Copy{Dst: b, Src: a}},
				{GPU: 1, Read: &device.HostCopy{Buffer: b, Host: out}, After: []int{1}},
			})
			require.NoError(t, err)
			assert.Equal(t, in, out)
			links := g.Links()
			if c.peer.Copy {
				assert.EqualValues(t, 400, links[0].Bytes)
				assert.Positive(t, links[0].Busy)
			} else {
				require.Len(t, links, 4, "no link between the GPUs")
				assert.Equal(t, []uint64{400, 400, 400, 400}, []uint64{links[0].Bytes, links[1].Bytes, links[2].Bytes, links[3].Bytes})
			}
			_, err = g.GPU(1).Launch(t.Context(), device.Launch{Kernel: kernel(t, "Iota"), Grid: 1, Block: 32, Args: []any{a}})
			if c.peer.Access {
				require.NoError(t, err)
			} else {
				assert.EqualError(t, err, "launch of testkernels.Iota: buffer a is on GPU 0, whose memory kernels on GPU 1 cannot reach; copy it")
			}
		})
	}
}

// TestRunOrder runs chains of commands over streams of several GPUs, in which a missing wait would show: a slow launch
// comes before each copy.
func TestRunOrder(t *testing.T) {
	g := openGroup(t, "3", []int{0, 1, 2}, hw.Options{})
	bufs := []device.Buffer{on(t, g, 0, "a", 64), on(t, g, 1, "b", 64), on(t, g, 2, "c", 64)}
	out := make([]uint32, 64)
	start := g.Now()
	cmds := []device.Command{
		{GPU: 0, Write: &device.HostCopy{Buffer: bufs[0], Host: make([]uint32, 64)}},
		command(t, 0, 1, "Late", nil, bufs[0]),
		command(t, 0, 2, "Iota", []int{0, 1}, bufs[0]),
		{GPU: 1, Stream: 3, Copy: &device.Copy{Dst: bufs[1], Src: bufs[0]}, After: []int{2}},
		command(t, 1, 3, "Late", nil, bufs[1]),
		{GPU: 2, Copy: &device.Copy{Dst: bufs[2], Src: bufs[1]}, After: []int{4}},
		{GPU: 0, Stream: 5, Read: &device.HostCopy{Buffer: bufs[0], Host: make([]uint32, 64)}},
		{GPU: 2, Read: &device.HostCopy{Buffer: bufs[2], Host: out}},
	}
	ts, err := g.Run(t.Context(), cmds)
	require.NoError(t, err)
	assert.Equal(t, uint32(31), out[31])
	end := g.Now()
	last := map[[2]int]float64{}
	for i, c := range cmds {
		assert.GreaterOrEqual(t, ts[i].End, ts[i].Start, i)
		for _, j := range c.After {
			assert.GreaterOrEqual(t, ts[i].Start, ts[j].End, "%d waits for %d", i, j)
		}
		assert.GreaterOrEqual(t, ts[i].Start, last[[2]int{c.GPU, c.Stream}], i)
		last[[2]int{c.GPU, c.Stream}] = ts[i].End
		assert.Greater(t, ts[i].Start, start-g.ClockError(), i)
		assert.Less(t, ts[i].End, end+g.ClockError(), i)
		require.NotNil(t, ts[i].Report, i)
	}
	assert.Less(t, g.ClockError(), 0.01)
	assert.Positive(t, g.ClockError())
	for _, i := range []int{1, 4} {
		assert.Equal(t, 1, ts[i].Report.Launches)
		assert.InDelta(t, 0.030, ts[i].Report.Seconds, 0.025)
	}
	n, ok := ts[0].Report.Counter(device.BytesToDevice)
	assert.True(t, ok)
	assert.EqualValues(t, 256, n)
	assert.Equal(t, 3, g.Total().Launches)
	n, _ = g.Total().Counter(device.BytesToHost)
	assert.EqualValues(t, 512, n)
}

// TestRunAtOnce checks that commands of different GPUs and streams run at the same time.
func TestRunAtOnce(t *testing.T) {
	g := openGroup(t, "2", []int{0, 1}, hw.Options{})
	var cmds []device.Command
	for i := range 2 {
		b := on(t, g, i, "b", 64)
		for s := range 4 {
			cmds = append(cmds, command(t, i, s, "Late", nil, b))
		}
	}
	_, err := g.Run(t.Context(), cmds) // builds the kernels
	require.NoError(t, err)
	ts, err := g.Run(t.Context(), cmds)
	require.NoError(t, err)
	for i := range ts {
		assert.Less(t, ts[i].Start, ts[0].End, i)
	}
}

// TestRunCopies checks long copies, which are made in pieces, and lists that do not fit one request.
func TestRunCopies(t *testing.T) {
	defer hw.SetPiece(hw.SetPiece(100_000))
	defer hw.SetArena(hw.SetArena(12 << 20))
	g := openGroup(t, "2", []int{0, 1}, hw.Options{})
	r := rand.New(rand.NewPCG(3, 4))
	var cmds []device.Command
	var want, got [][]uint32
	for i := range 40 {
		n := r.IntN(300_000)
		a, b := on(t, g, i%2, "a", n), on(t, g, 1-i%2, "b", n)
		w := make([]uint32, n)
		for j := range w {
			w[j] = r.Uint32()
		}
		want, got = append(want, w), append(got, make([]uint32, n))
		k := len(cmds)
		cmds = append(cmds, device.Command{GPU: i % 2, Stream: r.IntN(3), Write: &device.HostCopy{Buffer: a, Host: w}},
			device.Command{GPU: r.IntN(2), Stream: r.IntN(3), Copy: &device.Copy{Dst: b, Src: a}, After: []int{k}},
			device.Command{GPU: 1 - i%2, Stream: r.IntN(3), Read: &device.HostCopy{Buffer: b, Host: got[i]}, After: []int{k + 1}})
	}
	_, err := g.Run(t.Context(), cmds)
	require.NoError(t, err)
	for i := range want {
		require.Equal(t, want[i], got[i], i)
	}
}

// TestRunErrors checks the errors of lists that are not valid; nothing of them runs.
func TestRunErrors(t *testing.T) {
	g := openGroup(t, "2", []int{0, 1}, hw.Options{})
	a, b := on(t, g, 0, "a", 4), on(t, g, 1, "b", 5)
	four := make([]uint32, 4)
	for _, c := range []struct {
		c    device.Command
		want string
	}{
		{device.Command{GPU: 2, Write: &device.HostCopy{Buffer: a, Host: four}}, "command 1: there is no GPU 2 in hw:0,1, which has 2; they are numbered from 0"},
		{device.Command{GPU: 1, Write: &device.HostCopy{Buffer: a, Host: four}}, "command 1 on GPU 1: write: buffer a is on GPU 0, not on GPU 1"},
		{device.Command{GPU: 1, Read: &device.HostCopy{Buffer: b, Host: four}}, "command 1 on GPU 1: read of b: 5 elements of uint32 (20 bytes) to a []uint32 of 16 bytes"},
		{device.Command{Copy: &device.Copy{Dst: a, Src: b}}, "command 1 on GPU 0: copy of b to a: 5 elements to 4; use Buffer.Slice for a part"},
		{device.Command{}, "command 1 on GPU 0: it has no Launch, Copy, Write or Read"},
		{device.Command{Stream: -1, Copy: &device.Copy{Dst: a.Slice(0, 1), Src: a.Slice(1, 2)}}, "command 1 on GPU 0: stream -1; streams are numbered from 0"},
		{device.Command{After: []int{1}, Copy: &device.Copy{Dst: a, Src: a}}, "command 1 on GPU 0: it begins after command 1, which is not earlier in the list"},
		{command(t, 1, 0, "Iota", nil), "command 1 on GPU 1: launch of testkernels.Iota: argument 1 (out []uint32) is missing: the kernel takes (out []uint32)"},
	} {
		ts, err := g.Run(t.Context(), []device.Command{command(t, 0, 0, "Iota", nil, a), c.c})
		assert.EqualError(t, err, c.want)
		require.Len(t, ts, 2)
		assert.Nil(t, ts[0].Report)
		assert.Nil(t, ts[1].Report)
	}
	require.NoError(t, g.Close())
	_, err := g.Run(t.Context(), []device.Command{command(t, 0, 0, "Iota", nil, a)})
	assert.EqualError(t, err, "run: the device is closed")
}

// TestRunFails checks hangs, illegal accesses, crashes and the end of a context: the error names the command, what ended
// before has its report, and all GPUs go on with empty memories.
func TestRunFails(t *testing.T) {
	g := openGroup(t, "2", []int{0, 1}, hw.Options{Deadline: 200 * time.Millisecond})
	try := func(limit time.Duration, name string, args ...any) ([]device.Timing, error) {
		a, b := on(t, g, 0, "a", 64), on(t, g, 1, "b", 64)
		cmds := []device.Command{
			command(t, 0, 0, "Iota", nil, a),
			{GPU: 0, Copy: &device.Copy{Dst: b, Src: a}},
			command(t, 1, 7, name, []int{1}, append([]any{b}, args...)...),
			command(t, 1, 7, "Iota", nil, b),
			command(t, 0, 0, "Late", []int{1}, a),
		}
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		ts, err := g.Run(ctx, cmds)
		require.Less(t, time.Since(start), 5*time.Second)
		require.ErrorContains(t, g.Read(a, make([]uint32, 64)), "read: buffer a", "the old memory is gone")
		for i := range 2 {
			still(t, g.GPU(i).(*hw.Device))
		}
		return ts, err
	}
	ts, err := try(time.Minute, "Spin")
	var hang *device.HangError
	require.ErrorAs(t, err, &hang)
	require.EqualError(t, err, "command 2 on GPU 1: kernel testkernels.Spin hangs: it exceeded its deadline of 200ms on hw:0,1#1 and was killed")
	assert.Equal(t, 1, ts[0].Report.Launches)
	assert.NotNil(t, ts[1].Report)
	assert.Zero(t, ts[2].Report.Launches)
	assert.Nil(t, ts[3].Report)
	assert.Equal(t, 1, ts[4].Report.Launches)

	_, err = try(time.Minute, "Index", 1)
	var f *device.Fault
	require.ErrorAs(t, err, &f)
	require.Regexp(t, `^command 2 on GPU 1: kernel testkernels.Index: cu[A-Za-z]+: CUDA_ERROR_ILLEGAL_ADDRESS \(700\): as the tests want it(, in this launch or in one of 1 that had not ended on GPU 1)?`, err.Error())

	_, err = try(time.Minute, "Endless")
	require.EqualError(t, err, "hw: the child process that holds the GPU ended: the driver fell over")

	_, err = try(100*time.Millisecond, "Spin")
	require.ErrorIs(t, err, context.DeadlineExceeded)

	pid := hw.ChildPID(g.Device)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	_, err = g.Run(t.Context(), nil)
	require.NoError(t, err, "nothing to do")
	_, err = g.GPU(1).Alloc("c", device.U32, 1)
	require.EqualError(t, err, "hw: the child process that holds the GPU ended (signal: killed)")
	still(t, g.GPU(1).(*hw.Device))
}

// TestRunProgress checks that the deadline is that of each launch, not that of the list.
func TestRunProgress(t *testing.T) {
	g := openGroup(t, "2", []int{0, 1}, hw.Options{Deadline: 150 * time.Millisecond})
	var cmds []device.Command
	for range 12 {
		cmds = append(cmds, command(t, 1, 0, "Late", nil, on(t, g, 1, "b", 1)))
	}
	ts, err := g.Run(t.Context(), cmds)
	require.NoError(t, err)
	assert.Greater(t, ts[11].End-ts[0].Start, 0.3)
}

// TestRunChecked checks lists of launches with checks compiled in, which share a record of faults.
func TestRunChecked(t *testing.T) {
	g := openGroup(t, "2", []int{0, 1}, hw.Options{Check: true, Watchdog: true, Deadline: time.Minute})
	a, err := g.GPU(0).Alloc("a", device.U64, 1)
	require.NoError(t, err)
	got := []uint64{0}
	cmds := []device.Command{{GPU: 0, Write: &device.HostCopy{Buffer: a, Host: []uint64{0}}}}
	l := device.Launch{Kernel: kernel(t, "Through"), Grid: 1, Block: 32, Args: []any{a, uint64(0)}}
	for s := range 8 {
		cmds = append(cmds, device.Command{GPU: 0, Stream: s, Launch: &l, After: []int{0}})
	}
	cmds = append(cmds, device.Command{GPU: 0, Read: &device.HostCopy{Buffer: a, Host: got}, After: []int{8}})
	ts, err := g.Run(t.Context(), cmds)
	require.NoError(t, err)
	assert.Equal(t, uint64(8), got[0], "launches of one kernel run one after another")
	for i := 2; i <= 8; i++ {
		assert.GreaterOrEqual(t, ts[i].Start, ts[i-1].Start, i)
	}
}

// TestGroupAnswers checks that answers of launches on several GPUs are not mistaken for each other.
func TestGroupAnswers(t *testing.T) {
	g := openGroup(t, "2", []int{0, 1}, hw.Options{})
	var counts []device.Buffer
	for i := range 2 {
		b, err := g.GPU(i).Alloc("count", device.U64, 1)
		require.NoError(t, err)
		require.NoError(t, g.GPU(i).Write(b, []uint64{0}))
		counts = append(counts, b)
	}
	through := kernel(t, "Through")
	for n := range 20 {
		to := []uint64{99}
		_, err := device.LaunchRead(t.Context(), g.GPU(n%2), device.Launch{Kernel: through, Grid: 1, Block: 32, Args: []any{counts[n%2], uint64(0)}},
			device.Answer{Buffer: counts[n%2], To: to})
		require.NoError(t, err)
		require.EqualValues(t, n/2+1, to[0])
	}
	one, out := []uint64{1}, []uint64{0}
	_, err := device.LaunchRead(t.Context(), g.GPU(1), device.Launch{Kernel: through, Grid: 1, Block: 32, Args: []any{counts[1], uint64(0)}},
		device.Answer{Buffer: counts[1], To: one, Clear: true})
	require.NoError(t, err)
	_, err = g.Run(t.Context(), []device.Command{{GPU: 1, Read: &device.HostCopy{Buffer: counts[1], Host: out}}})
	require.NoError(t, err)
	assert.Equal(t, one, out, "an answer that the GPU has cleared is back before a list runs")
}

// TestGroupInProcess runs a list without a child process, as under a profiler.
func TestGroupInProcess(t *testing.T) {
	fakecuda.Install()
	t.Setenv(worker.InProcess, "1")
	g := openGroup(t, "2", []int{1, 0}, hw.Options{})
	assert.Equal(t, "hw:1,0", g.Name())
	assert.Zero(t, hw.ChildPID(g.Device))
	a, b := on(t, g, 0, "a", 64), on(t, g, 1, "b", 64)
	out := make([]uint32, 64)
	_, err := g.Run(t.Context(), []device.Command{
		command(t, 0, 0, "Iota", nil, a),
		{GPU: 0, Copy: &device.Copy{Dst: b.Slice(0, 32), Src: a.Slice(0, 32)}},
		{GPU: 1, After: []int{1}, Read: &device.HostCopy{Buffer: b, Host: out}},
	})
	require.NoError(t, err)
	assert.Equal(t, uint32(31), out[31])
}
