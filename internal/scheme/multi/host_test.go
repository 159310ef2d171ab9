//go:build !kernel

package multi_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/scheme/multi"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// kernelsOf returns all kernels of the scheme for an algorithm.
func kernelsOf[A scheduler.Algorithm[V], V gpu.Num](name, value string) map[string]any {
	of := "[" + name + ", " + value + "]"
	list := map[string]any{
		"scheduler.Init" + of: scheduler.Init[A, V], "scheduler.Turn" + of: scheduler.Turn[A, V],
		"multi.Pack[" + value + "]": multi.Pack[V], "multi.Unpack[" + value + "]": multi.Unpack[V], "multi.Empty[" + value + "]": multi.Empty[V], "multi.MergeFixed" + of: multi.MergeFixed[A, V],
		"multi.Store[uint64]": multi.Store[uint64], "multi.Store[" + value + "]": multi.Store[V],
		"multi.Begin" + of: multi.Begin[A, V], "multi.Collect" + of: multi.Collect[A, V], "multi.Merge" + of: multi.Merge[A, V],
		"multi.NextPhase" + of: multi.NextPhase[A, V], "multi.EnterPhase" + of: multi.EnterPhase[A, V], "multi.CollectSingle[" + value + "]": multi.CollectSingle[V],
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
				for _, transfer := range []string{"host", "peer", "store"} {
					for _, overlap := range []string{"false", "true"} {
						if overlap == "true" && (base == "push" || transfer == "store") || transfer != "peer" && (gpus == 1 || base == "thread" || base == "warp") {
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

// live returns the number of buffers that a run left.
func live(d *native.Group) (n int) {
	for i := range d.GPUs() {
		n += d.GPU(i).(*native.Device).Live
	}
	return n
}

// sssp returns a group of two GPUs and a job of SSSP on a path of vertices.
func sssp(t *testing.T, params map[string]string) (*native.Group, scheduler.Job) {
	d := native.NewGroup(kernelsOf[kernels.SSSP, uint32]("kernels.SSSP", "uint32"), 2)
	return d, ssspJob(t, d, "grid:width=6,keep=1,seed=1", params)
}

func TestSteps(t *testing.T) {
	for _, base := range []string{"warpseg", "push"} {
		d, j := sssp(t, map[string]string{"base": base, "block": "32"})
		var seen []scheduler.Step
		j.Progress = func(s scheduler.Step) { seen = append(seen, s) }
		out, err := multi.New().Run(t.Context(), j)
		require.NoError(t, err)
		require.Zero(t, live(d))
		require.Equal(t, out.Steps, seen)
		require.True(t, seen[0].Setup)
		require.Equal(t, out.Iterations, out.Communication.Iterations)
		require.True(t, out.Communication.Counted)
		last := seen[len(seen)-1]
		next, ok := last.Number("next")
		require.True(t, ok)
		require.Zero(t, next, "it ends when no vertex changes")
		require.Positive(t, out.Communication.Compute)
		require.Positive(t, out.Communication.Transfer)
		require.Zero(t, out.Communication.Overlap, "this device does one thing at a time")
	}
}

// TestWays checks that transfer=auto takes the links if there are some, and that values go the way that was asked for.
func TestWays(t *testing.T) {
	for _, c := range []struct {
		transfer string
		linked   bool
		host     bool
	}{{"auto", true, false}, {"auto", false, true}, {"host", true, true}, {"peer", false, false}} {
		count := func(exchange string) int {
			d, j := sssp(t, map[string]string{"transfer": c.transfer, "exchange": exchange, "block": "32"})
			d.Linked = c.linked
			_, err := multi.New().Run(t.Context(), j)
			require.NoError(t, err)
			if c.host {
				require.Equal(t, 2*36, d.Copied[0], "%+v: values were copied only to the second array", c)
				return d.Copied[1]
			}
			require.Zero(t, d.Copied[1], "%+v", c)
			return d.Copied[0]
		}
		require.Greater(t, count("all"), count("vr-online"), "%+v", c)
	}
}

func TestRunEndsEarly(t *testing.T) {
	for _, base := range []string{"warpseg", "push"} {
		t.Run(base+" at the limit of iterations", func(t *testing.T) {
			d, j := sssp(t, map[string]string{"base": base, "max-iterations": "3", "block": "32"})
			out, err := multi.New().Run(t.Context(), j)
			require.ErrorContains(t, err, "kernels.SSSP did not end within 3 iterations")
			require.Equal(t, 3, out.Iterations)
			require.Nil(t, out.Values)
			require.Zero(t, live(d))
		})
		t.Run(base+" when cancelled", func(t *testing.T) {
			d, j := sssp(t, map[string]string{"base": base, "block": "32"})
			ctx, cancel := context.WithCancel(t.Context())
			j.Progress = func(s scheduler.Step) {
				if s.Iteration == 2 {
					cancel()
				}
			}
			out, err := multi.New().Run(ctx, j)
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, 2, out.Iterations)
			require.Nil(t, out.Values)
			require.Zero(t, live(d))
		})
		t.Run(base+" when a launch fails", func(t *testing.T) {
			for at := 1; at <= 6; at++ {
				d, j := sssp(t, map[string]string{"base": base, "block": "32"})
				d.FailAt, d.Failure = at, errors.New("index out of range")
				out, err := multi.New().Run(t.Context(), j)
				require.ErrorIs(t, err, d.Failure)
				require.NotEmpty(t, out.Steps, "the launch that failed counts, with what it reported")
				require.Nil(t, out.Values)
				require.Zero(t, live(d))
			}
		})
	}
	for exchange, names := range map[string][]string{
		"vr-online": {"outRow", "g.Row", "g.Col", "g.Weight", "values", "next", "need", "tally", "outbox", "inbox", "queue.Stamp"},
		"ms":        {"boundary", "inbox.Vertices"}} {
		for _, name := range names {
			d, j := sssp(t, map[string]string{"exchange": exchange, "block": "32"})
			d.NoMemory = name
			_, err := multi.New().Run(t.Context(), j)
			require.EqualError(t, err, "GPU 0: allocating "+name+": out of memory")
			require.Zero(t, live(d))
		}
	}
}

func TestRunRefuses(t *testing.T) {
	d, j := sssp(t, nil)
	j.Source = 36
	_, err := multi.New().Run(t.Context(), j)
	require.EqualError(t, err, "source 36: graph grid:width=6,keep=1,seed=1 has vertices 0 to 35")
	require.Zero(t, live(d))
	takes := func(a scheduler.Type, params map[string]string) error {
		v, err := multi.New().Values(params)
		require.NoError(t, err)
		return multi.New().Takes(a, v)
	}
	a := scheduler.Type{Name: "a.A", Value: reflect.TypeFor[uint32](), From: map[string]string{"Apply": "scheduler.Min"}}
	require.NoError(t, takes(a, map[string]string{"base": "push"}))
	require.NoError(t, takes(a, map[string]string{"partition": "random", "partition-seed": "2"}))
	require.EqualError(t, takes(a, map[string]string{"partition": "hubs", "partition-seed": "2"}), "partition-seed is of a random order: it needs partition=random")
	require.EqualError(t, takes(a, map[string]string{"base": "push", "overlap": "true"}), "overlap=true needs a base that pulls")
	a.Phased = true
	require.NoError(t, takes(a, nil), "it is pushed")
	require.EqualError(t, takes(a, map[string]string{"base": "thread"}), "a.A runs in phases, which base=thread does not have")
	require.EqualError(t, takes(a, map[string]string{"loop": "device"}), "a.A runs in phases, which loop=device does not have")
	require.EqualError(t, takes(a, map[string]string{"overlap": "true"}), "overlap=true needs a base that pulls")
	a.From["Counts"] = "a.A"
	require.NoError(t, takes(a, nil))
	for _, exchange := range []string{"all", "ms", "vr-offline"} {
		require.EqualError(t, takes(a, map[string]string{"exchange": exchange}), "updates of a.A are counted and do not combine: each is sent, which needs exchange=vr-online")
	}
	added := scheduler.Type{Name: "a.A", Value: reflect.TypeFor[float32](), From: map[string]string{"Apply": "scheduler.Add"}}
	require.NoError(t, takes(added, nil), "it is pushed")
	require.ErrorContains(t, takes(added, map[string]string{"base": "thread"}), "a.A cannot be pulled: its updates add up")
}
