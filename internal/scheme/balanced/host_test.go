//go:build !kernel

package balanced_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/scheme/balanced"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

var (
	bfsType      = scheduler.Type{Name: "kernels.BFS", Value: reflect.TypeFor[uint32](), From: map[string]string{"Apply": "scheduler.Min"}}
	pageRankType = scheduler.Type{Name: "kernels.PageRank", Value: reflect.TypeFor[float32](), Fields: []scheduler.Field{
		{Name: "Rank", Elem: reflect.TypeFor[float32](), Array: true},
		{Name: "Damping", Elem: reflect.TypeFor[float32](), Default: "0.85"},
		{Name: "Epsilon", Elem: reflect.TypeFor[float32](), Default: "0.0001"},
	}, From: map[string]string{"Take": "kernels.PageRank", "Consumes": "kernels.PageRank"}}
)

func newDevice() *native.Device {
	all := map[string]any{
		"scheduler.Split":                             scheduler.Split,
		"scheduler.Init[kernels.BFS, uint32]":         scheduler.Init[kernels.BFS, uint32],
		"balanced.Gather[kernels.BFS, uint32]":        balanced.Gather[kernels.BFS, uint32],
		"balanced.Expand[kernels.BFS, uint32]":        balanced.Expand[kernels.BFS, uint32],
		"scheduler.Init[kernels.PageRank, float32]":   scheduler.Init[kernels.PageRank, float32],
		"balanced.Gather[kernels.PageRank, float32]":  balanced.Gather[kernels.PageRank, float32],
		"balanced.Expand[kernels.PageRank, float32]":  balanced.Expand[kernels.PageRank, float32],
		"balanced.Collect[kernels.PageRank, float32]": balanced.Collect[kernels.PageRank, float32],
	}
	add[scheduler.ThreadPerVertex](all, "scheduler.ThreadPerVertex")
	add[scheduler.WarpPerVertex](all, "scheduler.WarpPerVertex")
	add[scheduler.BlockPerVertex](all, "scheduler.BlockPerVertex")
	return native.New(all)
}

func add[M scheduler.Mapping](all map[string]any, m string) {
	all["balanced.Bucket[kernels.BFS, "+m+", uint32]"] = balanced.Bucket[kernels.BFS, M, uint32]
	all["balanced.Bucket[kernels.PageRank, "+m+", float32]"] = balanced.Bucket[kernels.PageRank, M, float32]
}

func job(t *testing.T, d *native.Device, a scheduler.Type, spec string, params map[string]string) scheduler.Job {
	t.Helper()
	values, err := balanced.New().Values(params)
	require.NoError(t, err)
	g, _, err := graph.Open(t.Context(), spec, graph.LoadOptions{})
	require.NoError(t, err)
	j := scheduler.Job{Device: d, Kernels: d, Algorithm: a, Graph: g, Params: values}
	j.Source, _ = g.MaxDegreeVertex()
	return j
}

// TestLevels runs BFS in both ways: each iteration is a level, with as many vertices in its frontier as the level has, and
// with vertices of degree 0, of all buckets and blocks of several sizes.
func TestLevels(t *testing.T) {
	for _, balance := range []string{"search", "buckets"} {
		for _, block := range []string{"32", "64", "256"} {
			for _, spec := range []string{"rmat:scale=8,degree=12,seed=3", "rmat:scale=7,degree=4,directed=true,seed=2", "grid:width=9,keep=0.8,seed=1"} {
				d := newDevice()
				j := job(t, d, bfsType, spec, map[string]string{"balance": balance, "block": block})
				out, err := balanced.New().Run(t.Context(), j)
				require.NoError(t, err)
				require.NoError(t, reference.CheckBFS(t.Context(), j.Graph, j.Source, out.Values.([]uint32)))
				size := map[int]int{}
				for _, level := range out.Values.([]uint32) {
					size[int(level)]++
				}
				for _, s := range out.Steps {
					if n, ok := s.Number("frontier"); ok {
						require.Equal(t, size[s.Iteration-1], int(n), "%s, level %d", balance, s.Iteration-1)
					}
				}
				require.Zero(t, d.Live)
			}
		}
	}
}

// TestCollect runs PageRank with updates that add to the frontier, and with the kernel that looks for it. The sum of ranks and
// residuals does not depend on that.
func TestCollect(t *testing.T) {
	for _, balance := range []string{"search", "buckets"} {
		for _, collect := range []string{"false", "true"} {
			d := newDevice()
			j := job(t, d, pageRankType, "rmat:scale=6,degree=8,seed=3", map[string]string{"balance": balance, "collect": collect, "block": "64"})
			out, err := balanced.New().Run(t.Context(), j)
			require.NoError(t, err)
			for v, residual := range out.Values.([]float32) {
				require.Less(t, residual, float32(0.0001), "vertex %d", v)
			}
			exact := ranks(j.Graph)
			for v, rank := range out.Arrays["Rank"].([]float32) {
				require.InEpsilon(t, exact[v], rank, 0.0001/0.15+1e-5, "vertex %d", v)
			}
			require.Zero(t, d.Live)
			collected := map[int]int{} // how often the second kernel ran, by iteration
			for _, s := range out.Steps {
				if s.Kernel == "balanced.Collect[kernels.PageRank, float32]" {
					collected[s.Iteration]++
				}
			}
			if collect == "false" {
				require.Empty(t, collected)
				continue
			}
			require.Len(t, collected, out.Iterations, "%s: each iteration looks for the next frontier", balance)
			for i, times := range collected {
				require.Equal(t, 1, times, "%s: iteration %d", balance, i)
			}
		}
	}
}

// ranks iterates the definition of PageRank.
func ranks(g *graph.CSR) []float64 {
	rank := make([]float64, g.Vertices())
	for range 200 {
		next := make([]float64, len(rank))
		for v := range next {
			next[v] += 0.15
			for _, u := range g.Neighbors(uint32(v)) {
				next[u] += 0.85 * rank[v] / float64(g.Degree(uint32(v)))
			}
		}
		rank = next
	}
	return rank
}

func TestBad(t *testing.T) {
	s := balanced.New()
	require.NoError(t, s.Validate())
	_, err := s.Values(map[string]string{"balance": "none"})
	require.EqualError(t, err, `parameter balance of scheduler balanced: "none" is not one of search, buckets`)
	p, err := s.Values(map[string]string{"collect": "true"})
	require.NoError(t, err)
	require.EqualError(t, s.Takes(bfsType, p), "parameter collect of scheduler balanced: kernels.BFS does not collect in its value what it has to send, as PageRank does")
	for _, balance := range []string{"search", "buckets"} {
		for _, name := range []string{"g.Row", "work.Total", "bucket.Counts", "queue.Stamp"} {
			d := newDevice()
			d.NoMemory = name
			_, err := s.Run(t.Context(), job(t, d, bfsType, "grid:width=4", map[string]string{"balance": balance}))
			if name != "work.Total" && name != "bucket.Counts" || (name == "work.Total") == (balance == "search") {
				require.EqualError(t, err, "allocating "+name+": out of memory")
			}
			require.Zero(t, d.Live)
		}
		for at := 1; at <= 3; at++ {
			d := newDevice()
			d.FailAt, d.Failure = at, errors.New("index out of range")
			out, err := s.Run(t.Context(), job(t, d, bfsType, "grid:width=4", map[string]string{"balance": balance}))
			require.ErrorIs(t, err, d.Failure)
			require.Nil(t, out.Values)
			require.Zero(t, d.Live)
		}
	}
}

// asker counts the answers that come with a launch, the reads that are requests of their own, and what is prepared late, after the first
// launch.
type asker struct {
	*native.Device
	answers, reads, late int
}

func (d *asker) LaunchRead(ctx context.Context, l device.Launch, a device.Answer) (*device.Report, error) {
	d.answers++
	return device.LaunchThenRead(ctx, d.Device, l, a)
}

func (d *asker) Alloc(name string, elem device.Kind, n int) (device.Buffer, error) {
	d.late += min(d.answers, 1)
	return d.Device.Alloc(name, elem, n)
}

func (d *asker) Write(b device.Buffer, from any) error {
	d.late += min(d.answers, 1)
	return d.Device.Write(b, from)
}

func (d *asker) Read(b device.Buffer, to any) error {
	d.reads++
	return d.Device.Read(b, to)
}

// TestAnswers checks that each iteration has one answer, which comes with its last launch, as the kernel that prepares the run has, that
// nothing but the values is read, and that all is prepared before the first launch, where the algorithm time begins.
func TestAnswers(t *testing.T) {
	for _, balance := range []string{"search", "buckets"} {
		d := newDevice()
		j := job(t, d, bfsType, "grid:width=9", map[string]string{"balance": balance})
		count := &asker{Device: d}
		j.Device = count
		out, err := balanced.New().Run(t.Context(), j)
		require.NoError(t, err)
		require.Equal(t, out.Iterations+1, count.answers, balance)
		require.Equal(t, 1, count.reads, balance)
		require.Zero(t, count.late, balance)
	}
}
