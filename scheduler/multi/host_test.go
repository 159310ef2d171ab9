//go:build !kernel

package multi_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/graph/reference"
	"github.com/weft-gpu/weft/internal/native"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
	"github.com/weft-gpu/weft/scheduler/multi"
)

// kernelsOf returns all kernels of the scheme for an algorithm.
func kernelsOf[A scheduler.Algorithm[V], V gpu.Num](name, value string) map[string]any {
	of := "[" + name + ", " + value + "]"
	list := map[string]any{
		"scheduler.Init" + of: scheduler.Init[A, V], "scheduler.Turn" + of: scheduler.Turn[A, V],
		"multi.Pack[" + value + "]": multi.Pack[V], "multi.Unpack[" + value + "]": multi.Unpack[V], "multi.Empty[" + value + "]": multi.Empty[V], "multi.MergeFixed" + of: multi.MergeFixed[A, V],
		"multi.Begin" + of: multi.Begin[A, V], "multi.Collect" + of: multi.Collect[A, V], "multi.Merge" + of: multi.Merge[A, V],
	}
	for _, base := range []string{"Segments", "Lanes", "Warps"} {
		between := fmt.Sprintf("[%s, multi.%s, %s]", name, base, value)
		list["multi.Pull"+between] = map[string]any{"Segments": multi.Pull[A, multi.Segments, V], "Lanes": multi.Pull[A, multi.Lanes, V], "Warps": multi.Pull[A, multi.Warps, V]}[base]
		list["multi.PullSend"+between] = map[string]any{"Segments": multi.PullSend[A, multi.Segments, V], "Lanes": multi.PullSend[A, multi.Lanes, V], "Warps": multi.PullSend[A, multi.Warps, V]}[base]
	}
	list[fmt.Sprintf("multi.Push[%s, scheduler.WarpPerVertex, %s]", name, value)] = multi.Push[A, scheduler.WarpPerVertex, V]
	return list
}

// ssspJob returns a job of SSSP.
func ssspJob(t *testing.T, d *native.Group, spec string, params map[string]string) scheduler.Job {
	g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
	require.NoError(t, err)
	g, _, err = g.WithWeights(t.Context())
	require.NoError(t, err)
	s := multi.New()
	require.NoError(t, s.Validate())
	values, err := s.Values(params)
	require.NoError(t, err)
	source, _ := g.MaxDegreeVertex()
	return scheduler.Job{Device: d, Kernels: d, Graph: g, Source: source, Params: values,
		Algorithm: scheduler.Type{Name: "kernels.SSSP", Value: reflect.TypeFor[uint32](), Fields: []scheduler.Field{{Name: "Delta", Elem: reflect.TypeFor[uint32]()}},
			From: map[string]string{"Apply": "scheduler.Min", "Combine": "scheduler.Min"}}}
}

func TestRun(t *testing.T) {
	const spec = "rmat:scale=6,degree=4,seed=3,directed=true"
	for _, gpus := range []int{1, 3} {
		for _, exchange := range []string{"all", "ms", "vr-offline", "vr-online"} {
			for _, base := range []string{"warpseg", "thread", "warp", "push"} {
				for _, transfer := range []string{"host", "peer"} {
					for _, overlap := range []string{"false", "true"} {
						if base == "push" && overlap == "true" {
							continue
						}
						t.Run(fmt.Sprint(gpus, exchange, base, transfer, overlap), func(t *testing.T) {
							d := native.NewGroup(kernelsOf[kernels.SSSP, uint32]("kernels.SSSP", "uint32"), gpus)
							j := ssspJob(t, d, spec, map[string]string{"block": "32", "base": base, "exchange": exchange, "transfer": transfer, "overlap": overlap})
							out, err := multi.New().Run(t.Context(), j)
							require.NoError(t, err)
							require.NoError(t, reference.CheckSSSP(t.Context(), j.Graph, j.Source, out.Values.([]uint32)))
						})
					}
				}
			}
		}
	}
}
