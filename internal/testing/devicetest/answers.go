package devicetest

import (
	"context"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// testAnswers checks that LaunchRead is equivalent to its separate steps, whatever happens
// between two calls.
func testAnswers(b *bench) {
	const n = 3 * 40
	next, tickets := buffer(b, "next", device.U32, []uint32{100, 7, 8}...), buffer(b, "tickets", device.U32, make([]uint32, n)...)
	first := next.Slice(0, 1)
	l := device.Launch{Kernel: b.kernel("Tickets"), Grid: 3, Block: 40, Args: []any{first, tickets}}
	ask := func(clear bool, want ...uint32) {
		b.Helper()
		to := make([]uint32, 4)
		rep, err := device.LaunchRead(context.Background(), b.Device, l, device.Answer{Buffer: next.Slice(0, 2), To: to, Clear: clear})
		require.NoError(b, err)
		require.Equal(b, 1, rep.Launches)
		require.Equal(b, append(want, 0, 0), to)
	}
	ask(false, 100+n, 7)
	ask(false, 100+2*n, 7)
	for range 3 {
		ask(true, n, 0)
	}
	require.Equal(b, []uint32{n, 0, 8}, read[uint32](b, next), "the answer stays")
	ask(true, n, 0)
	b.must("Tickets", 1, 5, first, tickets)
	require.Equal(b, []uint32{n + 5, 0, 8}, read[uint32](b, next), "a launch finds the answer of the one before")
	ask(true, n, 0)
	ask(false, 2*n, 0)
	ask(true, n, 0)
	require.NoError(b, b.Write(next.Slice(1, 2), []uint32{9}))
	ask(false, 2*n, 9)
	require.Equal(b, []uint32{2 * n, 9, 8}, read[uint32](b, next))

	before := b.Total()
	ask(true, n, 0)
	for _, name := range []string{device.BytesToDevice, device.BytesToHost} {
		was, _ := before.Counter(name)
		is, ok := b.Total().Counter(name)
		require.True(b, ok)
		require.EqualValues(b, 8, is-was, "%s: as by the steps", name)
	}

	for _, c := range []struct {
		to   any
		want string
	}{
		{make([]uint32, 1), "2 elements of uint32 (8 bytes) to a []uint32 of 4 bytes"},
		{make([]float32, 2), "want a slice of uint32, got []float32"},
		{nil, "want a slice of uint32, got nil"},
	} {
		_, err := device.LaunchRead(context.Background(), b.Device, l, device.Answer{Buffer: next.Slice(0, 2), To: c.to})
		require.ErrorContains(b, err, c.want)
	}
	b.must("Tickets", 1, 1, first, tickets)
}
