package readptx_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/ptx"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/testing/testkernels"
)

// TestRereadChecks runs copies that PTX leaves undefined, with the checks that a module for a real GPU has, and compares what threads
// record with offsets that are computed by hand: buffers of 192 words are copied to a shared variable of 64.
func TestRereadChecks(t *testing.T) {
	const words = 192
	for _, c := range []struct {
		kernel       string
		what         uint32
		kind, offset uint64
	}{
		{"BulkMisuse", 0, ptx.FaultBulkSize, 12},
		{"BulkMisuse", 1, ptx.FaultToAlign, 4},
		{"BulkMisuse", 2, ptx.FaultAlign, 8},
		{"BulkMisuse", 3, ptx.FaultToBounds, 48*4 + 32*4 - 16},
		{"BulkMisuse", 4, ptx.FaultBounds, (words-4)*4 + 8*4 - 16},
		{"BulkStoreMisuse", 0, ptx.FaultBulkSize, 12},
		{"BulkStoreMisuse", 1, ptx.FaultAlign, 4},
		{"BulkStoreMisuse", 2, ptx.FaultToAlign, 8},
		{"BulkStoreMisuse", 3, ptx.FaultToBounds, 48*4 + 32*4 - 16},
		{"BulkStoreMisuse", 4, ptx.FaultBounds, (words-4)*4 + 8*4 - 16},
		{"CopyMisuse", 5, ptx.FaultBounds, 4096 * 4},
		{"CopyMisuse", 6, ptx.FaultToBounds, 4096 * 4},
	} {
		t.Run(fmt.Sprint(c.kernel, c.what), func(t *testing.T) {
			k, err := compile.New(testkernels.Sources).Kernel(t.Context(), "testkernels."+c.kernel, nil)
			require.NoError(t, err)
			text, err := ptx.Module(ptx.Options{Target: "sm_90", Check: true}, ir.Compiled(k))
			require.NoError(t, err)
			// ptxas refuses a constant that is no multiple of 16.
			require.NotRegexp(t, `cp\.async\.bulk[^;]*, 12, `, text)
			m, err := readptx.Read("m.ptx", []byte(text))
			require.NoError(t, err)
			checked, err := m.Kernel(ir.Symbol(k.Name))
			require.NoError(t, err)

			dev := open(t, "func")
			in, err := dev.Alloc("in", device.U32, words)
			require.NoError(t, err)
			require.NoError(t, dev.Write(in, make([]uint32, words)))
			out, err := dev.Alloc("out", device.U32, 32)
			require.NoError(t, err)
			require.NoError(t, dev.Write(out, make([]uint32, 32)))
			_, err = dev.Launch(t.Context(), device.Launch{Kernel: checked.ForHost(), Grid: 1, Block: 32,
				Args: []any{c.what, in, int64(in.Len), out, int64(out.Len)}})
			require.NoError(t, err, "no thread copies")

			variables, err := m.Variables()
			require.NoError(t, err)
			require.Len(t, variables, 1)
			record, err := device.VariableOn(dev, variables[0].ForHost())
			require.NoError(t, err)
			data := make([]byte, 8*ptx.FaultWords)
			require.NoError(t, dev.Read(record, data))
			word := func(i int) uint64 { return binary.LittleEndian.Uint64(data[8*i:]) }
			require.Equal(t, []uint64{2, c.kind, c.offset}, []uint64{word(0), word(1), word(5)})
		})
	}
}
