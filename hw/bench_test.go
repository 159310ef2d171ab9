//go:build cgo && linux

package hw_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/scheduler"
)

// openBench opens the GPU or, if there is none, the fake device of the tests, which shows the cost of the path to the
// driver.
func openBench(b *testing.B) *hw.Device {
	b.Helper()
	d, err := hw.Open("hw", 0, hw.Options{})
	if hw.IsMissing(err) {
		return openFake(b, hw.Options{})
	}
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, d.Close()) })
	b.Log(d.Info().Name)
	return d
}

// BenchmarkAnswer launches a kernel that does almost nothing and reads four bytes, in one request and in steps.
func BenchmarkAnswer(b *testing.B) {
	for name, ask := range map[string]func(*testing.B, device.Device, device.Launch, device.Answer) error{
		"one": func(b *testing.B, d device.Device, l device.Launch, a device.Answer) error {
			_, err := device.LaunchRead(b.Context(), d, l, a)
			return err
		},
		"steps": func(b *testing.B, d device.Device, l device.Launch, a device.Answer) error {
			_, err := device.LaunchThenRead(b.Context(), d, l, a)
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			d := openBench(b)
			w, err := d.Alloc("word", device.U32, 1)
			require.NoError(b, err)
			l := device.Launch{Kernel: kernel(b, "Iota"), Grid: 1, Block: 1, Args: []any{w}}
			a := device.Answer{Buffer: w, To: make([]uint32, 1), Clear: true}
			require.NoError(b, ask(b, d, l, a))
			var times []time.Duration
			for b.Loop() {
				start := time.Now()
				require.NoError(b, ask(b, d, l, a))
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "ns/median")
			b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds()), "ns/99%")
		})
	}
}

// BenchmarkStep is BenchmarkAnswer with the arguments of a scheme: a graph, values and two queues.
func BenchmarkStep(b *testing.B) {
	d := openBench(b)
	kernels, err := catalog.Kernels()
	require.NoError(b, err)
	k, err := kernels.Kernel(b.Context(), "bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]", nil)
	require.NoError(b, err)
	const vertices = 32
	words := func(name string, n int) device.Buffer {
		buf, err := d.Alloc(name, device.U32, n)
		require.NoError(b, err)
		require.NoError(b, d.Write(buf, make([]uint32, n)))
		return buf
	}
	g := scheduler.GraphArg{Row: words("g.Row", vertices+1), Col: words("g.Col", 1), Weight: words("g.Weight", 1)}
	next := scheduler.QueueArg{Vertices: words("queue", vertices), Count: words("queue.Count", 1), Stamp: words("queue.Stamp", vertices), Iteration: 1}
	l := device.Launch{Kernel: k, Grid: 1, Block: 128, Args: []any{struct{}{}, g, words("values", vertices),
		scheduler.FrontierArg{Vertices: words("queue", vertices), Count: 1}, next}}
	a := device.Answer{Buffer: next.Count, To: make([]uint32, 1), Clear: true}
	b.ReportAllocs()
	for b.Loop() {
		_, err := device.LaunchRead(b.Context(), d, l, a)
		require.NoError(b, err)
	}
}

// BenchmarkCopy copies 100 MB to and from host memory.
func BenchmarkCopy(b *testing.B) {
	for name, do := range map[string]func(*hw.Device, device.Buffer, []byte) error{
		"write": func(d *hw.Device, buf device.Buffer, p []byte) error { return d.Write(buf, p) },
		"read":  func(d *hw.Device, buf device.Buffer, p []byte) error { return d.Read(buf, p) },
	} {
		b.Run(name, func(b *testing.B) {
			d := openBench(b)
			data := make([]byte, 100_000_000)
			for i := range data {
				data[i] = byte(i)
			}
			buf, err := d.Alloc("bytes", device.U8, len(data))
			require.NoError(b, err)
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				require.NoError(b, do(d, buf, data))
			}
		})
	}
}
