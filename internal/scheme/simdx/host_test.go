//go:build !kernel

package simdx_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/scheme/simdx"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// algorithm returns the description of a type with the methods of its own.
func algorithm(name string, value reflect.Type, own ...string) scheduler.Type {
	t := scheduler.Type{Name: "kernels." + name, Value: value, From: map[string]string{"Apply": "scheduler.Min"}}
	for _, method := range own {
		t.From[method] = t.Name
	}
	return t
}

var (
	bfsType  = algorithm("BFS", reflect.TypeFor[uint32](), "EarlyEnd", "Settled", "Unique")
	ssspType = func() scheduler.Type {
		t := algorithm("SSSP", reflect.TypeFor[uint32]())
		t.Fields = []scheduler.Field{{Name: "Delta", Elem: reflect.TypeFor[uint32]()}}
		return t
	}()
	pageRankType = func() scheduler.Type {
		t := algorithm("PageRank", reflect.TypeFor[float32](), "Take", "Consumes", "Active", "Unique", "Apply", "Turn")
		t.Fields = []scheduler.Field{
			{Name: "Rank", Elem: reflect.TypeFor[float32](), Array: true},
			{Name: "Damping", Elem: reflect.TypeFor[float32](), Default: "0.85"},
			{Name: "Epsilon", Elem: reflect.TypeFor[float32](), Default: "0.0001"},
		}
		return t
	}()
	wccType = func() scheduler.Type {
		t := algorithm("WCC", reflect.TypeFor[uint32](), "Take", "Consumes", "Phase", "Enter", "Reverse")
		t.Phased = true
		t.Fields = []scheduler.Field{{Name: "Out", Elem: reflect.TypeFor[uint32](), Array: true}, {Name: "In", Elem: reflect.TypeFor[uint32](), Array: true}}
		return t
	}()
)

// nativeKernels are the kernels of an algorithm.
func nativeKernels[A scheduler.Algorithm[V], V uint32 | float32](name string) map[string]any {
	var v V
	of := fmt.Sprintf("[%s, %T]", name, v)
	with := func(mapping string) string { return fmt.Sprintf("[%s, scheduler.%sPerVertex, %T]", name, mapping, v) }
	return map[string]any{
		"scheduler.Init" + of:               scheduler.Init[A, V],
		"simdx.Push" + of:                   simdx.Push[A, V],
		"simdx.Pull" + of:                   simdx.Pull[A, V],
		"simdx.All" + of:                    simdx.All[A, V],
		"simdx.Send" + with("Thread"):       simdx.Send[A, scheduler.ThreadPerVertex, V],
		"simdx.Send" + with("Warp"):         simdx.Send[A, scheduler.WarpPerVertex, V],
		"simdx.Send" + with("Block"):        simdx.Send[A, scheduler.BlockPerVertex, V],
		"simdx.Gather" + with("Thread"):     simdx.Gather[A, scheduler.ThreadPerVertex, V],
		"simdx.Gather" + with("Warp"):       simdx.Gather[A, scheduler.WarpPerVertex, V],
		"simdx.Gather" + with("Block"):      simdx.Gather[A, scheduler.BlockPerVertex, V],
		"simdx.Update" + of:                 simdx.Update[A, V],
		"simdx.Take" + of:                   simdx.Take[A, V],
		"simdx.UpdateTaken" + of:            simdx.UpdateTaken[A, V],
		"simdx.CountOpen" + of:              simdx.CountOpen[A, V],
		"simdx.WriteOpen" + of:              simdx.WriteOpen[A, V],
		"simdx.PushBaseline" + of:           simdx.PushBaseline[A, V],
		"simdx.AllBaseline" + of:            simdx.AllBaseline[A, V],
		"simdx.SendAtomic" + with("Thread"): simdx.SendAtomic[A, scheduler.ThreadPerVertex, V],
		"simdx.SendAtomic" + with("Warp"):   simdx.SendAtomic[A, scheduler.WarpPerVertex, V],
		"simdx.SendAtomic" + with("Block"):  simdx.SendAtomic[A, scheduler.BlockPerVertex, V],
		"scheduler.NextPhase" + of:          scheduler.NextPhase[A, V],
		"scheduler.EnterPhase" + of:         scheduler.EnterPhase[A, V],
		"scheduler.Turn" + of:               scheduler.Turn[A, V],
		"simdx.CountStrided":                simdx.CountStrided, "simdx.WriteStrided": simdx.WriteStrided, "simdx.ReserveByVotes": simdx.ReserveByVotes,
		"simdx.Concatenate": simdx.Concatenate,
		"simdx.Count":       simdx.Count,
		"simdx.Write":       simdx.Write,
		"simdx.Expand":      simdx.Expand,
		"simdx.CountEdges":  simdx.CountEdges,
		"simdx.WriteEdges":  simdx.WriteEdges,
	}
}

func open(t *testing.T, spec string) *graph.CSR {
	g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
	require.NoError(t, err)
	return g
}

// job returns a run of an algorithm on a small graph, from its vertex of largest degree.
func job(t *testing.T, d *native.Device, a scheduler.Type, params map[string]string) scheduler.Job {
	small := map[string]string{"block": "64", "small": "4", "large": "12", "split": "16"}
	maps.Copy(small, params)
	values, err := simdx.New().Values(small)
	require.NoError(t, err)
	g, _, err := open(t, "rmat:scale=6,degree=6,seed=3").WithWeights(t.Context())
	require.NoError(t, err)
	j := scheduler.Job{Device: d, Kernels: d, Algorithm: a, Graph: g, Params: values}
	j.Source, _ = g.MaxDegreeVertex()
	return j
}

func newDevice() *native.Device {
	list := nativeKernels[kernels.BFS, uint32]("kernels.BFS")
	maps.Copy(list, nativeKernels[kernels.SSSP, uint32]("kernels.SSSP"))
	maps.Copy(list, nativeKernels[kernels.PageRank, float32]("kernels.PageRank"))
	maps.Copy(list, nativeKernels[kernels.WCC, uint32]("kernels.WCC"))
	return native.New(list)
}

// variants are sets of parameters that together have every filter with every fusion and
// direction, and bins and lists that are too short.
func variants() (list []map[string]string) {
	for _, fusion := range []string{"none", "push-pull", "all"} {
		for _, filter := range []string{"jit", "ballot", "batch", "atomic", "strided", "khorasani"} {
			for _, direction := range []string{"auto", "push", "pull", "both"} {
				p := map[string]string{"fusion": fusion, "filter": filter, "direction": direction}
				if filter != "batch" || fusion == "none" && direction != "pull" {
					list = append(list, p)
				}
			}
		}
		for _, p := range []map[string]string{
			{"bin": "1", "block-list": "0"},
			{"bin": "1", "block-list": "16", "one-block": "0"},
			{"block-list": "16", "one-block": "8", "barrier-kind": "locks"},
			{"blocks": "1", "pull-above": "0"},
			{"direction": "both", "stable": "0.9"},
			{"filter": "online", "barrier": "eq1", "blocks": "3"},
			{"small": "1", "large": "1"}, {"small": "1000"}, {"small": "2", "large": "1000", "split": "0"},
		} {
			p["fusion"] = fusion
			list = append(list, p)
		}
	}
	return list
}

func TestAnswers(t *testing.T) {
	for _, params := range variants() {
		for _, a := range []scheduler.Type{bfsType, ssspType} {
			d := newDevice()
			j := job(t, d, a, params)
			out, err := simdx.New().Run(t.Context(), j)
			require.NoError(t, err, "%v", params)
			require.Zero(t, d.Live)
			check := reference.CheckBFS
			if a.Name == ssspType.Name {
				check = reference.CheckSSSP
			}
			require.NoError(t, check(t.Context(), j.Graph, j.Source, out.Values.([]uint32)), "%s %v", a.Name, params)
		}
	}
}

// TestBatchAnswers checks the batch filter with algorithms whose Take modifies vertices, one of them in phases that go in
// reverse, and what it launches for them.
func TestBatchAnswers(t *testing.T) {
	for _, direction := range []string{"auto", "push", "both"} {
		for _, c := range []struct {
			a    scheduler.Type
			host scheduler.Host
		}{{pageRankType, kernels.PageRankHost}, {wccType, kernels.WCCHost}} {
			d := newDevice()
			j := job(t, d, c.a, map[string]string{"fusion": "none", "filter": "batch", "direction": direction})
			j.Graph = open(t, "rmat:scale=6,degree=4,seed=3,directed=true")
			out, err := simdx.New().Run(t.Context(), j)
			require.NoError(t, err)
			require.Zero(t, d.Live)
			answer := out.Values
			if c.host.Answer != nil {
				answer, err = c.host.Answer(out)
				require.NoError(t, err)
			}
			params, err := c.a.Scalars(nil)
			require.NoError(t, err)
			_, err = c.host.Check(t.Context(), scheduler.Input{Graph: j.Graph, Params: params}, out, answer)
			require.NoError(t, err, "%s %s", c.a.Name, direction)
			var order []string
			for _, s := range out.Steps {
				if kernel, _, _ := strings.Cut(s.Kernel, "["); slices.Contains([]string{"simdx.Expand", "simdx.Take", "simdx.Update", "simdx.UpdateTaken"}, kernel) {
					order = append(order, kernel)
				}
			}
			require.NotEmpty(t, order)
			require.Equal(t, slices.Repeat([]string{"simdx.Expand", "simdx.Take", "simdx.UpdateTaken"}, len(order)/3), order, "%s %s", c.a.Name, direction)
		}
	}
}

// line returns a step in short form: its kernel, iteration, and those quantities that are
// not 0.
func line(s scheduler.Step) string {
	kernel, _, _ := strings.Cut(strings.TrimPrefix(s.Kernel, "simdx."), "[")
	text := fmt.Sprintf("%s %d:", kernel, s.Iteration)
	for _, n := range s.Numbers {
		if n.Value != 0 {
			text += fmt.Sprintf(" %s %v", n.Name, n.Value)
		}
	}
	return text
}

// TestSteps checks what is launched, and what the steps report. BFS of this graph has
// frontiers of 1, 28, 21 and 1 vertices; the first one has two entries, as it has more arcs
// than a block pushes at once.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		name   string
		params map[string]string
		want   []string
	}{
		{"one block alone", map[string]string{"direction": "push"}, []string{
			"Push 4: frontier 52 arcs 254 iterations 4 one-block-iterations 4",
		}},
		{"the grid", map[string]string{"direction": "push", "one-block": "0"}, []string{
			"Push 4: frontier 52 arcs 254 iterations 4",
		}},
		{"bins that overflow", map[string]string{"direction": "push", "block-list": "0", "bin": "1", "blocks": "1", "block": "32"}, []string{
			"Push 4: frontier 52 arcs 254 iterations 4 ballots 2 overflows 2",
		}},
		{"ballot", map[string]string{"direction": "push", "filter": "ballot"}, []string{
			"Push 4: frontier 52 arcs 254 iterations 4 ballots 4",
		}},
		{"both directions", nil, []string{
			"Push 1: frontier 2 next 28 arcs 28 iterations 1 one-block-iterations 1",
			"Pull 2: frontier 35 next 21 arcs 58 iterations 1 pulls 1",
			"Push 4: frontier 22 arcs 58 iterations 2 one-block-iterations 2",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDevice()
			j := job(t, d, bfsType, c.params)
			out, err := simdx.New().Run(t.Context(), j)
			require.NoError(t, err)
			require.NoError(t, reference.CheckBFS(t.Context(), j.Graph, j.Source, out.Values.([]uint32)))
			require.True(t, out.Steps[0].Setup)
			var got []string
			for _, s := range out.Steps[1:] {
				got = append(got, line(s))
			}
			require.Equal(t, c.want, got)
		})
	}
}

// TestHistory checks the record of the iterations inside launches, for figure 7.
func TestHistory(t *testing.T) {
	values := func(params map[string]string) (list [][]float64) {
		out, err := simdx.New().Run(t.Context(), job(t, newDevice(), bfsType, params))
		require.NoError(t, err)
		for _, s := range out.Series {
			require.Zero(t, s.Interval)
			list = append(list, s.Values)
		}
		return list
	}
	for _, fusion := range []string{"push-pull", "all"} {
		require.Equal(t, [][]float64{{2, 35, 21}, {28, 58, 57}, {0, 0, 0}, {0, 1, 0}, {1, 0, 1}}, values(map[string]string{"fusion": fusion, "history": "3"}))
	}
	require.Equal(t, [][]float64{{2, 28, 21, 1}, {28, 168, 57, 1}, {1, 1, 1, 1}, {0, 0, 0, 0}, {0, 0, 0, 0}},
		values(map[string]string{"filter": "ballot", "direction": "push", "history": "100"}), "as many iterations as ran")
	require.Nil(t, values(map[string]string{"history": "0"}))
	require.Nil(t, values(map[string]string{"fusion": "none", "history": "3"}), "each iteration has launches of its own")
}

// TestFiltersRunTheSameIterations checks that every filter that has each vertex once gives the iterations of BFS the same
// frontiers, with all kernels. (Those of SSSP depend on the order of the updates within an iteration.)
func TestFiltersRunTheSameIterations(t *testing.T) {
	for _, fusion := range []string{"none", "push-pull"} {
		frontiers := map[string][]string{}
		for _, filter := range []string{"ballot", "atomic", "strided", "khorasani"} {
			out, err := simdx.New().Run(t.Context(), job(t, newDevice(), bfsType, map[string]string{"fusion": fusion, "filter": filter, "direction": "push", "history": "50"}))
			require.NoError(t, err)
			for _, s := range out.Series[:min(len(out.Series), 2)] { // vertices and arcs
				frontiers[filter] = append(frontiers[filter], fmt.Sprint(s.Values))
			}
			sizes := map[int]float64{}
			for _, s := range out.Steps {
				for _, n := range s.Numbers {
					if n.Name == "frontier" {
						sizes[s.Iteration] += n.Value
					}
				}
			}
			frontiers[filter] = append(frontiers[filter], fmt.Sprint(sizes))
		}
		require.Contains(t, frontiers["ballot"][0], "28", "the second iteration")
		for filter, got := range frontiers {
			require.Equal(t, frontiers["ballot"], got, "%s %s", fusion, filter)
		}
	}
}

func TestRunEndsEarly(t *testing.T) {
	const path = "grid:width=9,keep=1,seed=1"
	for _, fusion := range []string{"none", "push-pull", "all"} {
		t.Run("at the limit of iterations, "+fusion, func(t *testing.T) {
			for _, p := range []map[string]string{{}, {"one-block": "0"}, {"filter": "ballot"}, {"direction": "pull"}} {
				d := newDevice()
				p["max-iterations"], p["fusion"] = "3", fusion
				j := job(t, d, bfsType, p)
				j.Graph, j.Source = open(t, path), 0
				out, err := simdx.New().Run(t.Context(), j)
				require.ErrorContains(t, err, "kernels.BFS did not end within 3 iterations: ")
				require.Equal(t, 3, out.Iterations, "%v", p)
				require.Nil(t, out.Values)
				require.Zero(t, d.Live)
			}
		})
		t.Run("when the online filter overflows, "+fusion, func(t *testing.T) {
			d := newDevice()
			j := job(t, d, bfsType, map[string]string{"filter": "online", "bin": "1", "block-list": "0", "blocks": "1", "block": "32", "fusion": fusion, "direction": "push"})
			d.Blocks = 1
			out, err := simdx.New().Run(t.Context(), j)
			require.EqualError(t, err, "kernels.BFS: the online filter overflowed in iteration 1: a thread found more than 1 vertices, or a list was full; filter=jit goes on with the ballot filter")
			require.Nil(t, out.Values)
			require.Zero(t, d.Live)
		})
		t.Run("when cancelled, "+fusion, func(t *testing.T) {
			d := newDevice()
			ctx, cancel := context.WithCancel(context.Background())
			d.After = cancel
			out, err := simdx.New().Run(ctx, job(t, d, bfsType, map[string]string{"fusion": fusion}))
			require.ErrorIs(t, err, context.Canceled)
			require.Len(t, out.Steps, 1)
			require.Zero(t, d.Live)
		})
		t.Run("when a launch fails, "+fusion, func(t *testing.T) {
			for at := 1; at <= 3; at++ {
				d := newDevice()
				d.FailAt, d.Failure = at, errors.New("index out of range")
				out, err := simdx.New().Run(t.Context(), job(t, d, bfsType, map[string]string{"fusion": fusion}))
				if len(d.Grids) < at {
					require.NoError(t, err)
					continue
				}
				require.ErrorIs(t, err, d.Failure)
				require.Len(t, out.Steps, at, "the launch that failed counts")
				require.Zero(t, d.Live)
			}
		})
	}
	t.Run("without memory for the batch filter", func(t *testing.T) {
		d := newDevice()
		d.NoMemory = "edges"
		j := job(t, d, bfsType, map[string]string{"filter": "batch", "fusion": "none"})
		_, err := simdx.New().Run(t.Context(), j)
		require.EqualError(t, err, fmt.Sprintf("filter=batch needs 0 MiB for an active edge list with room for 2 times the %d arcs of the graph, 8 bytes each; "+
			"filter=jit needs no such list: allocating edges: out of memory", j.Graph.Arcs()))
		require.Zero(t, d.Live)
	})
	t.Run("without memory for what vertices send to the batch filter", func(t *testing.T) {
		for _, name := range []string{"edges", "taken"} {
			d := newDevice()
			d.NoMemory = name
			j := job(t, d, wccType, map[string]string{"filter": "batch", "fusion": "none"})
			_, err := simdx.New().Run(t.Context(), j)
			require.EqualError(t, err, fmt.Sprintf("filter=batch needs 0 MiB for an active edge list with room for 2 times the %d arcs of the graph, 8 bytes each, and for what %d vertices send, 4 bytes each; "+
				"filter=jit needs no such list: allocating %s: out of memory", j.Graph.Arcs(), j.Graph.Vertices(), name))
			require.Zero(t, d.Live)
		}
	})
	t.Run("without memory", func(t *testing.T) {
		for _, name := range []string{"g.Row", "values", "queue.Stamp", "lists", "bins", "counts", "parts", "barrier", "status"} {
			d := newDevice()
			d.NoMemory = name
			_, err := simdx.New().Run(t.Context(), job(t, d, bfsType, nil))
			require.EqualError(t, err, "allocating "+name+": out of memory")
			require.Zero(t, d.Live)
		}
	})
	t.Run("without kernels", func(t *testing.T) {
		for fusion, kernel := range map[string]string{"push-pull": "Push", "all": "All"} {
			d := newDevice()
			_, err := simdx.New().Run(t.Context(), job(t, d, algorithm("CC", reflect.TypeFor[uint32]()), map[string]string{"fusion": fusion}))
			require.EqualError(t, err, "no kernel simdx."+kernel+"[kernels.CC, uint32]")
		}
	})
}

func TestParameters(t *testing.T) {
	s := simdx.New()
	require.NoError(t, s.Validate())
	for want, given := range map[string]map[string]string{
		`parameter direction of scheduler simdx: "all" is not one of auto, push, pull, both`:                                 {"direction": "all"},
		`parameter stable of scheduler simdx: -0.1 is not a number from 0 to 1`:                                              {"stable": "-0.1"},
		`parameter pull-above of scheduler simdx: 1.5 is not a number from 0 to 1`:                                           {"pull-above": "1.5"},
		`parameter filter of scheduler simdx: "stride" is not one of jit, online, ballot, batch, atomic, strided, khorasani`: {"filter": "stride"},
		`parameter fusion of scheduler simdx: "some" is not one of none, push-pull, all`:                                     {"fusion": "some"},
		`parameter barrier of scheduler simdx: "eq2" is not one of occupancy, eq1`:                                           {"barrier": "eq2"},
		`parameter barrier-kind of scheduler simdx: "lock" is not one of counter, locks`:                                     {"barrier-kind": "lock"},
		`parameter blocks of scheduler simdx: -1 is not a whole number from 0 to 1048576`:                                    {"blocks": "-1"},
		`parameter small of scheduler simdx: 0 is not a whole number from 1 to 1073741824`:                                   {"small": "0"},
		`parameter large of scheduler simdx: 0 is not a whole number from 1 to 1073741824`:                                   {"large": "0"},
		`parameter split of scheduler simdx: -1 is not a whole number from 0 to 1073741824`:                                  {"split": "-1"},
		`parameter bin of scheduler simdx: 0 is not a whole number from 1 to 1024`:                                           {"bin": "0"},
		`parameter block-list of scheduler simdx: 5000 is not a whole number from 0 to 4096`:                                 {"block-list": "5000"},
		`parameter one-block of scheduler simdx: -1 is not a whole number from 0 to 4096`:                                    {"one-block": "-1"},
		`parameter block of scheduler simdx: 33 is not a multiple of 32 from 32 to 1024`:                                     {"block": "33"},
	} {
		_, err := s.Values(given)
		require.EqualError(t, err, want)
	}
}

func TestTakes(t *testing.T) {
	s := simdx.New()
	onlyPull := scheduler.Type{Name: "a.A", From: map[string]string{"Apply": "a.A"}}
	onlyPush := scheduler.Type{Name: "a.B", Value: reflect.TypeFor[float32](), From: map[string]string{"Take": "a.B", "Apply": "scheduler.Add"}}
	consumes := scheduler.Type{Name: "a.B", Value: reflect.TypeFor[float32](), From: map[string]string{"Take": "a.B", "Consumes": "a.B", "Apply": "scheduler.Add"}}
	unordered := scheduler.Type{Name: "a.D", From: map[string]string{"Apply": "scheduler.Min"}, Phased: true, Unordered: true}
	gives := scheduler.Type{Name: "a.E", From: map[string]string{"Apply": "scheduler.Min", "Gives": "a.E"}, Phased: true}
	reversed := scheduler.Type{Name: "a.F", From: map[string]string{"Apply": "scheduler.Min", "Gives": "a.F", "Reverse": "a.F"}, Phased: true}
	whole := scheduler.Type{Name: "a.G", From: map[string]string{"Apply": "a.G", "Combine": "scheduler.Add", "Update": "scheduler.Add"}}
	phased := scheduler.Type{Name: "a.C", From: map[string]string{"Apply": "scheduler.Min"}, Phased: true}
	for _, c := range []struct {
		a      scheduler.Type
		params map[string]string
		want   string
	}{
		{bfsType, nil, ""}, {onlyPull, nil, ""}, {onlyPush, nil, ""}, {phased, nil, ""}, {unordered, nil, ""}, {unordered, map[string]string{"direction": "pull"}, ""},
		{onlyPull, map[string]string{"direction": "push"}, "a.A cannot be pushed: it defines Apply, which only a pull scheme calls, and none of Take, Update and Active"},
		{onlyPush, map[string]string{"direction": "pull"}, "a.B cannot be pulled: it sends the result of Take, but a pull scheme reads the values of vertices; define Apply(v scheduler.Vertex, old, gathered float32) (value float32, changed bool) to compute the next value"},
		{phased, map[string]string{"direction": "pull"}, "a.C cannot be pulled here: it runs in phases, and does not say which vertices give in a phase (Gives)"},
		{phased, map[string]string{"direction": "both"}, ""}, {gives, map[string]string{"direction": "pull"}, ""},
		{reversed, map[string]string{"direction": "pull"}, "a.F cannot be pulled here: it runs in phases, and does not say which vertices give in a phase (Gives)"},
		{whole, map[string]string{"direction": "push"}, ""}, {whole, map[string]string{"direction": "both"}, ""},
		{bfsType, map[string]string{"filter": "batch", "fusion": "all"}, "filter=batch is the baseline without fusion: set fusion=none"},
		{bfsType, map[string]string{"filter": "batch"}, "filter=batch is the baseline without fusion: set fusion=none"},
		{onlyPush, map[string]string{"filter": "batch", "fusion": "none"}, ""},
		{bfsType, map[string]string{"filter": "batch", "fusion": "none", "direction": "pull"}, "filter=batch lists the arcs of the frontier of a push, which kernels.BFS with direction=pull does not have"},
		{onlyPull, map[string]string{"filter": "batch", "fusion": "none"}, "filter=batch lists the arcs of the frontier of a push, which a.A with direction=auto does not have"},
		{whole, map[string]string{"filter": "batch", "fusion": "none", "direction": "both"}, "filter=batch lists the arcs of the frontier of a push, which a.G with direction=both does not have"},
		{consumes, map[string]string{"filter": "batch", "fusion": "none"}, ""}, {consumes, map[string]string{"filter": "batch", "fusion": "none", "direction": "push"}, ""},
		{consumes, map[string]string{"filter": "batch"}, "filter=batch is the baseline without fusion: set fusion=none"},
	} {
		p, err := s.Values(c.params)
		require.NoError(t, err)
		if err = s.Takes(c.a, p); c.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, c.want)
		}
	}
	names := func(a scheduler.Type) (list []string) {
		for _, k := range s.Kernels(a) {
			list = append(list, k.Name)
		}
		return list
	}
	require.Equal(t, "simdx.Push[kernels.BFS, uint32]", names(bfsType)[0])
	require.Len(t, names(bfsType), 1+1+1+3+7+3+2+1 /* those of the comparison: */ +2+3+3)
	require.Subset(t, names(consumes), []string{"simdx.Expand", "simdx.Take[a.B, float32]", "simdx.UpdateTaken[a.B, float32]"})
	require.NotContains(t, names(consumes), "simdx.Update[a.B, float32]")
	require.Contains(t, names(onlyPush), "simdx.Update[a.B, float32]", "a thread of an arc takes what only reads")
	require.NotContains(t, names(onlyPush), "simdx.Take[a.B, float32]")
	require.False(t, slices.ContainsFunc(names(onlyPush), func(k string) bool { return strings.Contains(k, "Pull") || strings.Contains(k, "All") }))
}

// TestEquationOne checks the numbers of section 5 and of a K40, which holds 16 blocks an SM.
func TestEquationOne(t *testing.T) {
	require.Equal(t, 60, scheduler.EquationOne(device.Occupancy{SMs: 15, Regs: 110, RegsPerSM: 65536}, 128), "the example of the paper")
	k40 := device.Occupancy{BlocksPerSM: 16, SMs: 15, Regs: 24, RegsPerSM: 65536}
	require.Equal(t, 315, simdx.Blocks(k40, 128, true, 0), "more than are resident")
	require.Equal(t, 240, simdx.Blocks(k40, 128, false, 0))
	require.Equal(t, 100, simdx.Blocks(k40, 128, true, 100))
	require.Equal(t, 1, simdx.Blocks(device.Occupancy{SMs: 1, Regs: 255, RegsPerSM: 65536}, 1024, true, 0), "never none")
}
