package devicetest

import (
	"context"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/testing/testkernels"
)

// shaped launches a kernel with a shape.
func (b *bench) shaped(name string, s device.Shape, args ...any) (*device.Report, error) {
	b.Helper()
	return b.Launch(context.Background(), device.Launch{Kernel: b.kernel(name), Args: args,
		Grid: s.Grid[0], GridY: s.Grid[1], GridZ: s.Grid[2], Block: s.Block[0], BlockY: s.Block[1], BlockZ: s.Block[2]})
}

func testShapes(b *bench) {
	type dim = [3]int
	for _, s := range []device.Shape{
		{Grid: dim{1, 1, 1}, Block: dim{1, 1, 1}}, {Grid: dim{3}, Block: dim{40}}, {Grid: dim{2, 3}, Block: dim{8, 8}},
		{Grid: dim{5, 1, 2}, Block: dim{7, 3, 5}}, {Grid: dim{1, 4, 3}, Block: dim{1, 1, 64}}, {Grid: dim{1, 70, 1}, Block: dim{1, 33, 1}},
		{Grid: dim{2, 1, 1}, Block: dim{32, 32, 1}}, {Grid: dim{1, 1, 9}, Block: dim{16, 8, 8}}, {Grid: dim{2, 2, 2}, Block: dim{3, 1, 2}},
	} {
		full := (&device.Launch{Grid: s.Grid[0], GridY: s.Grid[1], GridZ: s.Grid[2], Block: s.Block[0], BlockY: s.Block[1], BlockZ: s.Block[2]}).Shape()
		blocks, threads := full.Blocks(), full.Threads()
		const n = testkernels.ShapeWords
		out := buffer(b, "out", device.U32, make([]uint32, n*blocks*threads)...)
		_, err := b.shaped("Shapes", s, out)
		require.NoError(b, err)
		got := read[uint32](b, out)
		i := 0
		eachIndex(full.Grid, func(block [3]uint32, _ int) {
			eachIndex(full.Block, func(thread [3]uint32, rank int) {
				var want []uint32
				want = append(append(want, thread[:]...), block[:]...)
				for _, d := range append(full.Block[:], full.Grid[:]...) {
					want = append(want, uint32(d))
				}
				for d := range 3 {
					want = append(want, block[d]*uint32(full.Block[d])+thread[d])
				}
				want = append(want, uint32(rank%32), uint32(rank/32), uint32(rank/32*32), uint32(full.Block[0]*full.Block[2]))
				require.Equal(b, want, got[n*i:n*i+n], "thread %d of %v", i, full)
				i++
			})
		})
		require.NoError(b, b.Free(out))
	}
}

// eachIndex calls f for each index of a grid or block, x fastest.
func eachIndex(dim [3]int, f func(at [3]uint32, n int)) {
	n := 0
	for z := range dim[2] {
		for y := range dim[1] {
			for x := range dim[0] {
				f([3]uint32{uint32(x), uint32(y), uint32(z)}, n)
				n++
			}
		}
	}
}

func testShapeErrors(b *bench) {
	for _, c := range []struct {
		shape device.Shape
		want  string
	}{
		{device.Shape{Grid: [3]int{1}, Block: [3]int{33, 32}}, "a block of 33x32x1 threads; it may have 1 to 1024 in all"},
		{device.Shape{Grid: [3]int{1}, Block: [3]int{1 << 40, 1 << 40, 2}}, "a block of 1099511627776x1099511627776x2 threads; it may have 1 to 1024 in all"},
		{device.Shape{Grid: [3]int{1}, Block: [3]int{1, 1, 65}}, "a block of 1x1x65 threads; it may be 64 deep"},
		{device.Shape{Grid: [3]int{1}, Block: [3]int{1, -1, 1}}, "a block of 1x-1x1 threads; each dimension is at least 1"},
		{device.Shape{Grid: [3]int{1, 65536}, Block: [3]int{1}}, "a grid of 1x65536x1 blocks; its second and third dimension are 1 to 65535"},
		{device.Shape{Grid: [3]int{1, 1, -2}, Block: [3]int{1}}, "a grid of 1x1x-2 blocks; its second and third dimension are 1 to 65535"},
	} {
		_, err := b.shaped("Iota", c.shape, nil)
		var arg *device.ArgError
		require.ErrorAs(b, err, &arg)
		assert.Equal(b, c.want, arg.What)
	}
}

// testShapeFaults checks that errors name block and thread by their coordinates in the
// launch.
func testShapeFaults(b *bench) {
	if b.traits.Faults {
		data := buffer(b, "data", device.U32, make([]uint32, 10)...)
		_, err := b.shaped("ShapeIndex", device.Shape{Grid: [3]int{3, 4}, Block: [3]int{5, 2}}, data, 10)
		var f *device.Fault
		require.ErrorAs(b, err, &f)
		assert.Equal(b, []int{7, 8}, []int{f.Block, f.Thread})
		assert.ErrorContains(b, err, "index 10 out of range of s with length 10 (block (1,2), thread (3,1))")
		_, err = b.shaped("ShapeTrap", device.Shape{Grid: [3]int{2, 2, 2}, Block: [3]int{4, 2, 3}})
		assert.ErrorContains(b, err, "panic: this one (block (0,1,1), thread (0,0,0))")
	}
	if b.traits.Hangs {
		_, err := b.shaped("ShapeSpin", device.Shape{Grid: [3]int{2, 2}, Block: [3]int{4, 8}}, buffer(b, "word", device.U32, uint32(0)))
		var hang *device.HangError
		require.ErrorAs(b, err, &hang)
		require.NotEmpty(b, hang.Waiting)
		assert.Regexp(b, `blocks? \([01],1\).*, warp 0`, err.Error())
	}
}
