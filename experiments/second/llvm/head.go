package llvm

import (
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// head prints the beginning of the module and what comes before the first block: parameters, and variables.
func (w *printer) head() string {
	var h strings.Builder
	if w.target == GFX803 {
		h.WriteString("target triple = \"amdgcn-amd-amdhsa\"\n\n")
		var params []string
		for i, l := range w.f.Leaves {
			switch l.Kind {
			case ir.Pred:
				params = append(params, fmt.Sprintf("i32 %%a%d", i))
			case ir.F32:
				params = append(params, fmt.Sprintf("float %%a%d", i))
			default:
				params = append(params, fmt.Sprintf("%s %%p%d", typeOf(l.Kind), i))
			}
		}
		params = append(params, "i32 %ntid", "i32 %nctaid")
		fmt.Fprintf(&h, "define amdgpu_kernel void @%s(%s) #0 {\nentry:\n", Entry, strings.Join(params, ", "))
		for i, l := range w.f.Leaves {
			switch l.Kind {
			case ir.Pred:
				fmt.Fprintf(&h, "\t%%p%d = trunc i32 %%a%d to i1\n", i, i)
			case ir.F32: // in a vector register: see opaque
				fmt.Fprintf(&h, "\t%%p%d = call float asm \"v_mov_b32 $0, $1\", \"=v,s\"(float %%a%d)\n", i, i)
			}
		}
		h.WriteString("\tbr label %b0\n")
		return h.String()
	}
	h.WriteString("target triple = \"x86_64-pc-linux-gnu\"\n\n")
	fmt.Fprintf(&h, "define void @%s(ptr %%leaves, ptr %%thread) {\nentry:\n", Entry)
	for i, l := range w.f.Leaves {
		fmt.Fprintf(&h, "\t%%a%d = getelementptr i64, ptr %%leaves, i64 %d\n", i, i)
		if l.Kind == ir.Pred {
			fmt.Fprintf(&h, "\t%%w%d = load i64, ptr %%a%d\n\t%%p%d = trunc i64 %%w%d to i1\n", i, i, i, i)
			continue
		}
		fmt.Fprintf(&h, "\t%%p%d = load %s, ptr %%a%d\n", i, typeOf(l.Kind), i)
	}
	w.variables(&h)
	h.WriteString("\tbr label %b0\n")
	return h.String()
}

// variables prints the addresses of shared and local variables. Shared memory is laid out here a second time.
func (w *printer) variables(h *strings.Builder) {
	offsets, _ := SharedLayout(w.f)
	if len(w.f.Shared) > 0 {
		fmt.Fprintf(h, "\t%%at = getelementptr i8, ptr %%thread, i64 %d\n\t%%base = load i64, ptr %%at\n", sharedOffset)
	}
	for i := range w.f.Shared {
		fmt.Fprintf(h, "\t%%shared%d = add i64 %%base, %d\n", i, offsets[i])
	}
	for i, v := range w.f.Local {
		fmt.Fprintf(h, "\t%%l%d = alloca [%d x i8], align 16\n\t%%local%d = ptrtoint ptr %%l%d to i64\n", i, max(v.Size, 1), i, i)
	}
}

// SharedLayout returns where each shared variable is in the memory of a block, and how many bytes they take without the
// dynamic one, which is the last. All begin at multiples of 16.
func SharedLayout(f *ir.Func) (offsets []int, size int) {
	offsets = make([]int, len(f.Shared))
	for i, v := range f.Shared {
		if !v.Dynamic {
			offsets[i] = size
			size += (v.Size + 15) &^ 15
		}
	}
	for i, v := range f.Shared {
		if v.Dynamic {
			offsets[i] = size
		}
	}
	return offsets, size
}

// special reads a value that the machine supplies.
func (w *printer) special(v *ir.Value) {
	if w.target == X86 {
		at := w.let("getelementptr i8, ptr %%thread, i64 %d", 4*v.Imm)
		w.line("%s = load i32, ptr %s", name(v), at)
		return
	}
	source := ""
	switch ir.Special(v.Imm) {
	case ir.TID:
		source = w.call("i32", "llvm.amdgcn.workitem.id.x")
	case ir.CTAID:
		source = w.call("i32", "llvm.amdgcn.workgroup.id.x")
	case ir.NTID:
		source = "%ntid"
	case ir.NCTAID:
		source = "%nctaid"
	default:
		w.refuse(ir.Special(v.Imm).String())
	}
	w.line("%s = add i32 %s, 0", name(v), source)
}

// attributes says what a kernel for GFX803 does not read, so that it needs neither a packet nor hidden parameters, and has
// blocks of at most 256 threads.
const attributes = `
attributes #0 = { "amdgpu-no-dispatch-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-queue-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-flat-work-group-size"="1,256" "uniform-work-group-size"="true" }
`
