package opt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/opt"
	"github.com/weft-gpu/weft/internal/testing/irtext"
)

// TestRegistersOfAddresses estimates the registers of a kernel that keeps sixteen addresses: of shared memory they take one each, of global memory two, and those of
// shared memory as well if they are stored.
func TestRegistersOfAddresses(t *testing.T) {
	registers := func(base, space, value string) int {
		var text strings.Builder
		text.WriteString("kernel test\nleaf \"a\" u64 base u32 4 0\nshared \"q\" u32 65536 4 4 0\nb0:\n\tv1:u32 = special tid\n")
		for i := range 16 {
			fmt.Fprintf(&text, "\tv%d:u32 = mul v1, %d:u32\n\tv%d:u64 = lea.u32 %s, v%d, #4\n", 10+2*i, 3+2*i, 11+2*i, base, 10+2*i)
		}
		text.WriteString("\tbar\n") // behind which all are used, so that none can be computed late
		for i := range 16 {
			fmt.Fprintf(&text, "\tstore.%s [v%d], %s\n", space, 11+2*i, strings.ReplaceAll(value, "%d", fmt.Sprint(11+2*(15-i))))
		}
		text.WriteString("\tret\n")
		f, err := irtext.Parse(text.String())
		require.NoError(t, err)
		program, err := opt.Program(f)
		require.NoError(t, err)
		return program.RegCount
	}
	shared, global := registers("&shared0", "u32.shared", "1:u32"), registers("$a", "u32.global", "1:u32")
	assert.Equal(t, 16+16/4+9, shared)
	assert.Equal(t, 32+32/4+9, global)
	assert.Equal(t, global, registers("&shared0", "u64.shared", "v%d"), "the addresses are values as well")
}
