package sim

import (
	"encoding/csv"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/config"
)

// TestOneLaneActsAsPtxasSays compares which atomics of a warp on one address one lane performs with the code that ptxas makes of
// each kind (results/hw/ptxas). Where ptxas adds by a scan over the lanes, which only a full warp takes, we have each lane act.
func TestOneLaneActsAsPtxasSays(t *testing.T) {
	f, err := os.Open("../results/hw/ptxas/atomics.csv")
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"space", "operation", "type", "operand", "result", "sm_80", "sm_90"}, rows[0])
	ops := map[string]ir.Op{"add": ir.OpAtomAdd, "min": ir.OpAtomMin, "max": ir.OpAtomMax, "and": ir.OpAtomAnd, "or": ir.OpAtomOr, "xor": ir.OpAtomXor, "exch": ir.OpAtomExch, "inc": ir.OpAtomInc}
	kinds := map[string]ir.Kind{"u32": ir.U32, "s32": ir.S32, "b32": ir.U32, "u64": ir.U64, "s64": ir.S64, "b64": ir.U64, "f32": ir.F32}
	count := map[string]int{}
	for _, row := range rows[1:] {
		op, known := ops[row[1]]
		kind, sized := kinds[row[2]]
		require.True(t, known && sized, "%v", row)
		count[row[6]]++
		a := newAsm("one", 4, 1)
		var at ir.Operand
		var root int32
		if row[0] == "shared" {
			at, root = a.shared("s", kind, 1)
		} else {
			at, _, root = a.slice("s", kind)
		}
		value := ir.Operand(2)
		if row[3] == "constant" {
			value = a.konst(kind, 5)
		}
		result := int32(-1)
		if row[4] == "yes" {
			result = 3
		}
		a.mem(op, kind, result, root, at, value)
		p := &a.p
		low := newLowering(p, &config.GPU{})
		assert.Equal(t, row[6] == "one", low.aggregates(&p.Code[0]), "%v", row)
		assert.Equal(t, row[5], row[6], "the lowering is the same for both: %v", row)
	}
	assert.Equal(t, map[string]int{"each": 92, "one": 38, "scan": 2}, count)
}
