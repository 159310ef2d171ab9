//go:build !kernel

package attention_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/kernels/attention"
)

// problem is an attention, and how Attention computes it.
type problem struct {
	heads, queries, keys, width int
	causal                      bool
	group, block, stages        int // queries of a block, keys of a stage, stages
	scores                          // which keys have the large scores

	q, k, v []float32
}

// scores says what all queries have in common: the score of a key, in units of 1.
type scores func(key, keys int) float32

var (
	even   scores = func(_, _ int) float32 { return 0 }
	high   scores = func(_, _ int) float32 { return 100 } // exp of which is no float32
	rising scores = func(key, keys int) float32 { return float32(key * 64 / keys) }
	last   scores = func(key, keys int) float32 { return float32(16 * (key + 1) / keys) } // that of the last key alone, up to 16
)

const scale = 0.125

func (p *problem) String() string {
	return fmt.Sprintf("%d heads, %d queries, %d keys, width %d, causal %v, %d queries in a block, %d stages of %d keys", p.heads, p.queries, p.keys, p.width, p.causal, p.group, p.stages, p.block)
}

// fill makes up numbers of f16 from -2 to 2, and the scores that queries have in common.
func (p *problem) fill() *problem {
	r := rand.New(rand.NewPCG(11, 12))
	list := func(rows int) (x []float32) {
		for range p.heads * rows * p.width {
			x = append(x, gpu.FromF16(gpu.ToF16(4*r.Float32()-2)))
		}
		return x
	}
	p.q, p.k, p.v = list(p.queries), list(p.keys), list(p.keys)
	for i := 0; i < len(p.q); i += p.width {
		p.q[i] = 1 / scale
	}
	for i := 0; i < len(p.k); i += p.width {
		p.k[i] = p.scores(i/p.width%p.keys, p.keys)
	}
	return p
}

// wrong compares a result with that of the CPU in float64, and returns the first number that is too far off; "" if there is none.
//
// Scores are sums of exact products, of which each addition loses up to 2^-23 of the sum of all magnitudes (package mma); a score and the largest one are off by
// that, and the weight by the same part. Approximations of powers of 2, sums of weights and products with them add a few units of 2^-23. In half, a weight and the
// result are rounded to f16 in addition: by 2^-11, or 2^-25 if they are subnormal.
func (p *problem) wrong(out []float32, half bool) string {
	for row := range p.heads * p.queries {
		head, query := row/p.queries, row%p.queries
		seen := p.keys
		if p.causal {
			seen = min(seen, query+1)
		}
		weights, largest, size := make([]float64, seen), math.Inf(-1), 0.
		for key := range weights {
			magnitude := 0.
			for d := range p.width {
				x := float64(p.q[row*p.width+d]) * float64(p.k[(head*p.keys+key)*p.width+d]) * scale
				weights[key], magnitude = weights[key]+x, magnitude+math.Abs(x)
			}
			largest, size = max(largest, weights[key]), max(size, magnitude)
		}
		sum := 0.
		for key := range weights {
			weights[key] = math.Exp(weights[key] - largest)
			sum += weights[key]
		}
		for d := range p.width {
			want, weighed, values := 0., 0., 0.
			for key, weight := range weights {
				x := float64(p.v[(head*p.keys+key)*p.width+d]) / sum
				want, weighed, values = want+weight*x, weighed+weight*math.Abs(x), values+math.Abs(x)
			}
			tolerance := weighed * 2 * (2*size*float64(p.width) + float64(seen) + 64) * math.Ldexp(1, -23)
			if half {
				tolerance += weighed*2*math.Ldexp(1, -11) + (values+1)*math.Ldexp(1, -25)
			}
			if got := float64(out[row*p.width+d]); !(math.Abs(got-want) <= tolerance) {
				return fmt.Sprintf("%v: head %d, query %d, number %d is %g; want %g within %g", p, head, query, d, got, want, tolerance)
			}
		}
	}
	return ""
}

func packed(x []float32) (words []uint32) {
	for i := 0; i < len(x); i += 2 {
		words = append(words, gpu.PackF16(x[i], x[i+1]))
	}
	return words
}

func unpacked(words []uint32) (x []float32) {
	for _, w := range words {
		x = append(x, gpu.FromF16(w&0xFFFF), gpu.FromF16(w>>16))
	}
	return x
}

// tensor returns the sizes and boxes of the map of a factor.
func (p *problem) tensor(rows, box int) (sizes, boxes [3]uint32) {
	return [3]uint32{uint32(p.width / 2), uint32(rows), uint32(p.heads)}, [3]uint32{32, uint32(box), 1}
}

func (p *problem) grid() int    { return p.heads * ((p.queries + p.group - 1) / p.group) }
func (p *problem) threads() int { return int(attention.Threads(uint32(p.group))) }
func (p *problem) bytes() int {
	return int(attention.Bytes(uint32(p.group), uint32(p.stages), uint32(p.block), uint32(p.width)))
}

// native computes it in plain Go.
func (p *problem) native(t *testing.T) []float32 {
	m := func(x []float32, rows, box int) gpu.TensorMap3[uint32] {
		sizes, boxes := p.tensor(rows, box)
		return gpu.NewTensorMap3(packed(x), sizes, boxes, 128)
	}
	out := make([]uint32, len(p.q)/2)
	q, k, v := m(p.q, p.queries, attention.GroupQueries), m(p.k, p.keys, p.block), m(p.v, p.keys, p.block)
	kernel := map[[2]int]func(gpu.Thread, gpu.TensorMap3[uint32], gpu.TensorMap3[uint32], gpu.TensorMap3[uint32], []uint32, float32, uint32, bool){
		{64, 64}: attention.Attention[[32]float32, [32]float32], {128, 64}: attention.Attention[[64]float32, [32]float32],
		{64, 128}: attention.Attention[[32]float32, [64]float32],
	}[[2]int{p.block, p.width}]
	require.NoError(t, gpu.Launch(p.grid(), p.threads(), func(th gpu.Thread) { kernel(th, q, k, v, out, scale, uint32(p.stages), p.causal) }, gpu.DynamicSharedBytes(p.bytes())), "%v", p)
	return unpacked(out)
}

// put copies a slice to a device.
func put(t *testing.T, d device.Device, kind device.Kind, n int, data any) device.Buffer {
	buf, err := d.Alloc("data", kind, n)
	require.NoError(t, err)
	require.NoError(t, d.Write(buf, data))
	return buf
}

// on computes it on a device, and returns the error of the launch.
func (p *problem) on(t *testing.T, c *compile.Compiler, d device.Device) (out []float32, cycles uint64, err error) {
	t.Helper()
	kernel, err := c.Kernel(t.Context(), fmt.Sprintf("attention.Attention[[%d]float32,[%d]float32]", p.block/2, p.width/2), nil)
	require.NoError(t, err)
	m := func(x []float32, rows, box int) device.TensorMap3 {
		words := packed(x)
		sizes, boxes := p.tensor(rows, box)
		return device.NewTensorMap3(put(t, d, device.U32, len(words), words), sizes, boxes, 128)
	}
	words := make([]uint32, len(p.q)/2)
	to := put(t, d, device.U32, len(words), words)
	rep, err := d.Launch(t.Context(), device.Launch{Kernel: kernel, Grid: p.grid(), Block: p.threads(), DynamicShared: p.bytes(),
		Args: []any{m(p.q, p.queries, attention.GroupQueries), m(p.k, p.keys, p.block), m(p.v, p.keys, p.block), to, float32(scale), uint32(p.stages), p.causal}})
	if err == nil {
		err = d.Read(to, words)
	}
	return unpacked(words), rep.Cycles, err
}

// plainOn computes it by Plain on a device.
func (p *problem) plainOn(t *testing.T, c *compile.Compiler, d device.Device) (out []float32, cycles uint64) {
	kernel, err := c.Kernel(t.Context(), fmt.Sprintf("attention.Plain[[%d]float32]", p.width/4), nil)
	require.NoError(t, err)
	buffer := func(x []float32) device.Buffer { return put(t, d, device.F32, len(x), x) }
	out = make([]float32, len(p.q))
	to := buffer(out)
	rep, err := d.Launch(t.Context(), device.Launch{Kernel: kernel, Grid: p.plainGrid(), Block: attention.PlainThreads, DynamicShared: int(attention.PlainBytes(uint32(p.width))),
		Args: []any{buffer(p.q), buffer(p.k), buffer(p.v), to, uint32(p.queries), uint32(p.keys), float32(scale), p.causal}})
	require.NoError(t, err, "%v", p)
	require.NoError(t, d.Read(to, out))
	return out, rep.Cycles
}

func (p *problem) plainGrid() int {
	return p.heads * ((p.queries + attention.PlainQueries - 1) / attention.PlainQueries)
}
