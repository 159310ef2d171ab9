package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// TestHost adds up by hand what the host of a small machine takes for each operation.
func TestHost(t *testing.T) {
	d := open(t, "tiny")
	var kernels [2]*device.Kernel
	for i, name := range []string{"one", "two"} {
		a := newAsm(name, 0, 0)
		a.op(ir.OpExit, ir.Void, -1)
		kernels[i] = a.kernel(t)
	}
	c, l := d.cfg.Copy, d.cfg.Launch
	word := upload(t, d, "word", device.U32, []uint32{7})
	kernel := launch(t, d, kernels[0], 1, 32).Seconds * 1e6 // the same each time
	took := func(do func()) float64 {
		before := d.Now()
		do()
		return (d.Now() - before) * 1e6
	}
	at := func(i int) func() { return func() { launch(t, d, kernels[i], 1, 32) } }
	to := make([]uint32, 1)
	ask := func(clear bool) func() {
		return func() {
			_, err := device.LaunchRead(t.Context(), d, device.Launch{Kernel: kernels[0], Grid: 1, Block: 32}, device.Answer{Buffer: word, To: to, Clear: clear})
			require.NoError(t, err)
		}
	}
	near := func(want, got float64, what string) {
		t.Helper()
		assert.InDelta(t, want, got, 1e-9, what)
	}
	near(kernel+l.Sync, took(at(0)), "a kernel that was launched before")
	near(l.First+kernel+l.Sync, took(at(1)), "the first launch of another one")
	near(kernel+l.Sync+c.Answer, took(ask(false)), "an answer")
	assert.Equal(t, []uint32{7}, to)
	near(kernel+l.Sync+c.Answer, took(ask(true)), "an answer that the GPU clears")
	assert.Equal(t, []uint32{0}, to)
	near(c.Latency+4/(c.Rate*1e3), took(func() { require.NoError(t, d.Write(word, to)) }), "a write of 4 bytes")
	near(c.Latency+4/(c.Rate*1e3), took(func() { require.NoError(t, d.Read(word, to)) }), "a read of 4 bytes")
	near(l.Step, took(func() { device.HostStep(device.Wrapper{Device: d}) }), "a step of a host loop")
	upload(t, d, "more", device.U32, make([]uint32, hostCache/16))
	upload(t, d, "and more", device.U32, make([]uint32, hostCache/16))
	near(l.Cold*(0.5+4.0/hostCache)+l.First+kernel+l.Sync, took(at(0)), "the first launch since memory was allocated")
	near(l.First+kernel+l.Sync, took(at(1)), "the first one of another kernel")
	near(kernel+l.Sync, took(at(0)), "and then as before")
	upload(t, d, "much", device.U32, make([]uint32, hostCache))
	near(l.Cold+l.First+kernel+l.Sync, took(at(0)), "the first launch after more was copied than the caches of the host hold")
	_, err := d.Alloc("nothing in it", device.U32, 1)
	require.NoError(t, err)
	near(l.First+kernel+l.Sync, took(at(0)), "and after an allocation alone")
	w := d.HostWork()
	launches := float64(d.Total().Launches)
	assert.InDelta(t, d.Now(), HostSeconds(d.cfg, w)+launches*kernel*1e-6, 1e-12, "the same from the work of the host: %+v", w)
	assert.Equal(t, device.HostWork{Steps: 2, Waits: 1, Copies: 3, Bytes: 5, Cold: 0.5},
		device.HostWork{Steps: 5, Waits: 4, Copies: 4, Bytes: 9, Cold: 1.5, First: 1}.Since(device.HostWork{Steps: 3, Waits: 3, Copies: 1, Bytes: 4, Cold: 1, First: 1}))
}

// TestAnswerCounts checks that an answer's bytes are counted as those of copies, and that long ones are copied.
func TestAnswerCounts(t *testing.T) {
	d := open(t, "tiny")
	a := newAsm("one", 0, 0)
	a.op(ir.OpExit, ir.Void, -1)
	l := device.Launch{Kernel: a.kernel(t), Grid: 1, Block: 32}
	words := upload(t, d, "words", device.U32, make([]uint32, 300))
	for _, c := range []struct {
		n       int
		clear   bool
		copied  int
		seconds float64
	}{
		{256, false, 4 * 256, d.cfg.Copy.Answer},
		{257, false, 4 * 257, d.cfg.Copy.Latency},
		{257, true, 8 * 257, 2 * d.cfg.Copy.Latency},
	} {
		launch(t, d, l.Kernel, 1, 32)
		before, start := d.Total(), d.Now()
		r, err := device.LaunchRead(t.Context(), d, l, device.Answer{Buffer: words.Slice(0, c.n), To: make([]uint32, c.n), Clear: c.clear})
		require.NoError(t, err)
		assert.InDelta(t, c.seconds, (d.Now()-start-r.Seconds)*1e6-d.cfg.Launch.Sync, 0.5)
		assert.InDelta(t, c.copied, copied(t, d.Total())-copied(t, before), 0)
	}
	_, err := device.LaunchRead(t.Context(), d, l, device.Answer{Buffer: words, To: make([]uint32, 3)})
	require.ErrorContains(t, err, "words")
	var nothing device.Buffer
	_, err = device.LaunchRead(t.Context(), d, l, device.Answer{Buffer: nothing, To: make([]uint32, 1)})
	require.Error(t, err)
}

func copied(t *testing.T, r *device.Report) float64 {
	return count(t, r, device.BytesToDevice) + count(t, r, device.BytesToHost)
}
