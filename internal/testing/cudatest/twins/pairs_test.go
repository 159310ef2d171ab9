package twins_test

import (
	"math"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
)

// pair is a kernel that exists in both languages, with launches of it.
type pair struct {
	name                       string
	grid, gridY, block, blockY int
	args                       []any // numbers, and words for buffers
	// next changes the arguments behind a launch, and says whether there is another one; nil for one launch.
	next func(round uint32, args []any, read func(arg int) []uint32) bool
	// right checks what the buffers hold at the end.
	right func(t testing.TB, read func(arg int) []uint32)
}

// words and reals are buffers, as they are at the start.
type (
	words []uint32
	reals []float32
)

func floats(n int, of func(i int) float32) reals {
	w := make(reals, n)
	for i := range w {
		w[i] = of(i)
	}
	return w
}

func random(n int) words {
	r := rand.New(rand.NewPCG(1, 2))
	w := make(words, n)
	for i := range w {
		w[i] = r.Uint32()
	}
	return w
}

// near says that floats are what they should be, but for the order of additions.
func near(t testing.TB, got []uint32, want func(i int) float64) {
	for i, w := range got {
		require.InDelta(t, want(i), float64(math.Float32frombits(w)), 1e-4*(1+math.Abs(want(i))), "element %d", i)
	}
}

// pairs returns the kernels. Sizes are those with which a simulated H200 takes a second or less on one core.
func pairs(t testing.TB, scale int) []*pair {
	g, _, err := graph.Open(t.Context(), "uniform:n=20000,degree=8,seed=5", graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	row, col := make(words, g.Vertices()+1), make(words, 0, g.Arcs())
	for v := range uint32(g.Vertices()) {
		col = append(col, g.Neighbors(v)...)
		row[v+1] = uint32(len(col))
	}
	vertices := uint32(g.Vertices())
	level := make(words, vertices)
	for i := range level {
		level[i] = math.MaxUint32
	}
	level[0] = 0
	n := 40_000 * scale
	in := random(n)
	blocks := 128 * scale
	const side = 96
	return []*pair{
		{name: "Axpy", grid: 80, block: 256, args: []any{float32(2), floats(n, func(i int) float32 { return float32(i % 100) }), floats(n, func(i int) float32 { return 1 }), uint32(n)},
			right: func(t testing.TB, read func(int) []uint32) {
				near(t, read(2), func(i int) float64 { return float64(2*(i%100) + 1) })
			}},
		{name: "Dot", grid: 80, block: 256, args: []any{floats(n, func(i int) float32 { return float32(i % 3) }), floats(n, func(i int) float32 { return 2 }), reals{0}, uint32(n)},
			right: func(t testing.TB, read func(int) []uint32) {
				sum := 0
				for i := range n {
					sum += i % 3 * 2
				}
				near(t, read(2), func(int) float64 { return float64(sum) })
			}},
		{name: "Reduce", grid: blocks, block: 256, args: []any{random(blocks * 256), make(words, blocks)},
			right: func(t testing.TB, read func(int) []uint32) {
				in := read(0)
				for b, got := range read(1) {
					sum := uint32(0)
					for _, w := range in[256*b : 256*(b+1)] {
						sum += w
					}
					require.Equal(t, sum, got)
				}
			}},
		{name: "Histogram", grid: 40, block: 256, args: []any{in, make(words, 256), uint32(n)},
			right: func(t testing.TB, read func(int) []uint32) {
				var want [256]uint32
				for _, w := range in {
					want[w%256]++
				}
				require.Equal(t, want[:], read(1))
			}},
		{name: "Step", grid: 80, block: 256, args: []any{row, col, level, uint32(0), words{0}, vertices},
			next: func(round uint32, args []any, read func(int) []uint32) bool {
				args[3] = round
				return round < 12
			},
			right: func(t testing.TB, read func(int) []uint32) {
				want := append(words{}, level...)
				for queue := []uint32{0}; len(queue) > 0; queue = queue[1:] {
					for _, v := range g.Neighbors(queue[0]) {
						if want[v] == math.MaxUint32 {
							want[v] = want[queue[0]] + 1
							queue = append(queue, v)
						}
					}
				}
				require.Equal(t, []uint32(want), read(2))
			}},
		{name: "Product", grid: side / 16, gridY: side / 16, block: 16, blockY: 16,
			args: []any{floats(side*side, func(i int) float32 { return float32(i % 7) }), floats(side*side, func(i int) float32 { return float32(i % 5) }), make(reals, side*side), uint32(side)},
			right: func(t testing.TB, read func(int) []uint32) {
				near(t, read(2), func(i int) float64 {
					sum := 0
					for k := range side {
						sum += (i/side*side + k) % 7 * ((k*side + i%side) % 5)
					}
					return float64(sum)
				})
			}},
		{name: "Rank", grid: 80, block: 256, args: []any{row, col, floats(int(vertices), func(i int) float32 { return float32(i%9) / 8 }), make(reals, vertices), vertices},
			right: func(t testing.TB, read func(int) []uint32) {
				near(t, read(3), func(i int) float64 {
					sum := 0.0
					for _, v := range g.Neighbors(uint32(i)) {
						sum += float64(v%9) / 8
					}
					return 0.85*sum + 0.15
				})
			}},
		{name: "Scan", grid: blocks, block: 256, args: []any{random(blocks * 256)},
			right: func(t testing.TB, read func(int) []uint32) {
				sum := uint32(0)
				in := random(blocks * 256)
				for i, got := range read(0) {
					if i%256 == 0 {
						sum = 0
					}
					sum += in[i]
					require.Equal(t, sum, got)
				}
			}},
		{name: "Transpose", grid: 8, gridY: 8, block: 32, blockY: 8, args: []any{floats(256*256, func(i int) float32 { return float32(i) }), make(reals, 256*256), uint32(256)},
			right: func(t testing.TB, read func(int) []uint32) {
				in, out := read(0), read(1)
				for i, got := range out {
					require.Equal(t, in[i%256*256+i/256], got)
				}
			}},
		{name: "Mix", grid: blocks / 2, block: 256, args: []any{make(words, blocks/2*256)},
			right: func(t testing.TB, read func(int) []uint32) {
				for i, got := range read(0) {
					x := uint32(i) + 1
					for range 256 {
						x ^= x << 13
						x ^= x >> 17
						x ^= x << 5
					}
					require.Equal(t, x, got)
				}
			}},
	}
}

// result is what the launches of a pair took, on the device and of this computer's processors.
type result struct {
	device.Report
	Host time.Duration
}

// processorTime returns what the process has taken so far, which depends less on what else runs here than time does.
func processorTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// run launches a kernel of a pair on a device, on buffers of its own, and checks what it leaves.
func (p *pair) run(t testing.TB, d device.Device, k *device.Kernel) (total result) {
	args := make([]any, len(p.args))
	buffers := map[int]device.Buffer{}
	for i, a := range p.args {
		args[i] = a
		place := func(kind device.Kind, n int, data any) {
			b, err := d.Alloc("", kind, n)
			require.NoError(t, err)
			require.NoError(t, d.Write(b, data))
			args[i], buffers[i] = b, b
		}
		switch w := a.(type) {
		case words:
			place(device.U32, len(w), []uint32(w))
		case reals:
			place(device.F32, len(w), []float32(w))
		}
	}
	read := func(arg int) []uint32 { // floats as their bits
		b := buffers[arg]
		w := make([]uint32, b.Len)
		if b.Elem == device.U32 {
			require.NoError(t, d.Read(b, w))
			return w
		}
		real := make([]float32, b.Len)
		require.NoError(t, d.Read(b, real))
		for i, f := range real {
			w[i] = math.Float32bits(f)
		}
		return w
	}
	for round := uint32(1); ; round++ {
		start := processorTime(t)
		r, err := d.Launch(t.Context(), device.Launch{Kernel: k, Grid: p.grid, GridY: p.gridY, Block: p.block, BlockY: p.blockY, Args: args, Fresh: round == 1})
		total.Host += processorTime(t) - start
		require.NoError(t, err)
		total.Cycles += r.Cycles
		total.Seconds += r.Seconds
		total.Counters = r.Counters
		if p.next == nil || !p.next(round, args, read) {
			break
		}
	}
	p.right(t, read)
	for _, b := range buffers {
		require.NoError(t, d.Free(b))
	}
	return total
}
