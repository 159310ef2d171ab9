package compile

import (
	"fmt"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/scheme/blockqueue"
	"github.com/weft-gpu/weft/internal/scheme/bsp"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// ownSources lists packages that come with the project.
var ownSources = []gpu.Package{scheduler.Sources, bsp.Sources, blockqueue.Sources, kernels.Sources, micro.Sources}

func own(t testing.TB) *Compiler {
	t.Helper()
	return New(ownSources...)
}

// with returns a compiler with an additional package.
func with(t testing.TB, path string, files map[string]string) *Compiler {
	t.Helper()
	c := own(t)
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	c.Mount(path, tree)
	return c
}

func kernel(t testing.TB, c *Compiler, name string, bind map[string]any) *ir.Kernel {
	t.Helper()
	compiled, err := c.Kernel(t.Context(), name, bind)
	require.NoError(t, err)
	k := ir.Compiled(compiled)
	require.NoError(t, k.Func.Verify())
	return k
}

// body returns the text of a kernel without its name.
func body(f *ir.Func) string {
	_, rest, _ := strings.Cut(f.String(), "\n")
	return rest
}

func TestOwnKernels(t *testing.T) {
	c := own(t)
	require.NoError(t, c.Check(t.Context(), "kernels"))
	micros, err := c.Entries("internal/kernels/micro")
	require.NoError(t, err)
	require.Contains(t, micros, "micro.Copy")
	names := composed()
	for _, name := range micros {
		if !strings.Contains(name, "AtomicThroughput") { // it has a constant to be bound
			names = append(names, name)
		}
	}
	for _, name := range names {
		k := kernel(t, c, name, nil)
		assert.Equal(t, name, k.Name)
		require.NotNil(t, k.Program, name)
		for _, b := range k.Func.Blocks {
			for _, v := range b.Ins {
				require.NotZero(t, v.Pos, "%s: no position: %v in b%d", name, v.Op, b.ID)
				p := k.Func.Pos[v.Pos]
				require.NotZero(t, p.Line)
				require.NotEmpty(t, p.Func)
				require.NotContains(t, p.File, "github.com")
			}
		}
	}
}

func TestInstantiation(t *testing.T) {
	c := own(t)
	want := kernel(t, c, "bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]", nil)
	for _, name := range []string{
		"internal/scheme/bsp.Push[kernels.BFS,scheduler.WarpPerVertex,uint32]",
		Module + "/internal/scheme/bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]",
	} {
		k := kernel(t, c, name, nil)
		assert.Equal(t, name, k.Name)
		assert.Equal(t, body(want.Func), body(k.Func))
	}
}

const userGenerics = `package mine

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

type Pair struct{ A, B uint32 }

func (p Pair) Sum() uint32 { return p.A + p.B }

type hidden uint32

type Summer interface{ Sum() uint32 }

func Fill[T gpu.Num](t gpu.Thread, a []T) { a[0] = T(t.Idx()) }

func Sums[T gpu.Num, S Summer](t gpu.Thread, a []T, s []S) { a[0] = T(s[0].Sum()) }

func Shapes[M scheduler.Mapping, V any](t gpu.Thread, a []V) { a[0] = a[1] }

func Plain(t gpu.Thread) {}

func small[T any](t gpu.Thread, a []T) {}

func Length[T any](a []T) int { return len(a) }
`

func TestInstantiationOfAFolder(t *testing.T) {
	c := own(t)
	c.MountFolder(Folder{Path: "dir/mine", Shown: "./dir/mine", Files: fstest.MapFS{"mine.go": {Data: []byte(userGenerics)}}})
	for name, types := range map[string]string{
		"./dir/mine.Fill[uint32]":                                        "a []uint32",
		"mine.Fill[float64]":                                             "a []float64",
		"./dir/mine.Sums[int64, Pair]":                                   "a []int64, s []mine.Pair",
		"./dir/mine.Sums[int64,./dir/mine.Pair]":                         "a []int64, s []mine.Pair",
		"./dir/mine.Shapes[scheduler.WarpPerVertex, [2]struct{X uint8}]": "a [][2]struct{X uint8}",
	} {
		k := kernel(t, c, name, nil)
		assert.Equal(t, name, k.Name)
		var have []string
		for _, p := range k.Params {
			have = append(have, p.Name+" "+p.Type)
		}
		assert.Equal(t, types, strings.Join(have, ", "))
	}
	for name, says := range map[string]string{
		"./dir/mine.Fill[uint16]":            "mine.Fill takes uint32, int32, uint64, int64, float32 and float64, and types based on these; uint16 is not one of them; use a wider type",
		"./dir/mine.Fill[Pair]":              "mine.Fill takes uint32, int32, uint64, int64, float32 and float64, and types based on these; mine.Pair is not one of them",
		"./dir/mine.Sums[uint32, uint32]":    "uint32 does not satisfy mine.Summer (missing method Sum)",
		"./dir/mine.Sums[uint32]":            "it takes 2 type arguments, T, S; not 1",
		"./dir/mine.Fill[uint32, Pair]":      "it takes 1 type argument, T; not 2",
		"./dir/mine.Fill[Nothing]":           "no type Nothing, neither in Go nor in dir/mine",
		"./dir/mine.Fill[scheduler.Nothing]": "no type Nothing in scheduler",
		"./dir/mine.Fill[hidden]":            "type hidden is not exported; start its name with a capital letter",
		"./dir/mine.Fill[4]":                 "4 is not a type",
		"./dir/mine.Plain[uint32]":           "Plain is not generic; write ./dir/mine.Plain",
		"./dir/mine.small[uint32]":           "small is not exported; start the name of a kernel with a capital letter",
		"./dir/mine.Length[uint32]":          "Length is not a kernel; the first parameter of a kernel is t gpu.Thread: write func Length(t gpu.Thread, ...)",
		"./dir/mine.Nothing[uint32]":         "no function Nothing in ./dir/mine; its generic kernels are Fill, Shapes, Sums",
		"kernels.Nothing[uint32]":            "no function Nothing in kernels, and no generic kernel",
		"./dir/other.Fill[uint32]":           `no package "./dir/other"; there are dir/mine, gpu, internal/kernels/micro, kernels, scheduler`,
		"./dir/mine.Fill[]":                  "not an instantiation as Go writes it, such as bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]",
		"./dir/mine.Fill[uint32":             "not an instantiation as Go writes it, such as bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]",
	} {
		_, err := c.Kernel(t.Context(), name, nil)
		require.Error(t, err, name)
		assert.Equal(t, "kernel "+name+": "+says, schemes.ReplaceAllString(err.Error(), ""))
	}
}

const userAlgorithm = `package mine

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/kernels"
)

type Search struct{ kernels.BFS }

func Twice(t gpu.Thread, a []uint32) { a[t.Global()] *= 2 }
`

func TestUserPackage(t *testing.T) {
	c := with(t, "dir/mine", map[string]string{
		"mine.go":      userAlgorithm,
		"mine_test.go": "package mine\nbroken",
		"host.go":      "//go:build !kernel\n\npackage mine\n\nimport \"os\"\n\nvar _ = os.Args\n",
		"other.go":     "// A comment.\n\n//go:build kernel && !windows\n\npackage mine\n\nconst Answer = 42\n",
		"notes.txt":    "not Go",
	})
	kernel(t, c, "mine.Twice", nil)
	kernel(t, c, "dir/mine.Twice", nil)
	k := kernel(t, c, "bsp.Push[mine.Search, scheduler.ThreadPerVertex, uint32]", nil)
	assert.Len(t, k.Func.Blocks, len(kernel(t, c, "bsp.Push[kernels.BFS, scheduler.ThreadPerVertex, uint32]", nil).Func.Blocks))
	names, err := c.Entries("mine")
	require.NoError(t, err)
	assert.Equal(t, []string{"mine.Twice"}, names)
	assert.Equal(t, "dir/mine/mine.go", kernel(t, c, "mine.Twice", nil).Func.Pos[1].File)
}

const bound = `package b

import "github.com/weft-gpu/weft/gpu"

type Config struct {
	N  uint8
	On bool
	W  [2]float32
}

func K(t gpu.Thread, a []uint32, k int16, c Config, last uint64) {
	if !c.On {
		gpu.AtomicAdd(&a[0], 1)
	}
	switch k {
	case -3:
		a[t.Global()] = uint32(c.N) + uint32(c.W[1]) + uint32(last)
	default:
		a[0] = 99
	}
}
`

func TestBind(t *testing.T) {
	c := with(t, "b", map[string]string{"b.go": bound})
	type config struct {
		N  int
		On bool
		W  [2]float64
	}
	k := kernel(t, c, "b.K", map[string]any{"k": -3, "c": config{7, true, [2]float64{1, 2}}})
	var have []string
	for _, p := range k.Params {
		have = append(have, fmt.Sprint(p.Name, " ", p.Type, " ", p.Bound, " ", len(p.Leaves)))
	}
	assert.Equal(t, []string{"a []uint32 false 2", "k int16 true 0", "c b.Config true 0", "last uint64 false 1"}, have)
	assert.Len(t, k.Func.Blocks, 1, "constants leave no branch:\n%s", k.Func)
	assert.NotContains(t, k.Func.String(), "atom")
	assert.Same(t, k, kernel(t, c, "b.K", map[string]any{"c": config{7, true, [2]float64{1, 2}}, "k": -3}))
	assert.NotSame(t, k, kernel(t, c, "b.K", map[string]any{"k": -3}))
	assert.Same(t, kernel(t, c, "b.K", nil), kernel(t, c, "b.K", map[string]any{}))

	for _, bad := range []struct {
		bind map[string]any
		says string
	}{
		{map[string]any{"x": 1}, "no parameter x; it has a, k, c, last"},
		{map[string]any{"k": 40000}, "parameter k int16: 40000 (int) does not fit"},
		{map[string]any{"last": -1}, "parameter last uint64: -1 (int) does not fit"},
		{map[string]any{"k": "no"}, "parameter k int16: no (string) does not fit"},
		{map[string]any{"k": nil}, "nil cannot be bound"},
		{map[string]any{"a": []uint32{1}}, "only numbers, bools, and structs and arrays of these can be bound"},
		{map[string]any{"c": 3}, "parameter c b.Config: a int cannot be bound"},
		{map[string]any{"c": config{N: 300}}, "field N: 300 (int) does not fit"},
		{map[string]any{"c": struct {
			N  uint8
			On bool
			W  [3]float32
		}{}}, "field W: a [3]float32 cannot be bound"},
	} {
		_, err := c.Kernel(t.Context(), "b.K", bad.bind)
		assert.ErrorContains(t, err, bad.says)
	}
}

// TestParams shows what a host program learns of a kernel's parameters.
func TestParams(t *testing.T) {
	c := with(t, "p", map[string]string{"p.go": `package p

import "github.com/weft-gpu/weft/gpu"

type pair struct{ A, B float32 }

type config struct {
	In   []uint16
	On   bool
	Tail [2]int8
	_    uint32
}

func K(t gpu.Thread, c config, k uint32, pairs []pair, rows [][4]float64, last *int64, n int) {
	rows[k][0], *last = float64(pairs[0].A), int64(n)
}
`})
	k, err := c.Kernel(t.Context(), "p.K", map[string]any{"k": 1})
	require.NoError(t, err)
	assert.Equal(t, []device.Param{
		{Name: "c", Type: "p.config", Parts: []device.Part{
			{Name: "c.In", Form: device.Slice, Kind: device.U16, Size: 2},
			{Name: "c.On", Kind: device.Bool, Size: 1},
			{Name: "c.Tail.0", Kind: device.S8, Size: 1},
			{Name: "c.Tail.1", Kind: device.S8, Size: 1},
		}},
		{Name: "k", Type: "uint32", Bound: true},
		{Name: "pairs", Type: "[]p.pair", Parts: []device.Part{{Name: "pairs", Form: device.Slice, Size: 8}}},
		{Name: "rows", Type: "[][4]float64", Parts: []device.Part{{Name: "rows", Form: device.Slice, Kind: device.F64, Size: 32}}},
		{Name: "last", Type: "*int64", Parts: []device.Part{{Name: "last", Form: device.Pointer, Kind: device.S64, Size: 8}}},
		{Name: "n", Type: "int", Parts: []device.Part{{Name: "n", Kind: device.S64, Size: 8}}},
	}, k.Params)
	assert.Equal(t, "slice", k.Params[0].Parts[0].Form.String())
}

func TestPackageErrors(t *testing.T) {
	const k = "\nimport \"github.com/weft-gpu/weft/gpu\"\n\nfunc K(t gpu.Thread, a []uint32) {}\n"
	for _, c := range []struct {
		name, pkg string
		files     map[string]string
		says      string
	}{
		{"nothing", "p", map[string]string{}, `package "p" holds no device code (no Go file without //go:build !kernel)`},
		{"host only", "p", map[string]string{"host.go": "//go:build !kernel\n\npackage p\n"}, "holds no device code"},
		{"syntax", "p", map[string]string{"a.go": "package p\n\nfunc K() {\n\tx = = 1\n}\n", "b.go": "package p\n\nvar = 1\n"},
			"p/a.go:4:6: expected operand, found '='\np/a.go:5:3: expected ';', found 'EOF'\np/b.go:3:5: expected 'IDENT', found '='"},
		{"two packages", "p", map[string]string{"a.go": "package p\n" + k, "b.go": "package q\n"}, "p/b.go:1:1: package q; expected package p"},
		{"itself", "p", map[string]string{"a.go": "package p\n\nimport \"p\"\n\nvar X = p.X\n"}, `p/a.go:3:8: import cycle through "p"; move what both packages need into a third one`},
		{"host package", "p", map[string]string{"a.go": "package p\n\nimport \"github.com/weft-gpu/weft/device\"\n\nvar X device.Buffer\n"},
			`p/a.go:3:8: package "github.com/weft-gpu/weft/device" cannot be used in device code`},
		{"package that is not linked in", "p", map[string]string{"a.go": "package p\n\nimport \"example.com/m/helper\"\n\nvar X = helper.X\n"},
			`p/a.go:3:8: the program has no device code of package "example.com/m/helper"; list its gpu.Package in Sources, after that of p`},
		{"ambiguous", "x/kernels", map[string]string{"a.go": "package kernels\n" + k}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := with(t, c.pkg, c.files).Check(t.Context(), c.pkg)
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestImportCycle(t *testing.T) {
	c := with(t, "p", map[string]string{"p.go": "package p\n\nimport \"q\"\n\nvar X = q.X\n"})
	c.Mount("q", fstest.MapFS{"q.go": {Data: []byte("package q\n\nimport \"p\"\n\nvar X = p.X\n")}})
	require.ErrorContains(t, c.Check(t.Context(), "p"), "import cycle")
	require.ErrorContains(t, c.Check(t.Context(), "q"), "import cycle")
}

func TestErrorsOfImports(t *testing.T) {
	c := with(t, "p", map[string]string{"p.go": "package p\n\nimport \"q\"\n\nvar X = q.X\nvar Y int = \"\"\n"})
	c.Mount("q", fstest.MapFS{"q.go": {Data: []byte("package q\n\nvar X = undefined\n")}})
	require.EqualError(t, c.Check(t.Context(), "p"), "p/p.go:6:13: cannot use \"\" (untyped string constant) as int value in variable declaration\nq/q.go:3:9: undefined: undefined")
	_, err := c.Kernel(t.Context(), "bsp.Push[p.X, uint32]", nil)
	require.ErrorContains(t, err, "undefined: undefined")
}

func TestNames(t *testing.T) {
	c := with(t, "x/kernels", map[string]string{"a.go": "package kernels\n\nimport \"github.com/weft-gpu/weft/gpu\"\n\nfunc Mine(t gpu.Thread, a []uint32) {}\n"})
	kernel(t, c, "x/kernels.Mine", nil)
	kernel(t, c, "bsp.Push[kernels.BFS, scheduler.ThreadPerVertex, uint32]", nil)
	names, err := c.Entries("x/kernels")
	require.NoError(t, err)
	assert.Equal(t, []string{"x/kernels.Mine"}, names, "names find their kernel")
	c.Mount("y/mine", fstest.MapFS{})
	c.Mount("z/mine", fstest.MapFS{})
	_, err = c.Kernel(t.Context(), "mine.K", nil)
	require.EqualError(t, err, `package "mine" is ambiguous: write one of y/mine, z/mine`)
}

func TestConcurrentUse(t *testing.T) {
	c := own(t)
	var wg sync.WaitGroup
	kernels := make([]*device.Kernel, 8)
	for i := range kernels {
		wg.Go(func() {
			k, err := c.Kernel(t.Context(), "bsp.Push[kernels.SSSP, scheduler.WarpPerVertex, uint32]", nil)
			assert.NoError(t, err)
			kernels[i] = k
		})
	}
	wg.Wait()
	for _, k := range kernels {
		assert.Same(t, kernels[0], k)
	}
}

// TestIntrinsics checks that every function that kernels can call is lowered,
// or is itself device code.
func TestIntrinsics(t *testing.T) {
	c := own(t)
	p, err := c.open(t.Context(), "gpu")
	require.NoError(t, err)
	have := map[string]bool{}
	device := 0
	scope := p.types.Scope()
	for _, name := range scope.Names() {
		o := scope.Lookup(name)
		have[name] = true
		for _, f := range exportedFuncs(o) {
			if strings.HasPrefix(path.Base(c.fset.Position(o.Pos()).Filename), "device") && c.known[o] != opForInts {
				assert.NotContains(t, intrinsics, f)
				device++
				continue
			}
			have[f] = true
			assert.Contains(t, intrinsics, f)
		}
	}
	for name := range intrinsics {
		assert.True(t, have[name], "%s is not in package gpu", name)
	}
	assert.Positive(t, device)
}
