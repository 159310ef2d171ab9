package kernel_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/proof/progress/kernel"
)

// TestRegisters decides kernels whose warpgroups hand registers to each other: those that never get enough hang under each model, and the others
// end in each order in which warps come.
func TestRegisters(t *testing.T) {
	c := compile.New()
	c.Mount("registers", os.DirFS("../../../diagnosis/waitfor/testdata/registers"))
	for _, name := range []string{"NobodyGives", "GivesTooFew", "GivesBehindWait"} {
		for clean, hangs := range []string{everyModel, ""} {
			mem, l := planted(t, c, "registers."+name, device.Launch{Grid: 1, Block: 256}, uint32(clean), 256)
			_, g, err := explored(t, mem, l, kernel.Blocks, 1_000_000)
			require.NoError(t, err, name)
			require.ElementsMatch(t, strings.Fields(hangs), hanging(g), "%s, clean is %d", name, clean)
		}
	}
}
