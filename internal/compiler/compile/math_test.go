package compile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weft-gpu/weft/internal/testing/golden"
)

// TestMathSize shows how many instructions gpu's math functions take when
// inlined into a kernel.
func TestMathSize(t *testing.T) {
	var source, table strings.Builder
	source.WriteString("package size\nimport \"github.com/weft-gpu/weft/gpu\"\n")
	names := []string{"Exp", "Exp2", "Log", "Log2", "Sin", "Cos", "Tanh", "Rsqrt", "Pow"}
	for _, name := range names {
		for _, bits := range []int{32, 64} {
			call := "x[0]"
			if name == "Pow" {
				call = "x[0], x[1]"
			}
			fmt.Fprintf(&source, "func %s%d(t gpu.Thread, x []float%d) { x[2] = gpu.%s(%s) }\n", name, bits, bits, name, call)
		}
	}
	c := with(t, "size", map[string]string{"size.go": source.String()})
	fmt.Fprintf(&table, "%-5s  %4s  %12s  %9s\n", "", "bits", "instructions", "registers")
	for _, name := range names {
		for _, bits := range []int{32, 64} {
			k := kernel(t, c, fmt.Sprintf("size.%s%d", name, bits), nil)
			fmt.Fprintf(&table, "%-5s  %4d  %12d  %9d\n", name, bits, len(k.Program.Code), k.Program.RegCount)
		}
	}
	golden.Check(t, "testdata/math_size.txt", table.String())
}
