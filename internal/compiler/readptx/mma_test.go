package readptx_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/mma"
	"github.com/weft-gpu/weft/internal/testing/golden"
)

// llvmProduct returns a kernel of LLVM that calls the intrinsic of an instruction, and the types of a register of each matrix.
func llvmProduct(v *mma.Variant, name string) string {
	register := map[mma.Type]string{mma.F16: "<2 x half>", mma.F32: "float", mma.F64: "double"}
	of := func(t mma.Type) string {
		if r := register[t]; r != "" {
			return r
		}
		return "i32"
	}
	na, nb, nc := v.Registers()
	shape := fmt.Sprintf("m%dn%dk%d.row.col", v.M, v.N, v.K)
	types := ""
	switch {
	case v.A == mma.F16:
		types = fmt.Sprintf(".%v.%v", v.C, v.C)
	case v.A != v.B:
		types = fmt.Sprintf(".%v.%v", v.A, v.B)
	default:
		types = "." + v.A.String()
	}
	intrinsic := "llvm.nvvm.mma." + shape + types
	if v.Saturate {
		intrinsic = "llvm.nvvm.mma." + shape + ".satfinite" + types
	}
	if v.Combine != "" {
		intrinsic = "llvm.nvvm.mma." + v.Combine + ".popc." + shape + types
	}
	var kinds, args []string
	loads := ""
	for m, n := range []int{na, nb, nc} {
		t := of([]mma.Type{v.A, v.B, v.C}[m])
		for range n {
			i := len(args)
			kinds = append(kinds, t)
			args = append(args, fmt.Sprintf("%s %%x%d", t, i))
			loads += fmt.Sprintf("  %%p%d = getelementptr i64, ptr addrspace(1) %%in, i64 %d\n  %%x%d = load volatile %s, ptr addrspace(1) %%p%d\n", i, i, i, t, i)
		}
	}
	result := "{ " + strings.Repeat(of(v.C)+", ", nc-1) + of(v.C) + " }"
	stores := ""
	for i := range nc {
		stores += fmt.Sprintf("  %%d%d = extractvalue %s %%d, %d\n  %%q%d = getelementptr i64, ptr addrspace(1) %%out, i64 %d\n  store %s %%d%d, ptr addrspace(1) %%q%d\n", i, result, i, i, i, of(v.C), i, i)
	}
	return fmt.Sprintf("declare %s @%s(%s)\ndefine ptx_kernel void @%s(ptr addrspace(1) %%in, ptr addrspace(1) %%out) {\n%s  %%d = call %s @%s(%s)\n%s  ret void\n}\n",
		result, intrinsic, strings.Join(kinds, ", "), name, loads, result, intrinsic, strings.Join(args, ", "), stores)
}

// TestLLVMLoads does the same for loads of matrices.
func TestLLVMLoads(t *testing.T) {
	text := "target triple = \"nvptx64-nvidia-cuda\"\n"
	var want []string
	for _, n := range []int{1, 2, 4} { // in this order, since what LLVM makes of it is kept
		result := map[int]string{1: "i32", 2: "{ i32, i32 }", 4: "{ i32, i32, i32, i32 }"}[n]
		for _, trans := range []string{"", ".trans"} {
			intrinsic := fmt.Sprintf("llvm.nvvm.ldmatrix.sync.aligned.m8n8.x%d%s.b16.p3", n, trans)
			text += fmt.Sprintf("declare %s @%s(ptr addrspace(3))\ndefine ptx_kernel void @k%d(ptr addrspace(3) %%at, ptr addrspace(1) %%out) {\n  %%d = call %s @%s(ptr addrspace(3) %%at)\n  store %s %%d, ptr addrspace(1) %%out\n  ret void\n}\n",
				result, intrinsic, len(want), result, intrinsic, result)
			want = append(want, fmt.Sprintf("ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16", n, trans))
		}
	}
	ptx := fromLLVM(t, "loads", text)
	m, err := readptx.Read("k.ptx", ptx)
	require.NoError(t, err)
	for i, w := range want {
		assert.Contains(t, string(ptx), w)
		k, err := m.Kernel(fmt.Sprintf("k%d", i))
		require.NoError(t, err)
		require.NoError(t, k.Func.Verify())
		assert.Contains(t, k.Func.String(), strings.Replace(strings.Split(w, ".shared")[0], "sync.aligned.m8n8.", "", 1))
	}
}

// fromLLVM returns what clang-19 made of LLVM for a GPU, which is kept in testdata: what refutes the reader is LLVM's text, also where there
// is no clang. Where there is, it compiles again, and what is kept must be that.
func fromLLVM(t *testing.T, name, text string) []byte {
	t.Helper()
	file := filepath.Join("testdata", "llvm", name+".ptx")
	if clang, err := exec.LookPath("clang-19"); err == nil {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "k.ll"), []byte(text), 0o600))
		out, err := exec.Command(clang, "-x", "ir", "--target=nvptx64-nvidia-cuda", "-march=sm_80", "-Xclang", "-target-feature", "-Xclang", "+ptx71", "-O1", "-S", "-o", filepath.Join(dir, "k.ptx"), filepath.Join(dir, "k.ll")).CombinedOutput()
		require.NoError(t, err, "%s", out)
		made, err := os.ReadFile(filepath.Join(dir, "k.ptx"))
		require.NoError(t, err)
		golden.Check(t, file, string(made))
	}
	ptx, err := os.ReadFile(file)
	require.NoError(t, err, "with clang-19 (Debian's package clang-19), go test -update writes it")
	return ptx
}

// TestLLVM compares the instructions with what the NVPTX back end of LLVM makes of its intrinsics: it prints each with the same
// modifiers and as many registers, and the reader takes it.
func TestLLVM(t *testing.T) {
	text := "target triple = \"nvptx64-nvidia-cuda\"\n"
	list := slices.DeleteFunc(slices.Clone(mma.Variants), func(v mma.Variant) bool { return v.Capability() > 80 }) // LLVM 19 has no others
	for i := range list {
		text += llvmProduct(&list[i], fmt.Sprintf("k%d", i))
	}
	ptx := fromLLVM(t, "products", text)
	m, err := readptx.Read("k.ptx", ptx)
	require.NoError(t, err)
	words := regexp.MustCompile(`mma\.sync\.aligned\.(\S+)\s*\{([^}]*)\},\s*\{([^}]*)\},\s*\{([^}]*)\},\s*\{([^}]*)\};`)
	found := words.FindAllSubmatch(ptx, -1)
	require.Len(t, found, len(list))
	for i := range list {
		v := &list[i]
		assert.Equal(t, v.String(), string(found[i][1]))
		a, b, c := v.Registers()
		for at, n := range []int{c, a, b, c} {
			assert.Len(t, strings.Split(string(found[i][2+at]), ","), n, "%v", v)
		}
		k, err := m.Kernel(fmt.Sprintf("k%d", i))
		require.NoError(t, err)
		assert.Contains(t, k.Func.String(), v.String())
		require.NoError(t, k.Func.Verify())
	}
}
