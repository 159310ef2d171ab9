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
	if in.Op.ByMap() { // the driver has the text of the program itself
		w.fail("op %v has no PTX: its tensor map is one of weft's own", in.Op)
		return
	}
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
		cast, blocks := w.multicast(in)
		w.o("cp.async.bulk.tensor.%dd.shared::cluster.global.tile.mbarrier::complete_tx::bytes%s [%s], %s, [%s]%s", len(at), cast, shared, of, barrier, blocks)
		return
	}
	w.o("cp.async.bulk.tensor.%dd.global.shared::cta.tile.bulk_group %s, [%s]", len(at), of, shared)
}

// checkBox ends a thread whose box begins where a GPU does not take it (tensormap.Box.Misplaced), or in shared memory at no multiple of what its map
// needs (tensormap.Map.Align).
func (w *printer) checkBox(in *ir.Inst) {
	dims, leaf := in.Op.TensorDims(), w.p.Roots[in.Root].Leaf
	for d := range dims {
		x := w.src(in, in.Op.Coordinates()+d, ir.S32)
		check := func(format string, args ...any) {
			fmt.Fprintf(w, format, args...)
			w.active(in)
			fmt.Fprintf(w, "\tcvt.u64.u32 %%td5, %s;\n\tor.b64 %%td5, %%td5, %d;\n", x, d<<32)
			w.record(FaultBox, "%td5", "%q3")
		}
		if d == 0 {
			check("\tand.b32 %%t3, %s, %d;\n\tsetp.ne.u32 %%q3, %%t3, 0;\n", x, 16/w.p.Leaves[leaf].Size-1)
		}
		if in.Op.StoresBulk() {
			check("\tsetp.lt.s32 %%q3, %s, 0;\n", x)
		}
	}
	fmt.Fprintf(w, "\tld.param.u32 %%t3, [p%d];\n\tshl.b32 %%t3, %%t3, 3;\n\tmax.u32 %%t3, %%t3, 128;\n\tsub.u32 %%t3, %%t3, 1;\n\tcvt.u64.u32 %%td6, %%t3;\n", leaf+ir.TensorLeavesOf(dims).Swizzle)
	base := w.varUniform(ir.Shared, ir.SharedWindow)
	if base == "" { // no variable is at the begin of shared memory: the address itself is what it is aligned by
		base = "0"
	}
	fmt.Fprintf(w, "\tsub.s64 %%td5, %s, %s;\n\tand.b64 %%td7, %%td5, %%td6;\n\tsetp.ne.u64 %%q3, %%td7, 0;\n", w.src(in, 1, ir.U64), base)
	w.active(in)
	w.record(FaultBoxAlign, "%td5", "%q3")
}
