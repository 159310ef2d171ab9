//go:build !kernel

package atos_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/scheme/atos"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

var (
	bfsType  = scheduler.Type{Name: "kernels.BFS", Value: reflect.TypeFor[uint32]()}
	ssspType = scheduler.Type{Name: "kernels.SSSP", Value: reflect.TypeFor[uint32](), Fields: []scheduler.Field{{Name: "Delta", Elem: reflect.TypeFor[uint32]()}}}
	// colouringType is speculative.
	colouringType = scheduler.Type{Name: "kernels.Colouring", Value: reflect.TypeFor[uint64](), Symmetric: true,
		Fields: []scheduler.Field{{Name: "Degree", Elem: reflect.TypeFor[uint32](), Array: true}, {Name: "Least", Elem: reflect.TypeFor[uint32](), Array: true}},
		From:   map[string]string{"Choose": "kernels.Colouring", "Conflict": "kernels.Colouring", "Guess": "kernels.Colouring", "Apply": "kernels.Colouring"}}
)

func newDevice() *native.Device {
	all := map[string]any{
		"atos.Init[kernels.BFS, uint32]":            atos.Init[kernels.BFS, uint32],
		"atos.Init[kernels.SSSP, uint32]":           atos.Init[kernels.SSSP, uint32],
		"atos.InitEach[kernels.BFS, uint32]":        atos.InitEach[kernels.BFS, uint32],
		"atos.InitEach[kernels.SSSP, uint32]":       atos.InitEach[kernels.SSSP, uint32],
		"atos.Init[kernels.Colouring, uint64]":      atos.Init[kernels.Colouring, uint64],
		"scheduler.Split":                           scheduler.Split,
		"scheduler.Init[kernels.Colouring, uint64]": scheduler.Init[kernels.Colouring, uint64],
	}
	add[scheduler.BlockPerVertex](all, "scheduler.BlockPerVertex")
	add[scheduler.WarpPerVertex](all, "scheduler.WarpPerVertex")
	add[scheduler.ThreadPerVertex](all, "scheduler.ThreadPerVertex")
	return native.New(all)
}

// add adds the kernels for workers of one size.
func add[M scheduler.Mapping](all map[string]any, m string) {
	maps.Copy(all, map[string]any{
		"atos.Relax[kernels.BFS, " + m + ", uint32]":               atos.Relax[kernels.BFS, M, uint32],
		"atos.RelaxPortion[kernels.BFS, " + m + ", uint32]":        atos.RelaxPortion[kernels.BFS, M, uint32],
		"atos.Relax[kernels.SSSP, " + m + ", uint32]":              atos.Relax[kernels.SSSP, M, uint32],
		"atos.RelaxPortion[kernels.SSSP, " + m + ", uint32]":       atos.RelaxPortion[kernels.SSSP, M, uint32],
		"atos.Each[kernels.BFS, " + m + ", uint32]":                atos.Each[kernels.BFS, M, uint32],
		"atos.EachPortion[kernels.BFS, " + m + ", uint32]":         atos.EachPortion[kernels.BFS, M, uint32],
		"atos.Each[kernels.SSSP, " + m + ", uint32]":               atos.Each[kernels.SSSP, M, uint32],
		"atos.EachPortion[kernels.SSSP, " + m + ", uint32]":        atos.EachPortion[kernels.SSSP, M, uint32],
		"atos.Colour[kernels.Colouring, " + m + ", uint64]":        atos.Colour[kernels.Colouring, M, uint64],
		"atos.ColourPortion[kernels.Colouring, " + m + ", uint64]": atos.ColourPortion[kernels.Colouring, M, uint64],
		"atos.Choose[kernels.Colouring, " + m + ", uint64]":        atos.Choose[kernels.Colouring, M, uint64],
		"atos.Detect[kernels.Colouring, " + m + ", uint64]":        atos.Detect[kernels.Colouring, M, uint64],
	})
}

func open(t *testing.T, spec string) *graph.CSR {
	g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
	require.NoError(t, err)
	return g
}

// job returns a run of BFS on a small graph, from its vertex of largest degree.
func job(t *testing.T, d *native.Device, params map[string]string) scheduler.Job {
	values, err := atos.New().Values(params)
	require.NoError(t, err)
	j := scheduler.Job{Device: d, Kernels: d, Algorithm: bfsType, Graph: open(t, "rmat:scale=6,degree=6,seed=3"), Params: values}
	j.Source, _ = j.Graph.MaxDegreeVertex()
	return j
}

func quantity(t *testing.T, s scheduler.Step, name string) float64 {
	x, ok := s.Number(name)
	require.True(t, ok, name)
	return x
}

func number(t *testing.T, s scheduler.Step, name string) int { return int(quantity(t, s, name)) }

// layouts are workers of each size, with large and small fetch sizes.
var layouts = []map[string]string{
	{"block": "64"},
	{"block": "96", "fetch": "7"},
	{"worker": "warp", "block": "64"},
	{"worker": "warp", "block": "64", "fetch": "1"},
	{"worker": "thread", "block": "32"},
}

// with returns the parameters and one more.
func with(params map[string]string, name, value string) map[string]string {
	all := maps.Clone(params)
	all[name] = value
	return all
}

// TestAnswers runs the persistent and the discrete kernels as plain Go, with and without merging.
func TestAnswers(t *testing.T) {
	for _, layout := range layouts {
		for i := range 4 {
			d := newDevice()
			j := job(t, d, with(with(layout, "kernel", []string{"persistent", "discrete"}[i%2]), "merge", []string{"true", "false"}[i/2]))
			out, err := atos.New().Run(t.Context(), j)
			require.NoError(t, err)
			require.NoError(t, reference.CheckBFS(t.Context(), j.Graph, j.Source, out.Values.([]uint32)))
			reached, arcs := 0, 0
			for v, level := range out.Values.([]uint32) {
				if level != kernels.Unreached {
					reached++
					arcs += j.Graph.Degree(uint32(v))
				}
			}
			last := out.Steps[len(out.Steps)-1]
			require.Equal(t, reached, number(t, last, "least"), "each vertex that was reached is visited")
			require.GreaterOrEqual(t, visits(out), reached)
			require.InDelta(t, float64(visits(out))/float64(reached), quantity(t, last, "overwork"), 1e-9)
			require.GreaterOrEqual(t, number(t, last, "arcs"), arcs)

			j.Algorithm = ssspType
			j.Graph, _, err = j.Graph.WithWeights(t.Context())
			require.NoError(t, err)
			out, err = atos.New().Run(t.Context(), j)
			require.NoError(t, err)
			require.NoError(t, reference.CheckSSSP(t.Context(), j.Graph, j.Source, out.Values.([]uint32)))
			require.Zero(t, d.Live)
		}
	}
}

// visits returns the number of visits of all steps.
func visits(out *scheduler.Outcome) int {
	sum := 0.0
	for _, s := range out.Steps {
		n, _ := s.Number("visited")
		sum += n
	}
	return int(sum)
}

// TestColouring runs the three forms of the speculative colouring.
func TestColouring(t *testing.T) {
	for _, layout := range append(slices.Clone(layouts), map[string]string{"worker": "buckets", "block": "64"}) {
		for _, kernel := range []string{"persistent", "discrete", "bsp"} {
			if layout["worker"] == "buckets" && kernel != "bsp" {
				continue
			}
			d := newDevice()
			j := job(t, d, with(layout, "kernel", kernel))
			j.Algorithm = colouringType
			j.Graph = open(t, "rmat:scale=8,degree=8,seed=3") // with vertices for all buckets
			out, err := atos.New().Run(t.Context(), j)
			require.NoError(t, err)
			colours, err := kernels.ColouringHost.Answer(out)
			require.NoError(t, err)
			require.NoError(t, reference.CheckColouring(t.Context(), j.Graph, colours.([]uint64)))
			n := j.Graph.Vertices()
			last := out.Steps[len(out.Steps)-1]
			require.Equal(t, n, number(t, last, "least"), "each vertex chooses")
			require.GreaterOrEqual(t, visits(out), n)
			require.InDelta(t, float64(visits(out))/float64(n), quantity(t, last, "overwork"), 1e-9)
			require.GreaterOrEqual(t, number(t, last, "arcs"), 2*int(j.Graph.Arcs()), "each vertex looks at its neighbors twice")
			require.Zero(t, d.Live)
		}
	}
}

// TestDiscrete checks the launches of the discrete kernel on a star: the hub, and then its
// 20 leaves in portions of 8.
func TestDiscrete(t *testing.T) {
	d := newDevice()
	j := job(t, d, map[string]string{"kernel": "discrete", "portion": "8", "block": "32"})
	star := make([]graph.Edge, 20)
	for i := range star {
		star[i] = graph.Edge{From: 0, To: uint32(i + 1)}
	}
	var err error
	j.Graph, _, err = graph.FromEdges(t.Context(), "star", 21, star, graph.LoadOptions{})
	require.NoError(t, err)
	j.Source = 0
	out, err := atos.New().Run(t.Context(), j)
	require.NoError(t, err)
	var got []string
	for _, s := range out.Steps[1:] {
		got = append(got, fmt.Sprintf("%d: %d", s.Iteration, number(t, s, "visited")))
	}
	require.Equal(t, []string{"1: 1", "2: 8", "2: 8", "2: 4"}, got)
	require.Equal(t, 2, out.Iterations)
	require.InDelta(t, 1, quantity(t, out.Steps[4], "overwork"), 0)

	j.Params, err = atos.New().Values(map[string]string{"kernel": "discrete", "max-iterations": "1"})
	require.NoError(t, err)
	_, err = atos.New().Run(t.Context(), j)
	require.EqualError(t, err, "kernels.BFS did not end within 1 iterations: 20 vertices are still active")
	require.Zero(t, d.Live)
}

// TestLeastWork runs one worker that takes one task at a time. It processes the tasks of a
// breadth-first search in their order, so that no visit is in excess.
func TestLeastWork(t *testing.T) {
	d := newDevice()
	j := job(t, d, map[string]string{"block": "64", "fetch": "1", "blocks": "1"})
	out, err := atos.New().Run(t.Context(), j)
	require.NoError(t, err)
	last := out.Steps[len(out.Steps)-1]
	require.Equal(t, number(t, last, "least"), number(t, last, "visited"))
	require.Equal(t, 1, out.Rounds)
	require.Equal(t, []int{1, 1}, d.Grids[len(d.Grids)-2:])
}

// launches is a device that sees each launch.
type launches struct {
	*native.Device
	saw func(l device.Launch)
}

func (d launches) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	d.saw(l)
	return d.Device.Launch(ctx, l)
}

// TestFetch checks that the number of tasks that a worker takes is the parameter, or one for each of its threads.
func TestFetch(t *testing.T) {
	for _, kernel := range []string{"persistent", "discrete"} {
		for _, merge := range []string{"true", "false"} {
			for fetch, want := range map[string]uint32{"1": 1, "4": 4, "0": 32} {
				d := newDevice()
				j := job(t, d, map[string]string{"worker": "warp", "block": "64", "fetch": fetch, "kernel": kernel, "merge": merge})
				seen := []uint32{}
				j.Device = launches{d, func(l device.Launch) {
					for _, a := range l.Args {
						if shape, ok := a.(scheduler.TaskShape); ok {
							seen = append(seen, shape.Fetch)
						}
					}
				}}
				_, err := atos.New().Run(t.Context(), j)
				require.NoError(t, err)
				require.Equal(t, []uint32{want}, slices.Compact(seen), "%s, merge=%s, fetch=%s", kernel, merge, fetch)
			}
		}
	}
}

// TestOverwork runs one worker on a graph with a shortcut: vertex 1 is visited with distance
// 10, and once more when the way over 2 and 3 has lowered it to 3, whether requests for a task that waits are merged or not.
func TestOverwork(t *testing.T) {
	for i := range 4 {
		kernel, merge := []string{"persistent", "discrete"}[i%2], []string{"true", "false"}[i/2]
		d := newDevice()
		j := job(t, d, map[string]string{"worker": "warp", "block": "32", "fetch": "1", "blocks": "1", "kernel": kernel, "merge": merge, "portion": "1", "streams": "1"})
		var err error
		j.Algorithm, j.Source = ssspType, 0
		j.Graph, _, err = graph.FromEdges(t.Context(), "shortcut", 4,
			[]graph.Edge{{From: 0, To: 1, Weight: 10}, {From: 0, To: 2, Weight: 1}, {From: 2, To: 3, Weight: 1}, {From: 3, To: 1, Weight: 1}}, graph.LoadOptions{})
		require.NoError(t, err)
		out, err := atos.New().Run(t.Context(), j)
		require.NoError(t, err)
		require.Equal(t, []uint32{0, 3, 1, 2}, out.Values)
		last := out.Steps[len(out.Steps)-1]
		require.Equal(t, 5, visits(out))
		require.Equal(t, 4, number(t, last, "least"))
		require.InDelta(t, 1.25, quantity(t, last, "overwork"), 0)
		require.Equal(t, 4, number(t, last, "arcs"))
		require.Equal(t, 2, out.Rounds)
	}
}

// TestMerge runs one thread at a time on a diamond, whose last vertex is made active twice while it waits: by a path of
// weight 10 and by one of weight 2. Merged, it is visited once.
func TestMerge(t *testing.T) {
	for merge, want := range map[string]int{"true": 4, "false": 5} {
		d := newDevice()
		j := job(t, d, map[string]string{"worker": "warp", "block": "32", "fetch": "1", "blocks": "1", "merge": merge})
		var err error
		j.Algorithm, j.Source = ssspType, 0
		j.Graph, _, err = graph.FromEdges(t.Context(), "diamond", 4,
			[]graph.Edge{{From: 0, To: 1, Weight: 1}, {From: 0, To: 2, Weight: 1}, {From: 1, To: 3, Weight: 9}, {From: 2, To: 3, Weight: 1}}, graph.LoadOptions{})
		require.NoError(t, err)
		out, err := atos.New().Run(t.Context(), j)
		require.NoError(t, err)
		require.Equal(t, []uint32{0, 1, 1, 2}, out.Values)
		require.Equal(t, want, visits(out), "merge=%s", merge)
		require.Equal(t, 4, number(t, out.Steps[len(out.Steps)-1], "least"))
	}
}

// TestFull runs out of slots: a hub has more leaves than the queue has room.
func TestFull(t *testing.T) {
	for _, kernel := range []string{"persistent", "discrete"} {
		d := newDevice()
		j := job(t, d, map[string]string{"merge": "false", "slots": "3", "kernel": kernel, "block": "32"})
		out, err := atos.New().Run(t.Context(), j)
		require.EqualError(t, err, "parameter slots of scheduler atos: the queue is full: more than 4 tasks wait; set more slots, or merge=true")
		require.Nil(t, out.Values)
		require.Zero(t, d.Live)
	}
}

func TestRunEndsEarly(t *testing.T) {
	t.Run("when a launch fails", func(t *testing.T) {
		for at := 1; at <= 2; at++ {
			d := newDevice()
			d.FailAt, d.Failure = at, errors.New("index out of range")
			out, err := atos.New().Run(t.Context(), job(t, d, nil))
			require.ErrorIs(t, err, d.Failure)
			require.Zero(t, d.Live)
			require.Len(t, out.Steps, at, "the launch that failed counts, with what it reported")
			require.Nil(t, out.Values)
		}
	})
	t.Run("when cancelled", func(t *testing.T) {
		d := newDevice()
		ctx, cancel := context.WithCancel(context.Background())
		d.After = cancel
		_, err := atos.New().Run(ctx, job(t, d, nil))
		require.ErrorIs(t, err, context.Canceled)
		require.Zero(t, d.Live)
	})
	t.Run("without memory", func(t *testing.T) {
		for _, name := range []string{"g.Row", "values", "done", "queue.Slots", "queue.Requests", "queue.Done", "history.Visits"} {
			d := newDevice()
			d.NoMemory = name
			_, err := atos.New().Run(t.Context(), job(t, d, nil))
			require.EqualError(t, err, "allocating "+name+": out of memory")
			require.Zero(t, d.Live)
		}
	})
	t.Run("without kernels", func(t *testing.T) {
		d := newDevice()
		j := job(t, d, nil)
		j.Algorithm.Name = "kernels.CC"
		_, err := atos.New().Run(t.Context(), j)
		require.EqualError(t, err, "no kernel atos.Init[kernels.CC, uint32]")
	})
}

func TestParameters(t *testing.T) {
	s := atos.New()
	require.NoError(t, s.Validate())
	for want, given := range map[string]map[string]string{
		`parameter worker of scheduler atos: "grid" is not one of thread, warp, block, buckets`:                                                                                                             {"worker": "grid"},
		`parameter block of scheduler atos: 100 is not a multiple of 32 from 32 to 1024`:                                                                                                                    {"block": "100"},
		`parameter fetch of scheduler atos: 1025 is not a whole number from 0 to 1024`:                                                                                                                      {"fetch": "1025"},
		`parameter blocks of scheduler atos: -1 is not a whole number of at least 0`:                                                                                                                        {"blocks": "-1"},
		`parameter kernel of scheduler atos: "fused" is not one of persistent, discrete, bsp`:                                                                                                               {"kernel": "fused"},
		`parameter streams of scheduler atos: 0 is not a whole number from 1 to 32`:                                                                                                                         {"streams": "0"},
		`parameter history of scheduler atos: -1 is not a whole number from 0 to 1000000000`:                                                                                                                {"history": "-1"},
		`parameter sleep of scheduler atos: 2000000 is not a whole number from 0 to 1000000`:                                                                                                                {"sleep": "2000000"},
		`scheduler atos has no parameter "queue"; there are: block, blocks, check, fetch, history, inbox, kernel, max-iterations, merge, partition, partition-seed, portion, sleep, slots, streams, worker`: {"queue": "1"},
	} {
		_, err := s.Values(given)
		require.EqualError(t, err, want)
	}
	for want, given := range map[string]map[string]string{
		"parameter fetch of scheduler atos: 33 tasks for a worker of 32 threads (worker=warp); a thread takes one at a time":                                          {"worker": "warp", "fetch": "33"},
		"parameter fetch of scheduler atos: 2 tasks for a worker of 1 threads (worker=thread); a thread takes one at a time":                                          {"worker": "thread", "fetch": "2"},
		"parameter fetch of scheduler atos: 200 tasks for a worker of 128 threads (worker=block); a thread takes one at a time":                                       {"block": "128", "fetch": "200"},
		"parameter worker of scheduler atos: buckets are for kernel=bsp; workers that share a queue have one size":                                                    {"worker": "buckets"},
		"parameter slots of scheduler atos: with merge=true a queue has as many slots as it can need":                                                                 {"slots": "7"},
		"parameter kernel of scheduler atos: bsp is for speculative algorithms; schedulers balanced, thread, warp and block are bulk-synchronous and run kernels.BFS": {"kernel": "bsp"},
		"partition-seed is of a random order: it needs partition=random":                                                                                              {"partition-seed": "3"},
	} {
		p, err := s.Values(given)
		require.NoError(t, err)
		require.EqualError(t, s.Takes(bfsType, p), want)
	}
	p, err := s.Values(map[string]string{"worker": "buckets", "kernel": "bsp", "fetch": "2"})
	require.NoError(t, err)
	require.EqualError(t, s.Takes(colouringType, p), "parameter fetch of scheduler atos: a worker of a bucket has one vertex")
	p, err = s.Values(map[string]string{"merge": "false"})
	require.NoError(t, err)
	require.EqualError(t, s.Takes(colouringType, p), "parameter merge of scheduler atos: kernels.Colouring chooses the value of a vertex, which only one worker may do at a time")
	require.EqualError(t, s.Takes(scheduler.Type{Name: "a.A", From: map[string]string{"Take": "a.A"}}, p),
		"parameter merge of scheduler atos: what a.A sends changes the vertex, which only one worker may do at a time")
	defaults, err := s.Values(nil)
	require.NoError(t, err)
	require.EqualError(t, s.Takes(scheduler.Type{Name: "a.A", From: map[string]string{"Apply": "a.A"}}, defaults),
		"a.A cannot be pushed: it defines Apply, which only a pull scheme calls, and none of Take, Update and Active")
	require.NoError(t, s.Takes(colouringType, defaults), "Choose, Conflict and Guess, whatever else it defines")
	require.EqualError(t, s.Takes(scheduler.Type{Name: "a.A", Phased: true}, defaults), "a.A runs in phases, which the scheduler does not have")
}
