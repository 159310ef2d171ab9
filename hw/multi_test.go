package hw_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/testing/devicetest"
)

// openTwo opens two real GPUs; nil if this machine has fewer.
func openTwo(t *testing.T, opts hw.Options) *hw.Group {
	t.Helper()
	g, err := hw.OpenGroup(t.Context(), []int{0, 1}, opts)
	if hw.IsMissing(err) {
		require.Regexp(t, "^(no CUDA driver|the CUDA driver finds no usable GPU|this program was built without cgo|no GPU 1: this machine has 1, numbered from 0).*", err.Error())
		return nil
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	return g
}

// TestGroupContract checks two GPUs against the contract of groups, with checks compiled in and without.
func TestGroupContract(t *testing.T) {
	for name, opts := range map[string]hw.Options{"fast": {}, "checked": {Check: true}} {
		if openTwo(t, opts) == nil {
			return
		}
		t.Run(name, func(t *testing.T) {
			devicetest.GroupContract(t, func(t *testing.T) device.Group {
				g, err := hw.OpenGroup(t.Context(), []int{0, 1}, opts)
				require.NoError(t, err)
				return g
			}, devicetest.Traits{Faults: opts.Check})
		})
	}
}

// alloc allocates words of a GPU and fills them.
func alloc(t *testing.T, d device.Device, name string, data []uint32) device.Buffer {
	t.Helper()
	b, err := d.Alloc(name, device.U32, len(data))
	require.NoError(t, err)
	require.NoError(t, d.Write(b, data))
	return b
}

// TestTwoGPUs runs a chain over two GPUs many times: a launch on one, a copy, a launch with remote accesses on the other
// one, copies by the host. It logs how the GPUs reach each other and how long copies take.
func TestTwoGPUs(t *testing.T) {
	for name, opts := range map[string]hw.Options{"fast": {}, "checked": {Check: true, Watchdog: true, Deadline: 5 * time.Second}} {
		g := openTwo(t, opts)
		if g == nil {
			return
		}
		for i := range 2 {
			t.Logf("%s: %+v; to the other: %+v", name, g.GPU(i).(*hw.Device).Info(), g.Peer(i, 1-i))
		}
		kernels, err := devicetest.Kernels()
		require.NoError(t, err)
		iota, err := kernels.Kernel(t.Context(), "testkernels.Iota", nil)
		require.NoError(t, err)
		histogram, err := kernels.Kernel(t.Context(), "testkernels.Histogram", nil)
		require.NoError(t, err)
		const n = 1 << 20
		zero := make([]uint32, n)
		a, b, out := alloc(t, g.GPU(0), "a", zero), alloc(t, g.GPU(1), "b", zero), alloc(t, g.GPU(0), "out", zero[:16])
		back := make([]uint32, n)
		counts := make([]uint32, 16)
		for round := range 20 {
			cmds := []device.Command{
				{GPU: 0, Write: &device.HostCopy{Buffer: a, Host: zero}},
				{GPU: 1, Stream: 1, Write: &device.HostCopy{Buffer: b, Host: zero}},
				{GPU: 0, Write: &device.HostCopy{Buffer: out, Host: zero[:16]}},
				{GPU: 0, Launch: &device.Launch{Kernel: iota, Grid: n / 256, Block: 256, Args: []any{a}}},
				{GPU: round % 2, Stream: 2, Copy: &device.Copy{Dst: b, Src: a}, After: []int{1, 3}},
				{GPU: 1, Read: &device.HostCopy{Buffer: b, Host: back}, After: []int{4}},
			}
			if g.Peer(1, 0).Access && g.Peer(1, 0).Atomics {
				cmds = append(cmds, device.Command{GPU: 1, Stream: 3, Launch: &device.Launch{Kernel: histogram, Grid: 64, Block: 256, Args: []any{a, out}}, After: []int{2, 3}},
					device.Command{GPU: 0, Stream: 4, Read: &device.HostCopy{Buffer: out, Host: counts}, After: []int{6}})
			}
			ts, err := g.Run(t.Context(), cmds)
			require.NoError(t, err)
			for i, v := range back {
				require.EqualValues(t, i+1, v)
			}
			if len(cmds) > 6 {
				for _, v := range counts {
					require.EqualValues(t, n/16, v)
				}
			}
			for i, c := range cmds {
				for _, j := range c.After {
					require.GreaterOrEqual(t, ts[i].Start, ts[j].End)
				}
			}
			if round > 17 {
				t.Logf("4 MiB between the GPUs: %.1f us; to the host: %.1f us; clocks agree within %.1f us", (ts[4].End-ts[4].Start)*1e6, (ts[5].End-ts[5].Start)*1e6, g.ClockError()*1e6)
			}
			clear(back)
		}
		t.Logf("%+v", g.Links())
	}
}

// TestTwoGPUsAtOnce checks that kernels of two GPUs overlap in time, which also shows that their clocks agree.
func TestTwoGPUsAtOnce(t *testing.T) {
	g := openTwo(t, hw.Options{})
	if g == nil {
		return
	}
	kernels, err := devicetest.Kernels()
	require.NoError(t, err)
	k, err := kernels.Kernel(t.Context(), "testkernels.Histogram", nil)
	require.NoError(t, err)
	var cmds []device.Command
	for i := range 2 {
		in, out := alloc(t, g.GPU(i), "in", make([]uint32, 1<<26)), alloc(t, g.GPU(i), "out", make([]uint32, 16))
		cmds = append(cmds, device.Command{GPU: i, Launch: &device.Launch{Kernel: k, Grid: 8, Block: 256, Args: []any{in, out}}})
	}
	for range 3 {
		ts, err := g.Run(t.Context(), cmds)
		require.NoError(t, err)
		t.Logf("%.1f to %.1f us, and %.1f to %.1f us", 0.0, (ts[0].End-ts[0].Start)*1e6, (ts[1].Start-ts[0].Start)*1e6, (ts[1].End-ts[0].Start)*1e6)
		assert.Less(t, ts[1].Start, ts[0].End)
		assert.InEpsilon(t, ts[0].Report.Seconds, ts[1].Report.Seconds, 0.2)
	}
}

// TestTwoGPUsFail runs an endless loop and an illegal access on the second GPU.
func TestTwoGPUsFail(t *testing.T) {
	for _, c := range []struct {
		opts         hw.Options
		kernel, says string
		args         []any
	}{
		{hw.Options{Watchdog: true, Deadline: 300 * time.Millisecond}, "Spin", "command 1 on GPU 1: kernel testkernels.Spin hangs: threads still looped after 300ms", nil},
		{hw.Options{Deadline: 300 * time.Millisecond}, "Spin", "command 1 on GPU 1: kernel testkernels.Spin hangs: it exceeded its deadline of 300ms on hw:0,1#1 and was killed", nil},
		{hw.Options{}, "Index", "CUDA_ERROR_ILLEGAL_ADDRESS", []any{1 << 37}},
		{hw.Options{Check: true}, "Index", "command 1 on GPU 1: kernel testkernels.Index:", []any{1 << 37}},
	} {
		g := openTwo(t, c.opts)
		if g == nil {
			return
		}
		kernels, err := devicetest.Kernels()
		require.NoError(t, err)
		k, err := kernels.Kernel(t.Context(), "testkernels."+c.kernel, nil)
		require.NoError(t, err)
		iota, err := kernels.Kernel(t.Context(), "testkernels.Iota", nil)
		require.NoError(t, err)
		a, b := alloc(t, g.GPU(0), "a", make([]uint32, 64)), alloc(t, g.GPU(1), "b", make([]uint32, 64))
		_, err = g.Run(t.Context(), []device.Command{
			{GPU: 0, Launch: &device.Launch{Kernel: iota, Grid: 1, Block: 64, Args: []any{a}}},
			{GPU: 1, Launch: &device.Launch{Kernel: k, Grid: 4, Block: 16, Args: append([]any{b}, c.args...)}},
		})
		t.Log(err)
		require.ErrorContains(t, err, c.says)
		for i := range 2 {
			require.NoError(t, launch(t, g.GPU(i), "Iota", 1, 32, word(t, g.GPU(i))))
		}
	}
}
