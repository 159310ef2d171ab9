package compile_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/ptx"
	"github.com/weft-gpu/weft/internal/function"
)

// blockKernel is a kernel with so many live values that it would like more registers than blocks of 1,024 threads leave, under a comment.
func blockKernel(comment string) *compile.Compiler {
	var loads, sums strings.Builder
	for i := range 90 {
		fmt.Fprintf(&loads, "\ta%d := x[t.Idx()+%d]\n", i, i)
		fmt.Fprintf(&sums, "\tx[%d] = a%d * a%d\n", i, i, (i+7)%90)
	}
	source := "package blocks\n\nimport \"github.com/weft-gpu/weft/gpu\"\n\n// K needs many registers.\n//\n" + comment + "\nfunc K(t gpu.Thread, x []uint32) {\n" + loads.String() + "\tt.Sync()\n" + sums.String() + "}\n" +
		"\n// G is generic.\n//\n" + comment + "\nfunc G[V gpu.Num](t gpu.Thread, x []V) { x[t.Idx()] = 1 }\n"
	c := compile.New()
	c.Mount(compile.Module+"/blocks", fstest.MapFS{"blocks.go": {Data: []byte(source)}})
	return c
}

// TestLargestBlock checks that a comment bounds the blocks of a kernel, and the registers with which they fit: by what it prints, and by launches.
func TestLargestBlock(t *testing.T) {
	for _, kernel := range []string{"blocks.K", "blocks.G[uint32]"} {
		free, err := blockKernel("// Nothing.").Kernel(t.Context(), kernel, nil)
		require.NoError(t, err)
		require.Zero(t, free.MaxThreads)
		for threads, registers := range map[int]int{1024: 64, 768: 80, 96: 255} { // 64K registers of an SM, in units of 8 for a thread
			k, err := blockKernel(fmt.Sprintf("//weft:block %d", threads)).Kernel(t.Context(), kernel, nil)
			require.NoError(t, err)
			assert.Equal(t, threads, k.MaxThreads)
			assert.Equal(t, min(registers, free.Registers), k.Registers)
			text, err := ptx.Module(ptx.Options{Target: "sm_90"}, ir.Compiled(k))
			require.NoError(t, err)
			assert.Contains(t, text, fmt.Sprintf(")\n.maxntid %d, 1, 1\n", threads))
			d := function.New(function.Options{})
			x, err := d.Alloc("x", device.U32, 2048)
			require.NoError(t, err)
			require.NoError(t, d.Write(x, make([]uint32, 2048)))
			_, err = d.Launch(t.Context(), device.Launch{Kernel: k, Grid: 1, Block: threads, Args: []any{x}})
			require.NoError(t, err)
			if threads < 1024 {
				_, err = d.Launch(t.Context(), device.Launch{Kernel: k, Grid: 1, Block: threads + 32, Args: []any{x}})
				assert.EqualError(t, err, fmt.Sprintf("launch of %s: a block of %d threads; the kernel is for at most %d (//weft:block)", kernel, threads+32, threads))
			}
		}
	}
	k, err := blockKernel("// Nothing.").Kernel(t.Context(), "blocks.K", nil)
	require.NoError(t, err)
	require.Greater(t, k.Registers, 80, "or there is nothing to bound")
	text, err := ptx.Module(ptx.Options{Target: "sm_90"}, ir.Compiled(k))
	require.NoError(t, err)
	assert.NotContains(t, text, ".maxntid")
}

// TestWrongLargestBlock checks what a comment must say.
func TestWrongLargestBlock(t *testing.T) {
	for _, comment := range []string{"//weft:block", "//weft:block 0", "//weft:block 1025", "//weft:block many", "//weft:block 1 2"} {
		_, err := blockKernel(comment).Kernel(t.Context(), "blocks.K", nil)
		assert.ErrorContains(t, err, "blocks/blocks.go:7:1: //weft:block needs a number of threads from 1 to 1024", comment)
	}
	c := compile.New()
	c.Mount(compile.Module+"/blocks", fstest.MapFS{"blocks.go": {Data: []byte("package blocks\n\nimport \"github.com/weft-gpu/weft/gpu\"\n\n//weft:block 64\n\nfunc K(t gpu.Thread, x []uint32) {\n\tx[0] = 1 //weft:block 32\n}\n")}})
	_, err := c.Kernel(t.Context(), "blocks.K", nil)
	assert.ErrorContains(t, err, "blocks/blocks.go:5:1: //weft:block belongs to the comment of a kernel, right in front of its func")
	assert.ErrorContains(t, err, "blocks/blocks.go:8:11: //weft:block belongs to the comment of a kernel, right in front of its func")
	k, err := blockKernel("//weft:blocks 7").Kernel(t.Context(), "blocks.K", nil)
	require.NoError(t, err)
	assert.Zero(t, k.MaxThreads, "another comment")
}
