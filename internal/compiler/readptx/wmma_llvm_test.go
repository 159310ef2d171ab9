package readptx_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/mma"
)

// llvmRegister returns the type in LLVM of a register of a fragment.
func llvmRegister(t mma.Type) string {
	if r := map[mma.Type]string{mma.F16: "<2 x half>", mma.F32: "float", mma.F64: "double"}[t]; r != "" {
		return r
	}
	return "i32"
}

// llvmResult returns the type of some registers.
func llvmResult(of string, n int) string {
	if n == 1 {
		return of
	}
	return "{ " + strings.Repeat(of+", ", n-1) + of + " }"
}

// TestLLVMFragments compares loads and stores of fragments with what LLVM makes of its intrinsics, as TestLLVM does for products. LLVM
// refuses an intrinsic that has not as many registers.
func TestLLVMFragments(t *testing.T) {
	text := "target triple = \"nvptx64-nvidia-cuda\"\n"
	var want []string
	for i := range mma.Fragments {
		f := &mma.Fragments[i]
		shape, n, of := fmt.Sprintf("m%dn%dk%d", f.M, f.N, f.K), f.Registers(), llvmRegister(f.Type)
		layout, space := []string{"row", "col"}[i%2], []string{".shared", ".global", ""}[i%3]
		number := map[string]int{".shared": 3, ".global": 1, "": 0}[space]
		pointer := map[int]string{3: "ptr addrspace(3)", 1: "ptr addrspace(1)", 0: "ptr"}[number]
		var args, loads []string
		for r := range n {
			args = append(args, fmt.Sprintf("%s %%x%d", of, r))
			loads = append(loads, fmt.Sprintf("  %%q%d = getelementptr i64, ptr addrspace(1) %%data, i64 %d\n  %%x%d = load volatile %s, ptr addrspace(1) %%q%d\n", r, r, r, of, r))
		}
		if f.Stores() {
			name := fmt.Sprintf("llvm.nvvm.wmma.%s.store.d.%s.stride.%v.p%d", shape, layout, f.Type, number)
			text += fmt.Sprintf("declare void @%s(%s, %s, i32)\n", name, pointer, strings.TrimSuffix(strings.Repeat(of+", ", n), ", "))
			text += fmt.Sprintf("define ptx_kernel void @k%d(%s %%at, i32 %%stride, ptr addrspace(1) %%data) {\n%s  call void @%s(%s %%at, %s, i32 %%stride)\n  ret void\n}\n",
				i, pointer, strings.Join(loads, ""), name, pointer, strings.Join(args, ", "))
		} else {
			name := fmt.Sprintf("llvm.nvvm.wmma.%s.load.%c.%s.stride.%v.p%d", shape, f.Use, layout, f.Type, number)
			text += fmt.Sprintf("declare %s @%s(%s, i32)\n", llvmResult(of, n), name, pointer)
			text += fmt.Sprintf("define ptx_kernel void @k%d(%s %%at, i32 %%stride, ptr addrspace(1) %%data) {\n  %%v = call %s @%s(%s %%at, i32 %%stride)\n  store %s %%v, ptr addrspace(1) %%data\n  ret void\n}\n",
				i, pointer, llvmResult(of, n), name, pointer, llvmResult(of, n))
		}
		want = append(want, fmt.Sprintf("wmma.%s.%c.sync.aligned.%s.%s%s.%v", map[bool]string{false: "load", true: "store"}[f.Stores()], f.Use, layout, shape, space, f.Type))
	}
	ptx := fromLLVM(t, "fragments", text)
	m, err := readptx.Read("k.ptx", ptx)
	require.NoError(t, err)
	found := regexp.MustCompile(`wmma\.(load|store)\.\S+`).FindAllString(string(ptx), -1)
	assert.Equal(t, want, found)
	for i := range mma.Fragments {
		k, err := m.Kernel(fmt.Sprintf("k%d", i))
		require.NoError(t, err)
		require.NoError(t, k.Func.Verify())
		assert.Contains(t, k.Func.String(), mma.Fragments[i].String())
	}
}

// TestLLVMWmma does the same for products.
func TestLLVMWmma(t *testing.T) {
	text := "target triple = \"nvptx64-nvidia-cuda\"\n"
	var want []string
	var steps []int
	layouts := []string{"row.row", "row.col", "col.row", "col.col"}
	add := func(m, n, k int, a, c, d mma.Type, intrinsic, types string) {
		shape, at := fmt.Sprintf("m%dn%dk%d", m, n, k), len(want)
		registers := func(use byte, of mma.Type) (int, string) {
			id, ok := mma.FragmentByName(use, shape, of.String())
			require.True(t, ok)
			return mma.Fragments[id].Registers(), llvmRegister(of)
		}
		layout := layouts[at%4]
		name := fmt.Sprintf("llvm.nvvm.wmma.%s.mma.%s.%s", shape, layout, intrinsic)
		var kinds, args []string
		loads := ""
		for i, of := range []mma.Type{a, a, c} {
			count, kind := registers("abc"[i], of)
			for range count {
				j := len(args)
				kinds, args = append(kinds, kind), append(args, fmt.Sprintf("%s %%x%d", kind, j))
				loads += fmt.Sprintf("  %%p%d = getelementptr i64, ptr addrspace(1) %%in, i64 %d\n  %%x%d = load volatile %s, ptr addrspace(1) %%p%d\n", j, j, j, kind, j)
			}
		}
		count, kind := registers('d', d)
		result := llvmResult(kind, count)
		text += fmt.Sprintf("declare %s @%s(%s)\ndefine ptx_kernel void @k%d(ptr addrspace(1) %%in, ptr addrspace(1) %%out) {\n%s  %%d = call %s @%s(%s)\n  store %s %%d, ptr addrspace(1) %%out\n  ret void\n}\n",
			result, name, strings.Join(kinds, ", "), at, loads, result, name, strings.Join(args, ", "), result)
		want = append(want, fmt.Sprintf("wmma.mma.sync.aligned.%s.%s.%s", layout, shape, types))
		steps = append(steps, m*n*k/map[mma.Type]int{mma.TF32: 16 * 8 * 8, mma.F64: 8 * 8 * 4, mma.F16: 2048, mma.BF16: 2048, mma.S8: 2048, mma.U8: 2048}[a])
	}
	for _, s := range [][3]int{{16, 16, 16}, {32, 8, 16}, {8, 32, 16}} {
		for _, c := range []mma.Type{mma.F16, mma.F32} {
			for _, d := range []mma.Type{mma.F16, mma.F32} {
				add(s[0], s[1], s[2], mma.F16, c, d, fmt.Sprintf("%v.%v", d, c), fmt.Sprintf("%v.%v", d, c))
			}
		}
		add(s[0], s[1], s[2], mma.BF16, mma.F32, mma.F32, "bf16", "f32.bf16.bf16.f32")
		add(s[0], s[1], s[2], mma.S8, mma.S32, mma.S32, "s8", "s32.s8.s8.s32")
		add(s[0], s[1], s[2], mma.U8, mma.S32, mma.S32, "u8.satfinite", "s32.u8.u8.s32.satfinite")
	}
	for range layouts {
		add(16, 16, 8, mma.TF32, mma.F32, mma.F32, "tf32", "f32.tf32.tf32.f32")
	}
	add(8, 8, 4, mma.F64, mma.F64, mma.F64, "f64", "f64.f64.f64.f64")
	add(8, 8, 4, mma.F64, mma.F64, mma.F64, "rn.f64", "rn.f64.f64.f64.f64")
	ptx := fromLLVM(t, "wmma", text)
	m, err := readptx.Read("k.ptx", ptx)
	require.NoError(t, err)
	assert.Equal(t, want, regexp.MustCompile(`wmma\.mma\.\S+`).FindAllString(string(ptx), -1))
	for i := range want {
		k, err := m.Kernel(fmt.Sprintf("k%d", i))
		require.NoError(t, err)
		require.NoError(t, k.Func.Verify())
		assert.Equal(t, steps[i], strings.Count(k.Func.String(), " = mma."), want[i])
	}
}
