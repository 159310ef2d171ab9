package ptxlitmus

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestManyLocations has tests with so many locations that a run would need more memory than there is.
func TestManyLocations(t *testing.T) {
	text := func(n int) string {
		var b strings.Builder
		b.WriteString("PTX Many\n{\n")
		for i := range n {
			fmt.Fprintf(&b, "x%d = 0;\n", i)
		}
		b.WriteString("}\n P0@cta 0,gpu 0 ;\n ld.relaxed.gpu r0, x0 ;\nexists\n(P0:r0 == 0)\n")
		return b.String()
	}
	_, err := Parse("many.litmus", text(maxLocations))
	require.NoError(t, err)
	for _, n := range []int{maxLocations + 1, 100_000} {
		_, err = Parse("many.litmus", text(n))
		require.ErrorContains(t, err, "many.litmus:259:1: a test has at most 256 locations")
	}
}
