package devicetest

import (
	"context"
	"math"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// fault launches a kernel that must fail.
func (b *bench) fault(name string, grid, block int, args ...any) *device.Fault {
	b.Helper()
	_, err := b.launch(name, grid, block, args...)
	var f *device.Fault
	require.ErrorAs(b, err, &f)
	assert.Equal(b, "testkernels."+name, f.Kernel)
	require.NotEmpty(b, f.At, "a fault has a position: %v", f)
	assert.Positive(b, f.At[0].Line)
	assert.Contains(b, err.Error(), f.What)
	return f
}

func testFaults(b *bench) {
	if !b.traits.Faults {
		b.Skip("the device does not promise it")
	}
	data := buffer(b, "data", device.U32, make([]uint32, 10)...)
	for _, c := range []struct {
		index int
		want  string
	}{
		{10, "index 10 out of range of s with length 10"},
		{-1, "index -1 out of range of s with length 10"},
		{1 << 37, "index 137438953472 out of range of s with length 10"},
		{math.MinInt32, "index -2147483648 out of range of s with length 10"},
	} {
		f := b.fault("Index", 4, 16, data, c.index)
		assert.Equal(b, c.want, f.What)
		assert.Equal(b, []any{"data", int64(c.index), int64(10), 2, 5}, []any{f.Buffer, f.Index, f.Length, f.Block, f.Thread})
		assert.Contains(b, f.At[0].File, "testkernels/memory.go")
		assert.Equal(b, "s[i] = 1", line(b, f.At[0]))
	}
	b.must("Index", 4, 16, data, 9)
	assert.Equal(b, uint32(1), read[uint32](b, data)[9], "the device goes on after a fault")

	part := b.fault("Index", 4, 16, data.Slice(2, 6), 5)
	assert.Equal(b, "index 5 out of range of s with length 4", part.What, "a slice ends where it ends, not where the buffer does")
	none := b.fault("Index", 4, 16, nil, 0)
	assert.Equal(b, "index 0 out of range of s with length 0", none.What)

	in := b.fault("Inlined", 1, 32, data, 77)
	assert.Equal(b, "index 77 out of range of s with length 10", in.What)
	require.Len(b, in.At, 2, "the access, and the call that was inlined")
	assert.Equal(b, "func touch(s []uint32, i uint32) { s[i]++ }", line(b, in.At[0]))
	assert.Equal(b, "touch(s, i)", line(b, in.At[1]))

	word := buffer(b, "word", device.S32, int32(0))
	f := b.fault("Divide", 1, 32, word, 5, 0)
	assert.Equal(b, "integer division by zero", f.What)
	assert.Equal(b, []int{0, 1}, []int{f.Block, f.Thread})
	assert.Equal(b, "out[0] = a / b", line(b, f.At[0]))
	b.must("Divide", 1, 32, word, math.MinInt32, -1)
	assert.Equal(b, []int32{math.MinInt32}, read[int32](b, word))

	f = b.fault("Trap", 3, 20, 45)
	assert.Equal(b, "panic: thread is not welcome", f.What)
	assert.Equal(b, []int{2, 5}, []int{f.Block, f.Thread})
	b.must("Trap", 3, 20, 60)

	f = b.fault("Through", 1, 32, nil, 1)
	assert.Equal(b, "store through the nil pointer p", f.What)
	f = b.fault("Vector", 1, 1, data, data, 2)
	assert.Contains(b, f.What, "load of 16 bytes of in at byte offset 8, which is not a multiple of 16")
	f = b.fault("Vector", 1, 1, data, data, 8)
	assert.Equal(b, "indices 8 to 11 out of range of in with length 10", f.What)
}

func testStrict(b *bench) {
	if !b.strict() {
		b.Skip("the device does not promise it")
	}
	out := buffer(b, "out", device.U32, make([]uint32, 64)...)
	f := b.fault("Unwritten", 1, 64, out)
	assert.Equal(b, "element 5 of shared q is read, but no thread of the block has written it", f.What)
	assert.Equal(b, 5, f.Thread)
	in, err := b.Alloc("in", device.U32, 64)
	require.NoError(b, err)
	require.NoError(b, b.Write(in.Slice(0, 9), make([]uint32, 9)))
	b.must("UnwrittenGlobal", 1, 64, in, out.Slice(0, 9))
	f = b.fault("UnwrittenGlobal", 1, 64, in, out)
	assert.Equal(b, "element 9 of in is read, but neither the host nor a thread has written it", f.What)
	assert.Equal(b, []any{"in", int64(9), int64(64), 9}, []any{f.Buffer, f.Index, f.Length, f.Thread})
	assert.Equal(b, "out[i] = in[i]", line(b, f.At[0]))
	if b.traits.Strict && b.traits.Independent {
		return // there the lanes that are named may still come, so that it is a hang
	}
	f = b.fault("Misuse", 1, 64, out)
	assert.Contains(b, f.What, "mask ffffffff of ballot names lanes ffffff00, which are not here")
	assert.Equal(b, "out[t.Lane()] = t.Ballot(gpu.FullMask, true)", line(b, f.At[0]))
}

func testHangs(b *bench) {
	if !b.traits.Hangs {
		b.Skip("the device does not promise it")
	}
	for _, c := range []struct {
		kernel string
		lines  []string // the lines at which threads wait
	}{
		{"Spin", []string{"for gpu.Load(word) == 0 {"}},
		{"Late", []string{"for gpu.Load(word) == 0 {", "t.Sync()"}},
		{"Split", []string{"t.Sync()"}},
	} {
		word := buffer(b, "word", device.U32, uint32(0))
		_, err := b.launch(c.kernel, 3, 64, word)
		var hang *device.HangError
		require.ErrorAs(b, err, &hang, c.kernel)
		assert.Equal(b, "testkernels."+c.kernel, hang.Kernel)
		assert.NotEmpty(b, hang.What)
		assert.LessOrEqual(b, len(hang.Waiting), device.MaxWaits)
		var lines []string
		for _, w := range hang.Waiting {
			assert.NotEmpty(b, w.Why)
			assert.NotZero(b, w.Threads)
			require.NotEmpty(b, w.At)
			lines = append(lines, line(b, w.At[0]))
		}
		for _, want := range c.lines {
			assert.Contains(b, lines, want, c.kernel)
		}
	}
	b.must("Spin", 3, 64, buffer(b, "set", device.U32, uint32(1)))
}

// polled is a context that is canceled after it was checked a number of times: during a
// launch, however fast the machine is.
type polled struct {
	context.Context
	left int
}

func (p *polled) Err() error {
	if p.left--; p.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

func testCancel(b *bench) {
	word := buffer(b, "word", device.U32, uint32(0))
	var ctx context.Context = &polled{Context: context.Background(), left: 5}
	if !b.traits.Keeps { // such a device waits for ctx and does not check it
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
	}
	rep, err := b.Launch(ctx, device.Launch{Kernel: b.kernel("Endless"), Grid: 2, Block: 64, Args: []any{word}})
	require.ErrorIs(b, err, context.DeadlineExceeded)
	require.NotNil(b, rep, "what happened so far")
	if !b.traits.Keeps {
		b.must("Iota", 1, 32, buffer(b, "new", device.U32, uint32(0)))
		return
	}
	n, ok := rep.Counter("smsp__inst_executed.sum")
	assert.True(b, ok)
	assert.Positive(b, n)
	assert.Positive(b, read[uint32](b, word)[0], "what the kernel did stays")

	done, stop := context.WithCancel(context.Background())
	stop()
	_, err = b.Launch(done, device.Launch{Kernel: b.kernel("Iota"), Grid: 1, Block: 32, Args: []any{word}})
	assert.ErrorIs(b, err, context.Canceled)
	b.must("Iota", 1, 32, word)
	assert.Equal(b, []uint32{1}, read[uint32](b, word))
}
