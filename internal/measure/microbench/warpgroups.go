package microbench

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/kernels/attention"
	"github.com/weft-gpu/weft/internal/kernels/matrices"
)

// groupTypes are the types of products of warpgroups by the number that the kernels of package matrices have for them.
var groupTypes = map[string][]string{"FloatCycles": {"f16", "bf16", "tf32"}, "IntCycles": {"s8", "u8", "b1"}}

// GroupProducts measures products of warpgroups on a device, and writes lines "what,columns,warps,NUMBER cycles": how long one product takes
// until its sums can be read, and how many cycles each of further ones adds that are added to the same sums.
func GroupProducts(ctx context.Context, d device.Device, to io.Writer) error {
	m := newBench(d)
	for _, part := range []struct {
		kernel  string
		which   int
		columns []int
	}{
		{"FloatCycles", 0, []int{8, 16, 24, 32, 48, 64, 96, 128, 192, 256}},
		{"FloatCycles", 1, []int{8, 64, 256}},
		{"FloatCycles", 2, []int{8, 64, 256}},
		{"IntCycles", 0, []int{8, 64, 256}},
		{"IntCycles", 1, []int{64}},
		{"IntCycles", 2, []int{8, 64, 256}},
	} {
		for _, from := range []string{"shared memory", "registers"} {
			which, element := part.which, map[string]string{"FloatCycles": "float32", "IntCycles": "int32"}[part.kernel]
			if from == "registers" {
				which += 3
			}
			for _, columns := range part.columns {
				for _, warps := range []int{4, 8} {
					kernel := fmt.Sprintf("%s[[%d]%s]", part.kernel, columns/2, element)
					var took [3]float64
					for i, n := range []int{1, 8, 40} {
						var err error
						if took[i], err = m.cycles(ctx, kernel, which, n, columns/2, warps); err != nil {
							return err
						}
					}
					name := fmt.Sprintf("wgmma of %s from %s", groupTypes[part.kernel][part.which], from)
					fmt.Fprintf(to, "latency of %s,%d columns,%d,%.1f cycles\n", name, columns, warps, took[0])
					fmt.Fprintf(to, "each of %s,%d columns,%d,%.1f cycles\n", name, columns, warps, (took[2]-took[1])/32)
				}
			}
		}
	}
	return nil
}

// MatrixKernels are the kernels that MatrixProducts can measure: by warpgroups, by mma.sync and without tensor cores.
var MatrixKernels = []string{"Grouped", "Tensor", "Plain"}

// MatrixProducts measures products of square matrices by some of MatrixKernels on a device, in f16 with tensor cores, and writes lines
// "KERNEL,ROWS rows,1,NUMBER us", the least of so many times. All elements are compared with the CPU's.
func MatrixProducts(ctx context.Context, d device.Device, kernels []string, sizes []int, times int, to io.Writer) error {
	m := newBench(d)
	for _, n := range sizes {
		for _, kernel := range kernels {
			seconds, c, err := m.product(ctx, kernel, n, times)
			if err == nil {
				err = checkProduct(c, n)
			}
			if err != nil {
				return fmt.Errorf("%s, %d rows: %w", kernel, n, err)
			}
			fmt.Fprintf(to, "%s,%d rows,1,%.2f us\n", kernel, n, seconds*1e6)
		}
	}
	return nil
}

// factor returns element k of row, or column, i of a factor of an n by n product: small whole numbers, of which all sums are exact in float32.
// The factors differ in step, so that a transposed product is another one.
func factor(n, i, k, step int) int { return ((i*n+k)+i)*step%5 - 2 }

// steps are those of the two factors.
var steps = [2]int{7, 11}

// checkProduct compares a product with the CPU's. Rows and columns repeat after 5, so that it has 25 different elements.
func checkProduct(c []float32, n int) error {
	var want [5][5]float32
	for i := range want {
		for j := range want[i] {
			for k := range n {
				want[i][j] += float32(factor(n, i, k, steps[0]) * factor(n, j, k, steps[1]))
			}
		}
	}
	for at, got := range c {
		if i, j := at/n, at%n; got != want[i%5][j%5] {
			return fmt.Errorf("element %d of row %d is %g; want %g", j, i, got, want[i%5][j%5])
		}
	}
	return nil
}

// bench launches kernels of packages matrices and attention.
type bench struct {
	d        device.Device
	compiler *compile.Compiler
}

func newBench(d device.Device) *bench {
	c := compile.New()
	c.Mount(matrices.Sources.Path, matrices.Sources.Files)
	c.Mount(attention.Sources.Path, attention.Sources.Files)
	return &bench{d, c}
}

// launch launches a kernel several times, and returns the least time of its execution.
func (m *bench) launch(ctx context.Context, times int, kernel string, bind map[string]any, l device.Launch) (seconds float64, err error) {
	if l.Kernel, err = m.compiler.Kernel(ctx, kernel, bind); err != nil {
		return 0, err
	}
	for i := range times {
		rep, err := m.d.Launch(ctx, l)
		if err != nil {
			return 0, err
		}
		if i == 0 || rep.Seconds < seconds {
			seconds = rep.Seconds
		}
	}
	return seconds, nil
}

// buffer returns a buffer of data, which is freed by done.
func (m *bench) buffer(name string, kind device.Kind, n int, data any) (b device.Buffer, done func(), err error) {
	if b, err = m.d.Alloc(name, kind, n); err != nil {
		return b, func() {}, err
	}
	return b, func() { _ = m.d.Free(b) }, m.d.Write(b, data) // the device is closed soon
}

// cycles returns the largest number of cycles that a warp measures for n products.
func (m *bench) cycles(ctx context.Context, kernel string, which, n, sums, warps int) (float64, error) {
	list := make([]uint32, warps)
	took, done, err := m.buffer("cycles", device.U32, warps, list)
	defer done()
	if err != nil {
		return 0, err
	}
	kind, ends := device.F32, any(make([]float32, warps*32*sums))
	if strings.HasPrefix(kernel, "IntCycles") {
		kind, ends = device.S32, make([]int32, warps*32*sums)
	}
	end, done, err := m.buffer("end", kind, warps*32*sums, ends)
	defer done()
	if err != nil {
		return 0, err
	}
	if _, err = m.launch(ctx, 1, "matrices."+kernel, map[string]any{"which": uint32(which)}, device.Launch{Grid: 1, Block: 32 * warps, Args: []any{uint32(n), took, end}}); err != nil {
		return 0, err
	}
	err = m.d.Read(took, list)
	return float64(slices.Max(list)), err
}

// product returns how long a kernel takes to multiply matrices of n rows, and the product.
func (m *bench) product(ctx context.Context, kernel string, n, times int) (seconds float64, c []float32, err error) {
	c = make([]float32, n*n)
	out, done, err := m.buffer("c", device.F32, n*n, c)
	defer done()
	if err != nil {
		return 0, nil, err
	}
	var factors [2]device.Buffer
	for f, step := range steps {
		numbers := make([]float32, n*n)
		for i := range numbers {
			numbers[i] = float32(factor(n, i/n, i%n, step))
		}
		kind, length, data := device.F32, n*n, any(numbers)
		if kernel != "Plain" {
			packed := make([]uint32, n*n/2)
			for i := range packed {
				packed[i] = gpu.PackF16(numbers[2*i], numbers[2*i+1])
			}
			kind, length, data = device.U32, len(packed), packed
		}
		buffer, done, err := m.buffer("factor", kind, length, data)
		defer done()
		if err != nil {
			return 0, nil, err
		}
		factors[f] = buffer
	}
	l := device.Launch{Grid: n / matrices.Rows * (n / matrices.Columns), Block: matrices.Threads, Args: []any{factors[0], factors[1], out, uint32(n), uint32(n)}}
	if kernel == "Grouped" {
		size := [2]uint32{uint32(n / 2), uint32(n)}
		a, b := device.NewTensorMap2(factors[0], size, [2]uint32{32, matrices.GroupRows}, 128), device.NewTensorMap2(factors[1], size, [2]uint32{32, matrices.GroupColumns}, 128)
		l = device.Launch{Grid: n / matrices.GroupRows * (n / matrices.GroupColumns), Block: matrices.GroupThreads, DynamicShared: matrices.GroupBytes, Args: []any{a, b, out, uint32(n)}}
	}
	if seconds, err = m.launch(ctx, times, "matrices."+kernel, nil, l); err != nil {
		return 0, nil, err
	}
	return seconds, c, m.d.Read(out, c)
}
