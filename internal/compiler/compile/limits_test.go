package compile

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/testing/golden"
)

// tree returns a kernel with a tree of calls, two per function, of the given
// depth.
func tree(levels int, leaf string) string {
	var s strings.Builder
	s.WriteString(limitsHead + "func f0(p []uint32, x uint32) uint32 {\n" + leaf + "\n\treturn x\n}\n")
	for i := 1; i <= levels; i++ {
		fmt.Fprintf(&s, "func f%d(p []uint32, x uint32) uint32 {\n\treturn f%d(p, f%[2]d(p, x)+1)\n}\n", i, i-1)
	}
	fmt.Fprintf(&s, "func Kernel(t gpu.Thread, p []uint32) {\n\tp[0] = f%d(p, t.Global())\n}\n", levels)
	return s.String()
}

const limitsHead = "package limits\n\nimport \"github.com/weft-gpu/weft/gpu\"\n\n"

// doubled declares names 0 to n, each twice as large as the one before.
func doubled(n int, first, next string) string {
	var s strings.Builder
	s.WriteString(first + "\n")
	for i := 1; i <= n; i++ {
		s.WriteString(strings.NewReplacer("@", fmt.Sprint(i), "#", fmt.Sprint(i-1)).Replace(next) + "\n")
	}
	return s.String()
}

// limited holds sources of a few lines that need more memory than any machine
// has.
var limited = map[string]string{
	"calls":            tree(20, "\tp[x] = x * 3"),
	"calls_of_nothing": tree(30, ""),
	"branches":         tree(20, "\tif x&1 == 0 {\n\t\tp[x] = x\n\t}"),
	"errors":           tree(14, "\tm := map[uint32]uint32{}\n\tx = m[x]"),
	"structs": limitsHead + doubled(40, "type T0 struct{ x uint32 }", "type T@ struct{ a, b T# }") +
		"func Kernel(t gpu.Thread, x T40) {}\n",
	"interfaces": limitsHead + doubled(40, "type T0 interface{ m() }", "type T@ interface { T#; T# }") +
		"func Kernel(t gpu.Thread, p []uint32) {}\n",
	"generics": limitsHead + "type pair[T any] struct{ a, b T }\n\ntype all " + strings.Repeat("pair[", 30) + "uint32" + strings.Repeat("]", 30) + "\n\n" +
		"func Kernel(t gpu.Thread, x all) {}\n",
	"generic_values": limitsHead + "type pair[T any] struct{ a, b T }\n\nfunc twice[T any](x T) pair[T] { return pair[T]{x, x} }\n\n" +
		"func Kernel(t gpu.Thread, p []uint32) {\n\tx0 := p[0]\n" + doubled(40, "", "\tx@ := twice(x#)") + "\tp[0] = x40" + strings.Repeat(".a", 40) + "\n}\n",
	"struct_literals": limitsHead + "type T struct{ a uint32 }\n\n" +
		"func Kernel(t gpu.Thread, p []struct { x [4]struct { y [4]struct { z [4]struct { w [1 << 20]T } } } }) {\n\tx := p[0]\n\tp[1] = x\n}\n",
	"arrays": limitsHead + "type A [1 << 20][1 << 20][1 << 20]uint32\n\ntype none [1 << 50]struct{}\n\n" +
		"func Local(t gpu.Thread, p []uint32) {\n\tvar x A\n\tp[0] = x[p[0]][0][0]\n}\n\n" +
		"func Shared(t gpu.Thread, p []uint32) {\n\tx := gpu.Shared[[1 << 62]uint32](t)\n\tx[0] = p[0]\n}\n\n" +
		"func SharedTwice(t gpu.Thread, p []uint32) {\n\tx := gpu.Shared[[1 << 17]uint32](t)\n\ty := gpu.Shared[[1 << 17]uint32](t)\n\tz := gpu.Shared[uint32](t)\n\tp[0] = x[0] + y[0] + *z\n}\n\n" +
		"func Param(t gpu.Thread, x A) {}\n\n" +
		"func Nothing(t gpu.Thread, x none, p []uint32) {\n\tvar y none\n\tz := gpu.Shared[none](t)\n\tp[0] = uint32((len(y) + len(z) + len(x)) >> 40)\n}\n",
	"depth": limitsHead + "type deep " + strings.Repeat("[1]", 100) + "uint32\n\nfunc use(x deep) {}\n\nfunc Kernel(t gpu.Thread, p []uint32) {\n\tvar x deep\n\tuse(x)\n}\n",
	"texts": limitsHead + doubled(40, `const s0 = "abcdefgh"`, "const s@ = s# + s#") +
		"func Kernel(t gpu.Thread, p []uint32) {\n\tif p[0] == 1 {\n\t\tpanic(s40)\n\t}\n}\n",
	"text_in_function": limitsHead + "func Kernel(t gpu.Thread, p []uint32) {\n" + doubled(40, `const s0 = "abcdefgh"`, "const s@ = (s# + s#)") +
		"\tif p[0] == 1 {\n\t\tpanic(s40)\n\t}\n}\n",
	"values": limitsHead + "func Kernel(t gpu.Thread, p []uint32) {\n" +
		doubled(1100, "\tx0 := p[0]", "\tx@ := p[@]") + "\tp[0] = x0" + strings.Repeat("\n", 1) +
		doubled(1100, "\tp[1] = x0", "\tgpu.Store(&p[@], x@+1)") + "}\n",
	"function": limitsHead + "func Kernel(t gpu.Thread, p []uint32) {\n" + strings.Repeat("\tif p[0] > 1 && p[1] > 2 {\n\t\tp[0]++\n\t}\n", 2501) + "}\n",
}

// TestHeavyLimits compares the errors for sources that are too large, and
// checks that each compilation ends within its limits.
func TestHeavyLimits(t *testing.T) {
	for name, text := range limited {
		t.Run(name, func(t *testing.T) {
			c := New(ownSources...)
			c.Mount("limits", fstest.MapFS{name + ".go": {Data: []byte(text)}})
			err := c.Check(t.Context(), "limits")
			if err == nil {
				_, err = c.Kernel(t.Context(), "limits.Kernel", nil)
			}
			require.Error(t, err)
			golden.Check(t, "testdata/limits/"+name+".txt", err.Error()+"\n")
		})
	}
}

// TestTree compiles a large tree of calls that stays within the limits.
func TestTree(t *testing.T) {
	c := New(ownSources...)
	c.Mount("limits", fstest.MapFS{"tree.go": {Data: []byte(tree(12, "\tif x&1 == 0 {\n\t\tp[x] = x\n\t}"))}})
	k := kernel(t, c, "limits.Kernel", nil)
	stores := 0
	for i := range k.Program.Code {
		if k.Program.Code[i].Op == ir.OpStore {
			stores++
		}
	}
	require.Equal(t, 1<<12+1, stores)
}
