package ptx

import (
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// copyAsync prints an asynchronous copy (PTX ISA, "cp.async"). Where addresses of shared memory are generic, that of the
// destination is not: cp.async knows only addresses in their spaces.
func (w *printer) copyAsync(in *ir.Inst) {
	to := w.src(in, 1, ir.U64)
	if w.generic {
		w.o("cvta.to.shared.u64 %%td1, %s", to)
		to = "%td1"
	}
	cache, size, rest := ".ca", in.Mem.Bytes(), ""
	if in.Mem.Cache == ir.CacheL2 && size == 16 { // .cg is of 16 bytes alone
		cache = ".cg"
	}
	if n, known := w.constant(in.Src[2]); !known || n != uint64(size) {
		rest = ", " + w.src(in, 2, ir.U32)
	}
	w.o("cp.async%s.shared.global [%s], %s, %d%s", cache, to, w.address(in), size, rest)
}

// copies prints what makes a group of copies, what waits for groups, and fences. A fence of shared memory alone takes 11 cycles on an
// H100, and one of all memory 545.
func (w *printer) copies(in *ir.Inst) {
	rest := ""
	switch {
	case ir.Ops[in.Op].Imm == ir.ImmGroups:
		rest = fmt.Sprintf(" %d", in.Imm)
	case ir.Ops[in.Op].Imm == ir.ImmMemory && in.Imm == ir.SharedMemory:
		rest = ".shared::cta"
	}
	w.o("%s%s", in.Op, rest)
}

// bulkCopy prints a copy in bulk to shared memory of the block, which completes on an mbarrier (PTX ISA, "cp.async.bulk"). The
// addresses of the block's own shared memory are among those of its cluster.
func (w *printer) bulkCopy(in *ir.Inst) {
	to, barrier := w.src(in, 1, ir.U64), w.src(in, 3, ir.U64)
	if w.generic {
		w.o("cvta.to.shared.u64 %%td1, %s", to)
		w.o("cvta.to.shared.u64 %%td2, %s", barrier)
		to, barrier = "%td1", "%td2"
	}
	bytes := w.bulkBytes(in)
	cast, blocks := w.multicast(in)
	w.o("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes%s [%s], %s, %s, [%s]%s", cast, to, w.address(in), bytes, barrier, blocks)
}

// multicast returns what a copy to several blocks of the cluster has behind its name and behind its operands: the mask of these blocks, of 16
// bits. Both are empty for other copies.
func (w *printer) multicast(in *ir.Inst) (cast, blocks string) {
	if !in.Op.Multicasts() {
		return "", ""
	}
	w.o("mov.u32 %%t1, %s", w.src(in, ir.MulticastMask, ir.U32))
	w.o("cvt.u16.u32 %%h1, %%t1")
	return ".multicast::cluster", ", %h1"
}

// bulkSend prints a copy in bulk to shared memory of a block of the cluster (PTX ISA, "cp.async.bulk"). The source is of the block's own.
func (w *printer) bulkSend(in *ir.Inst) {
	from, to, barrier := w.src(in, 0, ir.U64), w.src(in, 1, ir.U64), w.src(in, 3, ir.U64)
	if w.generic {
		w.o("cvta.to.shared.u64 %%td3, %s", from)
		w.o("cvta.to.shared::cluster.u64 %%td1, %s", to)
		w.o("cvta.to.shared::cluster.u64 %%td2, %s", barrier)
		from, to, barrier = "%td3", "%td1", "%td2"
	}
	if in.Imm != 0 {
		from = fmt.Sprintf("%s+%d", from, in.Imm)
	}
	w.o("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%s], [%s], %s, [%s]", to, from, w.bulkBytes(in), barrier)
}

// sendValues prints a store, or a reduction, of values to shared memory of a block of the cluster (PTX ISA, "st.async" and "red.async").
func (w *printer) sendValues(in *ir.Inst) {
	to, barrier := w.src(in, 0, ir.U64), w.src(in, 3, ir.U64)
	if w.generic {
		w.o("cvta.to.shared::cluster.u64 %%td1, %s", to)
		w.o("cvta.to.shared::cluster.u64 %%td2, %s", barrier)
		to, barrier = "%td1", "%td2"
	}
	if in.Imm != 0 {
		to = fmt.Sprintf("%s+%d", to, in.Imm)
	}
	values := w.value(in, ir.SentValue)
	name, vec, t := "st.async", "", bits(in.Mem.Kind)
	if n := int(in.Mem.Vec); n > 1 {
		list := make([]string, n)
		for i := range list {
			list[i] = w.value(in, ir.SentValue+i)
		}
		values, vec = "{"+strings.Join(list, ", ")+"}", fmt.Sprintf(".v%d", n)
	}
	operation := ""
	if update := in.Op.Updates(); update != ir.OpInvalid {
		name = "red.async.relaxed.cluster"
		operation, t = atomicName(update, in.Mem.Kind)
		operation = "." + operation
	} else if in.Mem.Kind == ir.F32 || in.Mem.Kind == ir.F64 {
		t = in.Mem.Kind.String()
	}
	w.o("%s.shared::cluster.mbarrier::complete_tx::bytes%s%s.%s [%s], %s, [%s]", name, operation, vec, t, to, values, barrier)
}

// bulkBytes returns the size of a copy in bulk.
func (w *printer) bulkBytes(in *ir.Inst) string {
	bytes := w.src(in, 2, ir.U32)
	// ptxas refuses a constant that is not such a multiple, also in code that no thread comes to.
	if n, known := w.constant(in.Src[2]); known && n%uint64(in.Mem.Bytes()) != 0 {
		w.o("mov.u32 %%t3, %s", bytes)
		bytes = "%t3"
	}
	return bytes
}

// bulkStore prints a copy in bulk from shared memory of the block to global memory, or a reduction (PTX ISA, "cp.async.bulk" and
// "cp.reduce.async.bulk"). Additions of floats of 16 bits have .noftz, and nothing else has.
func (w *printer) bulkStore(in *ir.Inst) {
	from := w.src(in, 1, ir.U64)
	if w.generic {
		w.o("cvta.to.shared.u64 %%td1, %s", from)
		from = "%td1"
	}
	name, operation := "cp.async.bulk", ""
	if update := in.Op.Updates(); update != ir.OpInvalid {
		op, t := atomicName(update, in.Mem.Kind)
		if op == "add" && update.Halves() {
			op += ".noftz"
		}
		name, operation = "cp.reduce.async.bulk", "."+op+"."+t
	}
	w.o("%s.global.shared::cta.bulk_group%s %s, [%s], %s", name, operation, w.address(in), from, w.bulkBytes(in))
}
