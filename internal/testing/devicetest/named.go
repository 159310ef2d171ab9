package devicetest

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

func testNamed(b *bench) {
	const grid, block, rounds = 3, 256, 20
	out := buffer(b, "out", device.U32, make([]uint32, grid*block)...)
	b.must("Pipeline", grid, block, uint32(rounds), out)
	for i, got := range read[uint32](b, out) {
		first := uint32(i - i%block + i%32) // the same lane of the first warp
		warp := uint32(i % block / 32)
		want := uint32(0)
		for r := range uint32(rounds) {
			want += first + r + warp
		}
		require.Equal(b, want, got, "thread %d", i)
	}
	halves := buffer(b, "out", device.U32, make([]uint32, 2*128)...)
	b.must("Halves", 2, 128, halves)
	for i, got := range read[uint32](b, halves) {
		h, j := i%128/64*64, i%64
		require.Equal(b, uint32(h+(j+8)%64+28), got, "thread %d", i)
	}
	if !b.traits.Hangs {
		return // hardware does not report the cause
	}
	_, err := b.launch("Unmet", 1, 64, uint32(5), uint32(96), out)
	var hang *device.HangError
	require.ErrorAs(b, err, &hang)
	require.NotEmpty(b, hang.Waiting)
	for _, w := range hang.Waiting {
		assert.Equal(b, "waits at barrier 5, which 64 of 96 threads have reached", w.Why)
		assert.Equal(b, "t.SyncNamed(id, threads)", line(b, w.At[0]))
	}
	for _, c := range []struct {
		name string
		args []any
		want string
	}{
		{"Unmet", []any{uint32(0), uint32(64), out}, "SyncNamed of barrier 0; a block has barriers 1 to 15"},
		{"Unmet", []any{uint32(16), uint32(64), out}, "SyncNamed of barrier 16; a block has barriers 1 to 15"},
		{"Unmet", []any{uint32(1), uint32(40), out}, "SyncNamed of 40 threads; the number must be a multiple of 32, up to 1024"},
		{"Counts", []any{out}, " threads, where others have come to it for "},
	} {
		_, err := b.launch(c.name, 1, 64, c.args...)
		var f *device.Fault
		require.ErrorAs(b, err, &f, c.want)
		assert.Contains(b, f.What, c.want)
	}
}
