package readmetest

import (
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/weft-gpu/weft"
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/mma"
	"github.com/weft-gpu/weft/sim/config"
)

// language is the document with the table of all that a kernel may call.
const language = "docs/language.md"

// hostOnly are the functions of package gpu for host programs.
var hostOnly = []string{"gpu.Launch", "gpu.LaunchDim", "gpu.AllowUndefined", "gpu.AllowUnwritten", "gpu.ClusterSize", "gpu.ClusterDim", "gpu.DynamicSharedBytes", "gpu.NewTensorMap1", "gpu.NewTensorMap2", "gpu.NewTensorMap3", "gpu.Poison", "gpu.Rounds"}

// lines is a line of device code for each function and method, after this head:
const head = `func Kernel%d(t gpu.Thread, i uint32, x []uint32, y []uint64, f []float32, d []float64, m1 gpu.TensorMap1[uint32], m2 gpu.TensorMap2[uint32], m3 gpu.TensorMap3[uint32]) {
	%s
}
`

var lines = map[string]string{
	"t.SyncCluster": "t.SyncCluster()", "t.ArriveCluster": "t.ArriveCluster()", "t.WaitCluster": "t.WaitCluster()",
	"gpu.MapShared": "s := gpu.Shared[[32]uint32](t); x[i] = *gpu.MapShared(t, &s[t.Lane()], 1)",
	"t.Sync":        "x[i] = 1; t.Sync(); x[i] = x[i+1]", "t.SyncNamed": "t.SyncNamed(1, 64)",
	"t.LaunchRegisters": "t.LaunchRegisters(96)", "t.GiveRegisters": "t.LaunchRegisters(96); t.GiveRegisters(40)", "t.TakeRegisters": "t.LaunchRegisters(96); t.TakeRegisters(104)", "t.ArriveNamed": "t.ArriveNamed(1, 64)",
	"t.SyncWarp": "t.SyncWarp(gpu.FullMask)", "t.Sleep": "t.Sleep(100)",
	"t.SyncCount": "x[i] = t.SyncCount(x[i] > 1)", "t.SyncAnd": "if t.SyncAnd(x[i] > 1) { x[i] = 1 }", "t.SyncOr": "if t.SyncOr(x[i] > 1) { x[i] = 1 }",
	"t.Ballot": "x[i] = t.Ballot(gpu.FullMask, x[i] > 1)",
	"t.Any":    "if t.Any(gpu.FullMask, x[i] > 1) { x[i] = 1 }", "t.All": "if t.All(gpu.FullMask, x[i] > 1) { x[i] = 1 }",
	"t.Clock": "y[i] = t.Clock()", "t.GlobalTimer": "y[i] = t.GlobalTimer()",
	"gpu.Shfl": "x[i] = gpu.Shfl(t, gpu.FullMask, x[i], 3)", "gpu.ShflUp": "x[i] = gpu.ShflUp(t, gpu.FullMask, x[i], 3)",
	"gpu.ShflDown": "x[i] = gpu.ShflDown(t, gpu.FullMask, x[i], 3)", "gpu.ShflXor": "x[i] = gpu.ShflXor(t, gpu.FullMask, x[i], 3)",
	"gpu.Match":  "x[i] = gpu.Match(t, gpu.FullMask, x[i])",
	"gpu.Shared": "s := gpu.Shared[uint32](t); *s = x[i]; t.Sync(); x[i] = *s", "gpu.DynamicShared": "s := gpu.DynamicShared[uint32](t); s[t.Idx()] = x[i]",
	"gpu.DynamicSharedAt": "s := gpu.DynamicSharedAt[uint32](t, 64); s[t.Idx()] = x[i]", "gpu.Len": "x[i] = gpu.Len(d)",
	"gpu.Load": "x[i] = gpu.Load(&x[i+1])", "gpu.LoadAcquire": "x[i] = gpu.LoadAcquire(&x[i+1])", "gpu.LoadStreaming": "x[i] = gpu.LoadStreaming(&x[i+1])",
	"gpu.LoadCached": "x[i] = gpu.LoadCached(&x[i+1])", "gpu.Load2": "x[i] = gpu.Load2(x, 2*i)[1]", "gpu.Load4": "x[i] = gpu.Load4(x, 4*i)[1]",
	"gpu.Store": "gpu.Store(&x[i], 1)", "gpu.StoreRelease": "gpu.StoreRelease(&x[i], 1)", "gpu.StoreStreaming": "gpu.StoreStreaming(&x[i], 1)",
	"gpu.Store2": "gpu.Store2(x, 2*i, [2]uint32{1, 2})", "gpu.Store4": "gpu.Store4(x, 4*i, [4]uint32{1, 2, 3, 4})",
	"gpu.Fence": "x[i] = 1; gpu.Fence(); x[i+1] = 1", "gpu.FenceSC": "x[i] = 1; gpu.FenceSC(); x[i+1] = 1",
	"gpu.CopyAsync": "s := gpu.Shared[[64]uint32](t); gpu.CopyAsync(&s[i], &x[i])", "t.CommitCopies": "t.CommitCopies()",
	"gpu.CopyBulk":         "s := gpu.Shared[struct { b gpu.MBarrier; w [64]uint32 }](t); gpu.CopyBulk(&s.w[0], &x[i], 64, &s.b)",
	"gpu.SendBulk":         "s := gpu.Shared[struct { b gpu.MBarrier; w [64]uint32 }](t); s.w[i] = 1; gpu.SendBulk(gpu.MapShared(t, &s.w[0], i), &s.w[0], 32, gpu.MapShared(t, &s.b, i))",
	"gpu.StoreAsync":       "s := gpu.Shared[struct { b gpu.MBarrier; w [64]uint32 }](t); gpu.StoreAsync(gpu.MapShared(t, &s.w[i], i), x[i], gpu.MapShared(t, &s.b, i))",
	"gpu.StoreAsync2":      "s := gpu.Shared[struct { b gpu.MBarrier; w [64]uint32 }](t); gpu.StoreAsync2(gpu.MapShared(t, &s.w[0], i), [2]uint32{1, 2}, gpu.MapShared(t, &s.b, i))",
	"gpu.StoreAsync4":      "s := gpu.Shared[struct { b gpu.MBarrier; w [64]uint32 }](t); gpu.StoreAsync4(gpu.MapShared(t, &s.w[0], i), [4]uint32{1, 2, 3, 4}, gpu.MapShared(t, &s.b, i))",
	"gpu.AddAsync":         "s := gpu.Shared[struct { b gpu.MBarrier; w [64]uint32 }](t); gpu.AddAsync(gpu.MapShared(t, &s.w[i], i), x[i], gpu.MapShared(t, &s.b, i))",
	"gpu.MinAsync":         "s := gpu.Shared[struct { b gpu.MBarrier; w [64]uint32 }](t); gpu.MinAsync(gpu.MapShared(t, &s.w[i], i), x[i], gpu.MapShared(t, &s.b, i))",
	"gpu.MaxAsync":         "s := gpu.Shared[struct { b gpu.MBarrier; w [64]uint32 }](t); gpu.MaxAsync(gpu.MapShared(t, &s.w[i], i), x[i], gpu.MapShared(t, &s.b, i))",
	"gpu.AndAsync":         "s := gpu.Shared[struct { b gpu.MBarrier; w [64]uint32 }](t); gpu.AndAsync(gpu.MapShared(t, &s.w[i], i), x[i], gpu.MapShared(t, &s.b, i))",
	"gpu.OrAsync":          "s := gpu.Shared[struct { b gpu.MBarrier; w [64]uint32 }](t); gpu.OrAsync(gpu.MapShared(t, &s.w[i], i), x[i], gpu.MapShared(t, &s.b, i))",
	"gpu.XorAsync":         "s := gpu.Shared[struct { b gpu.MBarrier; w [64]uint32 }](t); gpu.XorAsync(gpu.MapShared(t, &s.w[i], i), x[i], gpu.MapShared(t, &s.b, i))",
	"gpu.MulticastBulk":    "s := gpu.Shared[struct { b gpu.MBarrier; w [64]uint32 }](t); gpu.MulticastBulk(&s.w[0], &x[i], 64, &s.b, 3)",
	"gpu.MulticastTensor1": "s := gpu.Shared[struct { w [256]uint32; b gpu.MBarrier }](t); gpu.MulticastTensor1(&s.w[0], m1, int32(i), &s.b, 3)",
	"gpu.MulticastTensor2": "s := gpu.Shared[struct { w [256]uint32; b gpu.MBarrier }](t); gpu.MulticastTensor2(&s.w[0], m2, int32(i), 0, &s.b, 3)",
	"gpu.MulticastTensor3": "s := gpu.Shared[struct { w [256]uint32; b gpu.MBarrier }](t); gpu.MulticastTensor3(&s.w[0], m3, int32(i), 0, 0, &s.b, 3)",
	"gpu.CopyTensor1":      "s := gpu.Shared[struct { w [256]uint32; b gpu.MBarrier }](t); gpu.CopyTensor1(&s.w[0], m1, int32(i), &s.b)",
	"gpu.CopyTensor2":      "s := gpu.Shared[struct { w [256]uint32; b gpu.MBarrier }](t); gpu.CopyTensor2(&s.w[0], m2, int32(i), 0, &s.b)",
	"gpu.CopyTensor3":      "s := gpu.Shared[struct { w [256]uint32; b gpu.MBarrier }](t); gpu.CopyTensor3(&s.w[0], m3, int32(i), 0, 0, &s.b)",
	"gpu.StoreTensor1":     "s := gpu.Shared[[256]uint32](t); s[i] = 1; gpu.StoreTensor1(&s[0], m1, 0)", "gpu.StoreTensor2": "s := gpu.Shared[[256]uint32](t); s[i] = 1; gpu.StoreTensor2(&s[0], m2, 0, 0)",
	"gpu.StoreTensor3": "s := gpu.Shared[[256]uint32](t); s[i] = 1; gpu.StoreTensor3(&s[0], m3, 0, 0, 0)",
	"gpu.StoreBulk":    "s := gpu.Shared[[64]uint32](t); s[i] = 1; gpu.StoreBulk(&x[i], &s[0], 64)", "gpu.AddBulk": "s := gpu.Shared[[64]float32](t); s[i] = 1; gpu.AddBulk(&f[i], &s[0], 64)",
	"gpu.MinBulk": "s := gpu.Shared[[64]uint32](t); s[i] = 1; gpu.MinBulk(&x[i], &s[0], 64)", "gpu.MaxBulk": "s := gpu.Shared[[64]uint32](t); s[i] = 1; gpu.MaxBulk(&x[i], &s[0], 64)",
	"gpu.AndBulk": "s := gpu.Shared[[64]uint64](t); s[i] = 1; gpu.AndBulk(&y[i], &s[0], 64)", "gpu.OrBulk": "s := gpu.Shared[[64]uint64](t); s[i] = 1; gpu.OrBulk(&y[i], &s[0], 64)",
	"gpu.XorBulk": "s := gpu.Shared[[64]uint32](t); s[i] = 1; gpu.XorBulk(&x[i], &s[0], 64)",
	"t.FenceSums": "t.FenceSums()", "t.CommitSums": "t.CommitSums()", "t.WaitSums": "t.WaitSums(1)",
	"t.CommitBulk": "t.CommitBulk()", "t.WaitBulk": "t.WaitBulk(1)", "t.WaitBulkRead": "t.WaitBulkRead(1)", "t.FenceAsync": "t.FenceAsync()",
	"t.WaitCopies": "t.WaitCopies(1)", "t.WaitAllCopies": "t.WaitAllCopies()",
	"gpu.AtomicCAS":   "x[i] = gpu.AtomicCAS(&x[i+1], 1, 2)",
	"gpu.Saturate":    "x[i] = gpu.Saturate[uint32](f[i])",
	"gpu.Float32bits": "x[i] = gpu.Float32bits(f[i])", "gpu.Float32frombits": "f[i] = gpu.Float32frombits(x[i])",
	"gpu.Float64bits": "y[i] = gpu.Float64bits(d[i])", "gpu.Float64frombits": "d[i] = gpu.Float64frombits(y[i])",
	"gpu.PopCount": "x[i] = gpu.PopCount(x[i])", "gpu.LeadingZeros": "x[i] = gpu.LeadingZeros(x[i])", "gpu.TrailingZeros": "x[i] = gpu.TrailingZeros(x[i])",
	"gpu.Swizzle32": "x[i] = gpu.Swizzle32(x[i])", "gpu.Swizzle64": "x[i] = gpu.Swizzle64(x[i])", "gpu.Swizzle128": "x[i] = gpu.Swizzle128(x[i])",
	"gpu.Reverse": "x[i] = gpu.Reverse(x[i])", "gpu.RotateLeft": "x[i] = gpu.RotateLeft(x[i], 3)", "gpu.MulHi": "x[i] = gpu.MulHi(x[i], x[i+1])",
	"gpu.FMA": "f[i] = gpu.FMA(f[i], f[i+1], f[i+2])", "gpu.Pow": "f[i] = gpu.Pow(f[i], f[i+1])", "gpu.SinCos": "f[i], f[i+1] = gpu.SinCos(f[i])",
	"gpu.Transpose8x8": "x[i] = gpu.Transpose8x8(t, x[i])", "gpu.MMA8x8x4F64": "d[i] = gpu.MMA8x8x4F64(t, d[i], d[i+1], [2]float64{})[1]",
	"gpu.MMA16x8x4F64": "d[i] = gpu.MMA16x8x4F64(t, [2]float64{d[i]}, d[i+1], [4]float64{})[1]", "gpu.MMA16x8x8F64": "d[i] = gpu.MMA16x8x8F64(t, [4]float64{d[i]}, [2]float64{d[i+1]}, [4]float64{})[1]",
	"gpu.ToF16": "x[i] = gpu.ToF16(f[i])", "gpu.ToBF16": "x[i] = gpu.ToBF16(f[i])", "gpu.ToTF32": "x[i] = gpu.ToTF32(f[i])",
	"gpu.FromF16": "f[i] = gpu.FromF16(x[i])", "gpu.FromBF16": "f[i] = gpu.FromBF16(x[i])", "gpu.PackF16": "x[i] = gpu.PackF16(f[i], f[i+1])", "gpu.PackBF16": "x[i] = gpu.PackBF16(f[i], f[i+1])",
}

// multiplies returns a line that calls a product of matrices with registers of zeros.
func multiplies(name string) string {
	i := slices.IndexFunc(mma.Variants, func(v mma.Variant) bool { return "gpu."+v.Func == name })
	v := &mma.Variants[i]
	words := func(n int) string {
		if n == 1 {
			return "x[i]"
		}
		return fmt.Sprintf("[%d]uint32{x[i], x[i+1]}", n)
	}
	a, b, c := v.Registers()
	sum := map[mma.Type]string{mma.F16: "uint32", mma.F32: "float32", mma.S32: "int32"}[v.C]
	return fmt.Sprintf("x[i] = uint32(%s(t, %s, %s, [%d]%s{})[1])", name, words(a), words(b), c, sum)
}

// multipliesInGroup returns a line that calls a product of a warpgroup, of matrices in shared memory that nobody has written.
func multipliesInGroup(name string) string {
	sums := "FloatSums[[32]float32]"
	if strings.Contains(name, "S8") || strings.Contains(name, "U8") || strings.Contains(name, "And") {
		sums = "IntSums[[32]int32]"
	}
	if of := strings.TrimSuffix(name, "From"); strings.HasSuffix(of, "F16") && of != "gpu.GroupMMAF16" && of != "gpu.GroupMMABF16" {
		sums = "HalfSums[[16]uint32]"
	}
	const matrix = "gpu.SharedMatrix{Data: s[:], Stride: 256, Swizzle: 32}"
	a := matrix
	if strings.HasSuffix(name, "From") {
		a = "[4]uint32{x[i]}"
	}
	return fmt.Sprintf("s := gpu.Shared[[512]uint32](t); var sums gpu.%s; %s(t, &sums, %s, %s); x[i] = uint32(sums.At(3))", sums, name, a, matrix)
}

// snippet returns the line of device code for a name of the table.
func snippet(name string) string {
	if l, ok := lines[name]; ok {
		return l
	}
	short, atomic := strings.CutPrefix(name, "gpu.Atomic")
	switch {
	case strings.HasPrefix(name, "gpu.GroupMMA"):
		return multipliesInGroup(name)
	case strings.HasPrefix(name, "gpu.MMA"):
		return multiplies(name)
	case name == "gpu.LoadMatrix1" || name == "gpu.LoadTransposed1":
		return fmt.Sprintf("s := gpu.Shared[[32][4]uint32](t); x[i] = %s(t, &s[t.Lane()])", name)
	case strings.HasPrefix(name, "gpu.LoadMatrix") || strings.HasPrefix(name, "gpu.LoadTransposed"):
		return fmt.Sprintf("s := gpu.Shared[[32][4]uint32](t); x[i] = %s(t, &s[t.Lane()])[1]", name)
	case name == "gpu.StoreMatrix1" || name == "gpu.StoreTransposed1":
		return fmt.Sprintf("s := gpu.Shared[[32][4]uint32](t); %s(t, &s[t.Lane()], x[i]); x[i] = s[i][1]", name)
	case strings.HasPrefix(name, "gpu.StoreMatrix") || strings.HasPrefix(name, "gpu.StoreTransposed"):
		return fmt.Sprintf("s := gpu.Shared[[32][4]uint32](t); %s(t, &s[t.Lane()], [%c]uint32{x[i], x[i+1]}); x[i] = s[i][1]", name, name[len(name)-1])
	case atomic:
		return fmt.Sprintf("x[i] = gpu.Atomic%s(&x[i+1], 2)", short)
	case strings.HasPrefix(name, "t."):
		return fmt.Sprintf("x[i] = %s()", name)
	}
	return fmt.Sprintf("f[i] = %s(f[i])", name)
}

// api returns what package gpu exports for kernels: "gpu.Len", "t.Sync".
func api(t *testing.T) (names []string) {
	t.Helper()
	found, err := packages.Load(&packages.Config{Mode: packages.NeedTypes | packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps, Dir: root}, "./gpu")
	require.NoError(t, err)
	scope := found[0].Types.Scope()
	for _, n := range scope.Names() {
		if _, ok := scope.Lookup(n).(*types.Func); ok && scope.Lookup(n).Exported() && !slices.Contains(hostOnly, "gpu."+n) {
			names = append(names, "gpu."+n)
		}
	}
	thread := scope.Lookup("Thread").Type().(*types.Named)
	for m := range thread.Methods() {
		if m.Exported() {
			names = append(names, "t."+m.Name())
		}
	}
	slices.Sort(names)
	return names
}

// compile writes a kernel for each line into a package and compiles them.
func compile(t *testing.T, code []string) (list []*device.Kernel) {
	t.Helper()
	var src strings.Builder
	src.WriteString("package lines\n\nimport \"github.com/weft-gpu/weft/gpu\"\n\n")
	for i, c := range code {
		fmt.Fprintf(&src, head, i, c)
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "lines.go"), []byte(src.String()), 0o644))
	pkg, err := weft.Load(dir)
	require.NoError(t, err)
	for i, c := range code {
		k, err := pkg.Kernel(t.Context(), fmt.Sprintf("Kernel%d", i), nil)
		require.NoError(t, err, c)
		list = append(list, k)
	}
	return list
}

// row is a row of the table: the functions and methods that it describes, the PTX
// that they become, and what they cost.
type row struct {
	names, ptx []string
	cost       string
}

var quoted = regexp.MustCompile("`([^`]+)`")

// table returns the rows of the document's tables of functions.
func table(t *testing.T) (rows []row) {
	t.Helper()
	words := func(cell string) (list []string) {
		for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
			list = append(list, m[1])
		}
		return list
	}
	for line := range strings.Lines(read(t, language)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) == 4 && (strings.HasPrefix(line, "| `t.") || strings.HasPrefix(line, "| `gpu.")) {
			rows = append(rows, row{words(cells[0]), words(cells[2]), strings.TrimSuffix(cells[3], " |")})
		}
	}
	return rows
}

// TestLanguageIsComplete checks that the tables have a row for all that package gpu
// exports for kernels, and for nothing else.
func TestLanguageIsComplete(t *testing.T) {
	var names []string
	for _, r := range table(t) {
		names = append(names, r.names...)
	}
	slices.Sort(names)
	assert.Equal(t, api(t), names)
}

// TestLanguagePTX checks that a call of each function becomes the PTX of its row. A
// row with as many instructions as names has one for each, in order; otherwise all
// are for each name.
func TestLanguagePTX(t *testing.T) {
	var code []string
	rows := table(t)
	for _, r := range rows {
		for _, n := range r.names {
			code = append(code, snippet(n))
		}
	}
	kernels := compile(t, code)
	for _, r := range rows {
		for i, n := range r.names {
			text, err := weft.PTX(kernels[0], "sm_90")
			require.NoError(t, err)
			kernels = kernels[1:]
			want := r.ptx
			if len(want) == len(r.names) {
				want = want[i : i+1]
			}
			for _, w := range want {
				assert.Regexp(t, regexp.QuoteMeta(w)+`(\.\w+)*\W`, text, "%s: no %s in the PTX of %s", language, w, n)
			}
		}
	}
}

var (
	parameter = regexp.MustCompile(`\b([a-z0-9]+\.[a-z_0-9]+) (\d+(?:\.\d+)?)`)
	sequence  = regexp.MustCompile(`(\d+) instructions?(?:, float64 (\d+))?`)
)

// TestLanguageCost checks the costs: the values of parameters are those of sim:h200, and the
// numbers of instructions in the tables are what a warp executes there for 1.5.
func TestLanguageCost(t *testing.T) {
	h200, err := config.Load("h200")
	require.NoError(t, err)
	parameters := parameter.FindAllStringSubmatch(read(t, language), -1)
	assert.Greater(t, len(parameters), 40)
	for _, m := range parameters {
		v, err := h200.Get(m[1])
		assert.NoError(t, err, "%s: %s", language, m[0])
		assert.Equal(t, m[2], v, "%s: %s", language, m[0])
	}
	dev, err := weft.Open(t.Context(), "sim:h200", weft.Options{})
	require.NoError(t, err)
	defer dev.Close()
	// launch returns the instructions that one warp executes.
	launch := func(k *device.Kernel) int {
		args := []any{4}
		for _, b := range []any{make([]uint32, 64), make([]uint64, 64), slices.Repeat([]float32{1.5}, 64), slices.Repeat([]float64{1.5}, 64)} {
			buffer, err := upload(dev, b)
			require.NoError(t, err)
			args = append(args, buffer)
		}
		args = append(args, device.TensorMap1{}, device.TensorMap2{}, device.TensorMap3{})
		rep, err := dev.Launch(t.Context(), weft.Launch{Kernel: k, Grid: 1, Block: 32, Args: args})
		require.NoError(t, err)
		n, ok := rep.Counter("smsp__inst_executed.sum")
		require.True(t, ok)
		return int(n)
	}
	wide := strings.NewReplacer("f[", "d[")
	counted := 0
	for _, r := range table(t) {
		costs := sequence.FindAllStringSubmatch(r.cost, -1)
		if len(costs) == 0 || strings.HasPrefix(r.names[0], "gpu.Atomic") {
			continue
		}
		for i, n := range r.names {
			want := costs[min(i, len(costs)-1)]
			base := "f[i] = gpu.Abs(f[i])" // one instruction
			switch n {
			case "gpu.SinCos":
				base = "f[i], f[i+1] = gpu.Abs(f[i]), gpu.Abs(f[i])"
			case "gpu.Pow":
				base = "f[i] = f[i] + f[i+1]"
			}
			code := []string{base, snippet(n), wide.Replace(base), wide.Replace(snippet(n))}
			if want[2] == "" {
				code = code[:2] // only float32
			}
			kernels := compile(t, code)
			for j := 0; j < len(kernels); j += 2 {
				counted++
				got := strconv.Itoa(launch(kernels[j+1]) - launch(kernels[j]) + 1)
				assert.Equal(t, want[1+j/2], got, "%s: instructions of %s, in the cost %q", language, code[j+1], r.cost)
			}
		}
	}
	assert.Greater(t, counted, 20)
}

// upload uploads a slice of the type of a parameter of the kernels.
func upload(dev *weft.Device, data any) (any, error) {
	switch data := data.(type) {
	case []uint32:
		return weft.Upload(dev, "x", data)
	case []uint64:
		return weft.Upload(dev, "y", data)
	case []float32:
		return weft.Upload(dev, "f", data)
	}
	return weft.Upload(dev, "d", data.([]float64))
}
