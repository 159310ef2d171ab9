package readptx_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
)

// TestCopiesOfClang reads what clang makes of its built-in functions for asynchronous copies, and of assembly as libraries have it.
func TestCopiesOfClang(t *testing.T) {
	text, err := os.ReadFile("testdata/copies.ptx")
	require.NoError(t, err)
	m, err := readptx.Read("copies.ptx", text)
	require.NoError(t, err)
	k, err := m.Kernel("k")
	require.NoError(t, err)
	count := map[ir.Op]int{}
	var sizes []int
	for i := range k.Program.Code {
		in := &k.Program.Code[i]
		count[in.Op]++
		if in.Op == ir.OpCopy {
			sizes = append(sizes, in.Mem.Bytes())
			assert.Equal(t, in.Mem.Bytes() == 16, in.Mem.Cache == ir.CacheL2)
			assert.Equal(t, in.Mem.Bytes() == 8, in.Guard != ir.NoGuard, "the predicate of the statement")
		}
	}
	assert.Equal(t, []int{4, 4, 16, 8}, sizes)
	assert.Equal(t, 1, count[ir.OpBulkCopy])
	assert.Equal(t, 1+2, count[ir.OpCopyCommit], "one, and one of each wait for all")
	assert.Equal(t, 1+2, count[ir.OpCopyWait])
	assert.Equal(t, 1, count[ir.OpMBarCopied])
}
