package ptx

import (
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// TensorMapBytes is the size of a tensor map as the driver encodes it (CUDA Driver API, CUtensorMap). A kernel has one as a parameter for each
// that it copies boxes of, behind its other parameters, in the order of ir.Program.Tensors.
const TensorMapBytes = 128

// tensorName returns the name of the parameter with the tensor map of the buffer of a root.
func tensorName(root int32) string { return fmt.Sprintf("t%d", root) }

// box prints a copy of a box of a tensor (PTX ISA, "cp.async.bulk.tensor"). The size of a box is part of the map.
func (w *printer) box(in *ir.Inst) {
	shared, barrier := w.src(in, 1, ir.U64), ""
	if in.Op.BringsBulk() {
		barrier = w.src(in, 3, ir.U64)
	}
	if w.generic {
		w.o("cvta.to.shared.u64 %%td1, %s", shared)
		shared = "%td1"
		if barrier != "" {
			w.o("cvta.to.shared.u64 %%td2, %s", barrier)
			barrier = "%td2"
		}
	}
	at := make([]string, in.Op.TensorDims())
	for i := range at {
		at[i] = w.src(in, in.Op.Coordinates()+i, ir.S32)
	}
	w.WriteString(fmt.Sprintf("\tmov.b64 %%td3, %s;\n\tcvta.param.u64 %%td3, %%td3;\n", tensorName(in.Root)))
	of := fmt.Sprintf("[%%td3, {%s}]", strings.Join(at, ", "))
	if in.Op.BringsBulk() {
		w.o("cp.async.bulk.tensor.%dd.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s], %s, [%s]", len(at), shared, of, barrier)
		return
	}
	w.o("cp.async.bulk.tensor.%dd.global.shared::cta.tile.bulk_group %s, [%s]", len(at), of, shared)
}
