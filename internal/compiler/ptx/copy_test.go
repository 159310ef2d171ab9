package ptx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Where shared memory is addressed generically, the destination of a copy, which must not be generic, is converted.
func TestCopyToGenericAddress(t *testing.T) {
	k := copying("k")
	load := ir.Inst{Op: ir.OpLoad, K: ir.U32, ArgK: ir.U32, Guard: ir.NoGuard, NSrc: 1, NDst: 1, Root: -1, Mem: ir.Mem{Kind: ir.U32, Vec: 1}}
	k.Program.Code = append([]ir.Inst{load}, k.Program.Code...)
	text, err := Module(Options{Target: "sm_80"}, k)
	require.NoError(t, err)
	require.Contains(t, text, "\tcvta.shared.u64 %ud0, %ud0;\n")
	require.Contains(t, text, "\tcvta.to.shared.u64 %td1, %ud0;\n\tcp.async.ca.shared.global [%td1], [%ud1+16], 4;\n")
	require.Contains(t, text, "\tcp.async.cg.shared.global [%td1], [%ud1+16], 16;\n")
}

// Before sm_80 there are no asynchronous copies.
func TestCopyBeforeAmpere(t *testing.T) {
	_, err := Module(Options{Target: "sm_75"}, copying("k"))
	require.EqualError(t, err, "ptx: kernel k: cp.async needs sm_80")
}
