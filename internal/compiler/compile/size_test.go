package compile

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// shapes are kernels of adjustable size: each function writes about n lines of
// Go.
var shapes = map[string]func(s *strings.Builder, n int){
	"straight": func(s *strings.Builder, n int) {
		for i := range n {
			fmt.Fprintf(s, "\tx = x*%d + p[(x+%d)&63]\n", 2*i+3, i)
		}
	},
	"branches": func(s *strings.Builder, n int) {
		for i := range n / 3 {
			fmt.Fprintf(s, "\tif x&%d == 0 {\n\t\tp[x&63] = y\n\t\tx += y*%d\n\t}\n", i&255+1, i)
		}
	},
	"selects": func(s *strings.Builder, n int) {
		for i := range n / 3 {
			fmt.Fprintf(s, "\tif x > %d {\n\t\ty += x\n\t}\n\tx ^= y\n", i)
		}
	},
	"loops": func(s *strings.Builder, n int) {
		for i := range n / 4 {
			fmt.Fprintf(s, "\tfor i := y; i < gpu.Len(p); i += %d {\n\t\tx += p[i] >> %d\n\t}\n\ty = x & 15\n", i&7+1, i&15)
		}
	},
	"whiles": func(s *strings.Builder, n int) {
		for i := range n / 6 {
			fmt.Fprintf(s, "\tfor gpu.Load(&p[x&63]) != %d {\n\t\tif x&3 == 1 {\n\t\t\tcontinue\n\t\t}\n\t\tx++\n\t\tp[y&63] = x\n\t}\n", i)
		}
	},
	"returns": func(s *strings.Builder, n int) {
		for i := range n / 3 {
			fmt.Fprintf(s, "\tif x == %d {\n\t\tp[y&63] = x\n\t\treturn x, y\n\t}\n\tx += p[(x+y)&63]\n", i)
		}
	},
	"switch": func(s *strings.Builder, n int) {
		s.WriteString("\tswitch x {\n")
		for i := range n / 2 {
			fmt.Fprintf(s, "\tcase %d:\n\t\ty += p[x+%d] * %d\n", i, i&63, i)
		}
		s.WriteString("\t}\n")
	},
	"atomics": func(s *strings.Builder, n int) {
		for i := range n / 2 {
			fmt.Fprintf(s, "\tx += gpu.AtomicAdd(&p[(x+%d)&63], y)\n\tgpu.Store(&p[y&63], x)\n", i)
		}
	},
	"calls": func(s *strings.Builder, n int) {
		for i := range n / 2 {
			fmt.Fprintf(s, "\tx = step(p, x, %d)\n\ty = pick(x, y)\n", i)
		}
	},
	"locals": func(s *strings.Builder, n int) {
		for i := range n / 4 {
			if i%64 == 0 {
				fmt.Fprintf(s, "\tvar a%d [4]uint32\n", i/64)
			}
			fmt.Fprintf(s, "\ta%d[x&3] = y\n\tfor i := range 4 {\n\t\tx += a%[1]d[i]\n\t}\n", i/64)
		}
	},
	"nested": func(s *strings.Builder, n int) {
		for i := range n / 8 {
			fmt.Fprintf(s, "\tfor i := uint32(0); i < x&7; i++ {\n\t\tfor j := i; j < y; j++ {\n\t\t\tif p[j] == %d {\n\t\t\t\tbreak\n\t\t\t}\n\t\t\ty += j\n\t\t}\n\t\tx += y\n\t}\n", i)
		}
	},
}

// partLines is the length of the functions of a large kernel, in lines.
const partLines = 500

// sized returns the source of a kernel of a shape with about n lines.
func sized(shape string, n int) string {
	var s, calls strings.Builder
	s.WriteString("package sized\n\nimport \"github.com/weft-gpu/weft/gpu\"\n\nfunc step(p []uint32, x, k uint32) uint32 {\n\tif x > k {\n\t\tp[k&63] = x\n\t\treturn x - k\n\t}\n\treturn x + k\n}\n\nfunc pick(x, y uint32) uint32 {\n\tif x > y {\n\t\treturn x\n\t}\n\treturn y\n}\n\n")
	for i := 0; n > 0; i++ {
		fmt.Fprintf(&s, "func part%d(p []uint32, x, y uint32) (uint32, uint32) {\n", i)
		shapes[shape](&s, min(n, partLines))
		s.WriteString("\treturn x, y\n}\n\n")
		fmt.Fprintf(&calls, "\tx, y = part%d(p, x, y)\n", i)
		n -= partLines
	}
	s.WriteString("func Kernel(t gpu.Thread, p []uint32, n uint32) {\n\tx, y := t.Global(), n\n")
	s.WriteString(calls.String())
	s.WriteString("\tp[0] = x + y\n}\n")
	return s.String()
}

// sizedCompiler returns a compiler with a kernel of a shape mounted.
func sizedCompiler(t testing.TB, shape string, n int) *Compiler {
	c := New(ownSources...)
	c.Mount("sized", fstest.MapFS{"sized.go": {Data: []byte(sized(shape, n))}})
	return c
}

// instructions counts the instructions of a lowered kernel.
func instructions(f *ir.Func) (n int) {
	for _, b := range f.Blocks {
		n += len(b.Ins) + len(b.Phis) + 1
	}
	return n
}

// BenchmarkCompileSize compiles kernels of 10^2 to 10^5 instructions (as
// lowered) from source to a Program and to PTX. With a compiler that takes
// linear time, the time per instruction is the same for all sizes of a shape.
// It takes the minimum of all runs, since other load on the machine can only
// add time.
func BenchmarkCompileSize(b *testing.B) {
	for _, shape := range sortedKeys(shapes) {
		for size := 100; size <= 100_000; size *= 10 {
			b.Run(fmt.Sprintf("%s/%d", shape, size), func(b *testing.B) {
				lines := max(400*size/sizedInstructions(b, shape, 400), 8)
				n := sizedInstructions(b, shape, lines)
				least := time.Duration(math.MaxInt64)
				for b.Loop() {
					c := sizedCompiler(b, shape, lines)
					_, err := c.Entries("gpu")
					require.NoError(b, err)
					start := time.Now()
					k, err := c.Kernel(b.Context(), "sized.Kernel", nil)
					require.NoError(b, err)
					_, err = hw.PTX(k, hw.PTXOptions{})
					require.NoError(b, err)
					least = min(least, time.Since(start))
				}
				b.ReportMetric(float64(least.Nanoseconds())/float64(n), "ns/instruction")
			})
		}
	}
}

// sizedInstructions returns to how many instructions such a kernel is lowered.
func sizedInstructions(t testing.TB, shape string, lines int) int {
	c := sizedCompiler(t, shape, lines)
	k, errs, err := c.lowerEntry(t.Context(), entryOf(t, c), nil)
	require.NoError(t, err)
	require.Empty(t, errs)
	return instructions(k.Func)
}

func entryOf(t testing.TB, c *Compiler) *entry {
	e, err := c.find(t.Context(), "sized.Kernel")
	require.NoError(t, err)
	return e
}
