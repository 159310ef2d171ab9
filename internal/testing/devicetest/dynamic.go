package devicetest

import (
	"context"
	"errors"
	"slices"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// dynamic launches a kernel with the given number of bytes of dynamic shared memory per
// block.
func (b *bench) dynamic(name string, grid, block, bytes int, args ...any) error {
	b.Helper()
	_, err := b.Launch(context.Background(), device.Launch{Kernel: b.kernel(name), Grid: grid, Block: block, DynamicShared: bytes, Args: args})
	return err
}

func testDynamic(b *bench) {
	for _, c := range []struct{ block, bytes int }{{32, 128}, {33, 135}, {1000, 4000}, {64, 4096}, {96, 47 << 10}, {1024, 80 << 10}} {
		in := make([]uint32, 3*c.block)
		want := make([]uint32, len(in))
		for i := range in {
			in[i] = uint32(i * 3)
		}
		for i := range 3 {
			part := slices.Clone(in[i*c.block : (i+1)*c.block])
			slices.Reverse(part)
			for k, v := range part {
				want[i*c.block+k] = v + 7
			}
		}
		data, length := buffer(b, "data", device.U32, in...), buffer(b, "length", device.U32, in...)
		err := b.dynamic("DynamicReverse", 3, c.block, c.bytes, data, length)
		if arg := new(device.ArgError); c.bytes > 32<<10 && errors.As(err, &arg) {
			require.Contains(b, arg.What, "bytes of shared memory", "not every device has so much")
			continue
		}
		require.NoError(b, err)
		require.Equal(b, want, read[uint32](b, data), "blocks of %d", c.block)
		require.Equal(b, slices.Repeat([]uint32{uint32(c.bytes / 4)}, len(in)), read[uint32](b, length))
	}
	const n = 45
	out, wide := buffer(b, "out", device.U32, make([]uint32, n)...), buffer(b, "wide", device.U64, make([]uint64, n)...)
	require.NoError(b, b.dynamic("DynamicViews", 1, n, 4*46+8*n, out, wide))
	for i, v := range read[uint32](b, out) {
		x := uint32((i + 1) % n * 0x01020304)
		require.Equal(b, x>>8&0xff, v, "thread %d", i)
	}
	for i, v := range read[uint64](b, wide) {
		require.Equal(b, uint64(i)<<40+uint64((i+n-1)%n), v, "thread %d", i)
	}
}

func testDynamicFaults(b *bench) {
	out := buffer(b, "out", device.U32, make([]uint32, 64)...)
	if b.traits.Faults {
		for _, c := range []struct {
			index, bytes int
			want         string
		}{
			{25, 100, "index 25 out of range of q with length 25"}, {-1, 100, "index -1 out of range of q with length 25"},
			{0, 0, "index 0 out of range of q with length 0"}, {25, 103, "index 25 out of range of q with length 25"},
		} {
			err := b.dynamic("DynamicIndex", 2, 1, c.bytes, c.index, out)
			var f *device.Fault
			require.ErrorAs(b, err, &f)
			assert.Equal(b, c.want, f.What)
		}
	}
	require.NoError(b, b.dynamic("DynamicIndex", 2, 1, 100, 24, out))
	assert.Equal(b, uint32(3), read[uint32](b, out)[0])
	if b.strict() {
		err := b.dynamic("DynamicUnwritten", 1, 64, 256, out)
		assert.ErrorContains(b, err, "element 5 of shared q is read, but no thread of the block has written it")
	}
	var arg *device.ArgError
	require.ErrorAs(b, b.dynamic("DynamicIndex", 1, 1, -4, 0, out), &arg)
	assert.Equal(b, "-4 bytes of dynamic shared memory", arg.What)
	require.ErrorAs(b, b.dynamic("DynamicIndex", 1, 1, 1<<30, 0, out), &arg)
	assert.Contains(b, arg.What, "a block takes 1073741824 bytes of shared memory; ")
}
