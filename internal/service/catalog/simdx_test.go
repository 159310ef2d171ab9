package catalog_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestVariantsOfSimdx checks the answers of simdx with every fusion, filter and direction that an algorithm takes, with
// lists and bins that are too short, and with both forms of the global barrier.
func TestVariantsOfSimdx(t *testing.T) {
	g := graphOf(t, "rmat:scale=7,degree=4,seed=3,directed=true")
	source, _ := g.MaxDegreeVertex()
	sets := []map[string]string{
		{"fusion": "none"},
		{"fusion": "none", "direction": "both", "pull-above": "0.05"},
		{"direction": "both", "pull-above": "0.05", "stable": "0.5"},
		{"direction": "push"},
		{"fusion": "none", "filter": "batch"},
		{"fusion": "none", "filter": "ballot", "small": "3", "large": "6"},
		{"fusion": "all", "direction": "pull"},
		{"fusion": "all", "pull-above": "0.05", "barrier-kind": "locks", "block": "128"}, // more threads have too few registers on sim:tiny
		{"filter": "ballot", "direction": "push", "small": "3", "large": "6", "split": "8"},
		{"bin": "1", "block-list": "16", "one-block": "8", "small": "3", "large": "6"},
		{"bin": "2", "block-list": "0", "blocks": "1", "barrier-kind": "locks", "direction": "push"},
	}
	ran := map[string]int{}
	for _, e := range catalog.Entries() {
		if e.Scheduler.Name != "simdx" {
			continue
		}
		for _, params := range sets {
			values, err := e.Scheduler.Values(params)
			require.NoError(t, err)
			if e.Scheduler.Takes(e.Type, values) != nil {
				continue // TestTakes of the scheme has the reasons
			}
			for _, dev := range []string{"func", "sim:tiny"} {
				res, err := catalog.Run(t.Context(), openDevice(t, dev), catalog.Request{
					Algorithm: e.Algorithm.Name, Scheduler: "simdx", Graph: g, Source: source, Params: params, Verify: true})
				require.NoError(t, err, "%s on %s, %v", e.Algorithm.Name, dev, params)
				require.True(t, res.Verified, "%s on %s, %v: %v", e.Algorithm.Name, dev, params, res.Mismatch)
				ran[e.Algorithm.Name]++
			}
		}
	}
	for _, a := range []string{"bfs", "sssp", "cc", "wcc", "scc", "kcore", "pagerank", "pagerank-pull", "heat"} {
		require.Positive(t, ran[a], a)
	}
	require.Equal(t, 2*len(sets), ran["bfs"])
}

// TestBatchFilter checks that algorithms run with the batch filter, also in phases, and use it: those whose Take only reads without
// a kernel that takes, the others with one in each iteration. One without a frontier is refused.
func TestBatchFilter(t *testing.T) {
	g := graphOf(t, "rmat:scale=7,degree=5,seed=2")
	params := map[string]string{"fusion": "none", "filter": "batch", "direction": "push"}
	for _, dev := range []string{"func", "sim:tiny"} {
		for algorithm, takes := range map[string]bool{"kcore": false, "scc": false, "pagerank": true, "wcc": true} {
			res, err := catalog.Run(t.Context(), openDevice(t, dev), catalog.Request{Algorithm: algorithm, Scheduler: "simdx", Graph: g, Params: params, Verify: true})
			require.NoError(t, err)
			require.True(t, res.Verified, "%s on %s: %v", algorithm, dev, res.Mismatch)
			launches := map[string]int{}
			for _, s := range res.Steps {
				kernel, _, _ := strings.Cut(s.Kernel, "[")
				launches[kernel]++
			}
			require.Positive(t, launches["simdx.Expand"], algorithm)
			if takes {
				require.Equal(t, launches["simdx.Expand"], launches["simdx.Take"], algorithm)
			} else {
				require.Zero(t, launches["simdx.Take"], algorithm)
			}
		}
	}
	_, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: "bp", Scheduler: "simdx", Graph: g, Params: params})
	require.EqualError(t, err, `scheduler "simdx" does not run bp: filter=batch lists the arcs of the frontier of a push, which kernels.BP with direction=push does not have`)
}

// figure12 are the programs of SIMD-X's figure 12. Each one has both directions.
var figure12 = []string{"bfs", "sssp", "kcore", "bp", "pagerank"}

// TestHeavyProgramsOfFigure12 checks the answers of the five programs with every fusion, direction and filter, on graphs of
// shapes that phases and lists depend on: a hub, components, roads.
func TestHeavyProgramsOfFigure12(t *testing.T) {
	specs := []string{"rmat:scale=7,degree=5,seed=2,directed=true", "grid:width=9,keep=0.7,seed=3", "uniform:n=90,degree=1,seed=4"}
	for _, algorithm := range figure12 {
		e, err := catalog.Lookup(algorithm, "simdx")
		require.NoError(t, err)
		ran := 0
		for _, fusion := range []string{"none", "push-pull", "all"} {
			for _, direction := range []string{"push", "pull", "both"} {
				for _, filter := range []string{"jit", "ballot", "batch", "atomic", "strided", "khorasani"} {
					params := map[string]string{"fusion": fusion, "direction": direction, "filter": filter, "pull-above": "0.1", "blocks": "2", "block": "64",
						"small": "3", "large": "9", "split": "16", "bin": "4", "block-list": "0", "one-block": "0"}
					values, err := e.Scheduler.Values(params)
					require.NoError(t, err)
					if e.Scheduler.Takes(e.Type, values) != nil {
						require.Equal(t, "batch", filter, "%s %v", algorithm, params)
						continue
					}
					g := graphOf(t, specs[ran%len(specs)])
					source, _ := g.MaxDegreeVertex()
					res, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{
						Algorithm: algorithm, Scheduler: "simdx", Graph: g, Source: source, Params: params, Verify: true})
					require.NoError(t, err, "%s %v", algorithm, params)
					require.True(t, res.Verified, "%s %v: %v", algorithm, params, res.Mismatch)
					ran++
				}
			}
		}
		require.GreaterOrEqual(t, ran, 3*3*5, algorithm)
	}
}

// TestFusionsOfFigure12 checks that both directions of the five programs are kernels that run: one for pushes and one for
// pulls, and another one for both.
func TestFusionsOfFigure12(t *testing.T) {
	g := graphOf(t, "rmat:scale=7,degree=8,seed=2")
	source, _ := g.MaxDegreeVertex()
	for _, algorithm := range figure12 {
		kernels := func(params map[string]string) (list []string) {
			params["pull-above"], params["delta"] = "0.2", "40"
			if algorithm != "sssp" {
				delete(params, "delta")
			}
			res, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: algorithm, Scheduler: "simdx", Graph: g, Source: source, Params: params, Verify: true})
			require.NoError(t, err)
			require.True(t, res.Verified, "%s %v: %v", algorithm, params, res.Mismatch)
			for _, s := range res.Steps {
				if name, _, _ := strings.Cut(s.Kernel, "["); !s.Setup && !slices.Contains(list, name) {
					list = append(list, name)
				}
			}
			slices.Sort(list)
			return list
		}
		pushKernel, all := "simdx.Push", "simdx.All"
		if algorithm == "bp" {
			pushKernel, all = "simdx.Scatter", "simdx.AllScatter"
		}
		require.Equal(t, []string{pushKernel}, kernels(map[string]string{"direction": "push"}), algorithm)
		require.Equal(t, []string{"simdx.Pull"}, kernels(map[string]string{"direction": "pull"}), algorithm)
		require.Equal(t, []string{all}, kernels(map[string]string{"direction": "both", "fusion": "all"}), algorithm)
		two := []string{"simdx.Pull", pushKernel}
		if algorithm == "bp" {
			two = two[:1] // a push would always send along all arcs
		}
		require.Equal(t, two, kernels(map[string]string{"direction": "both"}), algorithm)
	}
}

// TestStable checks the rule by which PageRank changes from pulls to pushes: it begins with a pull, goes on until at least that
// part of the vertices is stable, and then pushes.
func TestStable(t *testing.T) {
	g := graphOf(t, "uniform:n=150,degree=4,seed=3") // its stable vertices have arcs, so that pull-above allows to push
	for _, stable := range []float64{0.3, 0.8} {
		most := (1 - stable) * float64(g.Vertices())
		for _, fusion := range []string{"none", "push-pull", "all"} {
			res, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: "pagerank", Scheduler: "simdx", Graph: g, Verify: true, Params: map[string]string{
				"direction": "both", "pull-above": "0.999", "fusion": fusion, "filter": "ballot", "stable": fmt.Sprint(stable), "history": "1000", "blocks": "2", "block": "64"}})
			require.NoError(t, err)
			require.True(t, res.Verified, res.Mismatch)
			if fusion != "none" {
				for _, s := range res.Series {
					if s.Name == "pulls" {
						require.Equal(t, 1.0, s.Values[0], "the first iteration pulls")
						require.Zero(t, s.Values[len(s.Values)-1], "the last one pushes")
						require.True(t, slices.IsSortedFunc(s.Values, func(a, b float64) int { return cmp.Compare(b, a) }), "there is one change")
					}
				}
				continue
			}
			var changed []float64 // by the pulls
			pushes := 0
			for _, s := range res.Steps {
				next, known := s.Number("next")
				switch {
				case strings.HasPrefix(s.Kernel, "simdx.Gather") && known:
					require.Zero(t, pushes, "no pull follows a push")
					changed = append(changed, next)
				case strings.HasPrefix(s.Kernel, "simdx.Send"):
					pushes++
				}
			}
			require.Positive(t, pushes)
			require.Greater(t, len(changed), 1)
			for i, x := range changed {
				require.Equal(t, i == len(changed)-1, x <= most, "pull %d of %d left %g vertices, %g may be left", i+1, len(changed), x, most)
			}
		}
	}
}

// watched is a device that says what is launched.
type watched struct {
	device.Wrapper
	launched func(l device.Launch)
}

func (w watched) LaunchRead(ctx context.Context, l device.Launch, a device.Answer) (*device.Report, error) {
	w.launched(l)
	return w.Wrapper.LaunchRead(ctx, l, a)
}

// TestHeavyEquationOneIsSafe checks the paper's formula with every persistent kernel: the run ends if no more blocks are launched than
// are resident, and hangs otherwise.
func TestHeavyEquationOneIsSafe(t *testing.T) {
	g := graphOf(t, "rmat:scale=6,degree=4,seed=3")
	source, _ := g.MaxDegreeVertex()
	outcomes := map[bool]int{}
	for _, algorithm := range figure12 {
		for _, params := range []map[string]string{{"direction": "push"}, {"direction": "pull"}, {"direction": "both", "fusion": "all"}, {"direction": "push", "filter": "khorasani"}} {
			params["barrier"], params["block"], params["block-list"] = "eq1", "128", "0"
			dev := openDevice(t, "sim:tiny")
			safe := true
			watch := watched{Wrapper: device.Wrapper{Device: dev}, launched: func(l device.Launch) {
				occ, err := dev.Occupancy(l.Kernel, l.Block)
				require.NoError(t, err)
				safe = safe && l.Grid <= occ.Resident()
			}}
			res, err := catalog.Run(t.Context(), watch, catalog.Request{Algorithm: algorithm, Scheduler: "simdx", Graph: g, Source: source, Params: params, Verify: true})
			var hang *device.HangError
			if !safe {
				require.ErrorAs(t, err, &hang, "%s %v", algorithm, params)
			} else {
				require.NoError(t, err, "%s %v", algorithm, params)
				require.True(t, res.Verified, "%s %v: %v", algorithm, params, res.Mismatch)
			}
			outcomes[safe]++
		}
	}
	require.Positive(t, outcomes[true])
	t.Log(outcomes)
}

// TestSimdxBeginsWithALaterPhase checks k-core of a graph in which every vertex has a neighbor, so that no vertex is
// active in the first phase.
func TestSimdxBeginsWithALaterPhase(t *testing.T) {
	g := graphOf(t, "uniform:n=300,degree=4,seed=1")
	for _, fusion := range []string{"none", "push-pull", "all"} {
		res, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{
			Algorithm: "kcore", Scheduler: "simdx", Graph: g, Params: map[string]string{"fusion": fusion}, Verify: true})
		require.NoError(t, err)
		require.True(t, res.Verified, "%s: %v", fusion, res.Mismatch)
	}
}

// TestSimdxBesideOtherPackages checks that the names of its types do no harm: the compiler bounds the fields of types by
// their names, over all packages, and takes a variable that is indexed for a type of that name.
func TestSimdxBesideOtherPackages(t *testing.T) {
	k, err := catalog.Kernels()
	require.NoError(t, err)
	_, err = k.Kernel(t.Context(), "simdx.Push[kernels.BFS, uint32]", nil)
	require.NoError(t, err)
	require.NoError(t, k.Check(t.Context(), "internal/kernels/micro"))
}

// TestBarrierOfEquationOne checks that a grid by the paper's formula, which counts registers alone, hangs on a machine
// that holds fewer blocks, and that the same run ends with as many as are resident.
func TestBarrierOfEquationOne(t *testing.T) {
	g := graphOf(t, "rmat:scale=5,degree=4,seed=3")
	request := func(barrier string) catalog.Request {
		return catalog.Request{Algorithm: "bfs", Scheduler: "simdx", Graph: g, Params: map[string]string{"barrier": barrier, "block": "32"}, Verify: true}
	}
	res, err := catalog.Run(t.Context(), openDevice(t, "sim:k40"), request("occupancy"))
	require.NoError(t, err)
	require.True(t, res.Verified)
	_, err = catalog.Run(t.Context(), openDevice(t, "sim:k40"), request("eq1"))
	var hang *device.HangError
	require.ErrorAs(t, err, &hang)
	require.Equal(t, "simdx.Push[kernels.BFS, uint32]", hang.Kernel)
	require.Contains(t, hang.What, "blocks cannot be placed until others end")
}

// TestSimdxListsOfReversePhases checks that the lists have room for the vertices of a phase in reverse, in which a vertex
// belongs to the list of its incoming arcs: here no vertex has two outgoing arcs, and each third one has many incoming ones.
func TestSimdxListsOfReversePhases(t *testing.T) {
	var arcs [][2]uint32
	for v := range uint32(60) {
		if v%12 != 0 {
			arcs = append(arcs, [2]uint32{v, v - v%12})
		}
	}
	for v := uint32(0); v < 48; v += 12 {
		arcs = append(arcs, [2]uint32{v, v + 12})
	}
	g := fromArcs(60, arcs)
	for _, algorithm := range []string{"wcc", "scc"} {
		for _, fusion := range []string{"none", "push-pull", "all"} {
			for _, filter := range []string{"jit", "ballot"} {
				res, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: algorithm, Scheduler: "simdx", Graph: g, Verify: true,
					Params: map[string]string{"small": "3", "large": "8", "fusion": fusion, "filter": filter, "block": "64"}})
				require.NoError(t, err, "%s %s %s", algorithm, fusion, filter)
				require.True(t, res.Verified, "%s %s %s: %v", algorithm, fusion, filter, res.Mismatch)
			}
		}
	}
}
