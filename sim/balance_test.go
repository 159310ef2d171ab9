package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/config"
)

// TestShiftsTakeEitherPipe counts the shifts of a block on each integer pipe: four to the left by a constant are shared, as IMAD.SHL multiplies by a power of two;
// those by a register and those to the right have SHF alone.
func TestShiftsTakeEitherPipe(t *testing.T) {
	g, err := config.Load("h200")
	require.NoError(t, err)
	for _, c := range []struct {
		name       string
		op         ir.Op
		byRegister bool
		alu, imad  int
	}{
		{"left by a constant", ir.OpShl, false, 2, 2},
		{"left by a register", ir.OpShl, true, 4, 0},
		{"right by a constant", ir.OpShr, false, 4, 0},
	} {
		a := newAsm("shifts", 8, 0)
		by := a.konst(ir.U32, 3)
		if c.byRegister {
			by = 1
		}
		for i := range 4 {
			a.op(c.op, ir.U32, int32(2+i), 0, by)
		}
		a.op(ir.OpExit, ir.Void, -1)
		a.kernel(t)
		var alu, imad int
		for _, d := range decode(&a.p, g) {
			if d.in.Op == c.op {
				switch d.pipe {
				case pipeALU:
					alu++
				case pipeIMAD:
					imad++
				}
			}
		}
		assert.Equal(t, [2]int{c.alu, c.imad}, [2]int{alu, imad}, c.name)
	}
}
