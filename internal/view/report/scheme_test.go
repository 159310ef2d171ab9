package report_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/internal/view/report"
	"github.com/weft-gpu/weft/scheduler"
)

// settle is a scheme that is as different as possible from a bulk-synchronous
// one: one launch of a persistent kernel with a constant that is bound at
// compile time, then two kernels on two streams if the device has them. No
// launch belongs to an iteration.
func settle() scheduler.Scheme {
	work := func(a scheduler.Type, threads int) scheduler.EntryPoint {
		return scheduler.EntryPoint{Name: "settle.Settle[" + a.Name + ", " + a.Value.String() + "]", Bind: map[string]any{"threads": uint32(threads)}, What: "all of it"}
	}
	count := func(a scheduler.Type) scheduler.EntryPoint {
		return scheduler.EntryPoint{Name: "settle.Count[" + a.Name + ", " + a.Value.String() + "]", What: "counts"}
	}
	return scheduler.Scheme{
		Name:       "settle",
		Doc:        "one block until nothing changes",
		Params:     []scheduler.Param{{Name: "threads", Type: scheduler.IntParam, Unit: "thread", Doc: "of the block", Default: "64", Min: 32, Max: 1024, Multiple: 32}},
		Quantities: []scheduler.Quantity{{Name: "rounds", Unit: "round", Doc: "rounds over all arcs"}, {Name: "reached", Unit: "vertex", Doc: "vertices that an update reached"}},
		Takes:      func(a scheduler.Type, _ scheduler.Values) error { return cmp.Or(a.Pushes(), a.Unphased()) },
		Kernels:    func(a scheduler.Type) []scheduler.EntryPoint { return []scheduler.EntryPoint{work(a, 64), count(a)} },
		Run: func(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
			l, err := scheduler.Begin(j)
			if err != nil {
				return nil, err
			}
			rounds, err := settleOn(ctx, l, work(j.Algorithm, j.Params.Int("threads")), count(j.Algorithm))
			out, err := l.Finish(err)
			out.Rounds = rounds
			return out, err
		},
	}
}

func settleOn(ctx context.Context, l *scheduler.Loop, work, count scheduler.EntryPoint) (rounds int, err error) {
	g := l.Memory.Graph(l.Graph)
	l.Values = l.AllocValues()
	counted := l.Memory.Copy("counted", make([]uint32, 3)) // rounds, and what the streams count
	if err := l.Place(); err != nil {
		return rounds, err
	}
	k, err := l.Kernels.Kernel(ctx, work.Name, work.Bind)
	if err != nil {
		return rounds, err
	}
	n := uint32(l.Vertices())
	numbers := make([]uint32, 3)
	rep, err := l.Launch(ctx, device.Launch{Kernel: k, Grid: 1, Block: l.Params.Int("threads"),
		Args: []any{l.Instance.Arg, g, scheduler.Problem{Source: l.Source, Vertices: n}, l.Values, counted.Slice(0, 1)}})
	if err == nil {
		err = l.Device.Read(counted, numbers)
	}
	rounds = int(numbers[0])
	l.Record(k, rep, scheduler.Step{Numbers: []scheduler.Number{{Name: "rounds", Value: float64(numbers[0])}}})
	if err != nil {
		return rounds, err
	}
	if k, err = l.Kernels.Kernel(ctx, count.Name, count.Bind); err != nil {
		return rounds, err
	}
	var both []device.Launch
	for i := range 2 {
		both = append(both, device.Launch{Kernel: k, Grid: 1, Block: 64, Stream: i,
			Args: []any{l.Instance.Arg, l.Values, n / 2 * uint32(i), n/2 + (n-n/2)*uint32(i), counted.Slice(1+i, 2+i)}})
	}
	reports, err := l.LaunchAll(ctx, both)
	if err == nil {
		err = l.Device.Read(counted, numbers)
	}
	for i, rep := range reports {
		l.Record(k, rep, scheduler.Step{Numbers: []scheduler.Number{{Name: "reached", Value: float64(numbers[1+i])}}})
	}
	return rounds, err
}

// TestSchemeWithoutIterations checks that no code between a scheme and its user
// assumes that it is bulk-synchronous.
func TestSchemeWithoutIterations(t *testing.T) {
	c, err := catalog.New(catalog.Extensions{Schemes: []func() scheduler.Scheme{settle}})
	require.NoError(t, err)
	c.Compiler().Mount("settle", os.DirFS("testdata/settle"))
	require.Subset(t, names(c.Schedulers()), []string{"settle", "warp"})

	for _, name := range []string{"func", "sim:tiny"} {
		g, notes, err := graph.Open(t.Context(), "grid:width=9,keep=0.9,seed=2", graph.LoadOptions{})
		require.NoError(t, err)
		spec, err := devices.New(name, devices.Options{Seed: 1})
		require.NoError(t, err)
		from, err := run.ParseSource("max-degree")
		require.NoError(t, err)
		var seen []scheduler.Step
		r, err := run.Run(t.Context(), run.Request{Catalog: c, Algorithm: "bfs", Scheduler: "settle", Params: map[string]string{"threads": "96"},
			Graph: g, Notes: notes, Source: from, Device: spec, Progress: func(s scheduler.Step) { seen = append(seen, s) }})
		require.NoError(t, err)
		require.NoError(t, r.Err())
		require.Equal(t, run.AnswerVerified, r.Answer)
		require.Len(t, seen, 3)

		var read struct {
			Kernel       string              `json:"kernel"`
			Iterations   int                 `json:"iterations"`
			Launches     int                 `json:"launches"`
			Params       map[string]string   `json:"scheduler_parameters"`
			PerIteration []scheduler.Step    `json:"per_iteration"`
			Others       []map[string]any    `json:"other_launches"`
			Quantities   []map[string]string `json:"quantities"`
		}
		text, err := json.Marshal(r)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &read))
		require.Equal(t, "settle.Settle[kernels.BFS, uint32]", read.Kernel)
		require.Zero(t, read.Iterations)
		require.Equal(t, 3, read.Launches)
		require.Equal(t, map[string]string{"threads": "96"}, read.Params)
		require.Empty(t, read.PerIteration)
		require.Len(t, read.Others, 3)
		require.Greater(t, read.Others[0]["rounds"], 2.0)
		reached := read.Others[1]["reached"].(float64) + read.Others[2]["reached"].(float64)
		require.Greater(t, reached, 40.0)
		require.Equal(t, "settle.Count[kernels.BFS, uint32]", read.Others[2]["kernel"])
		require.NotContains(t, read.Others[0], "iteration")
		require.Equal(t, map[string]string{"name": "rounds", "unit": "round", "what": "rounds over all arcs"}, read.Quantities[0])

		var out bytes.Buffer
		report.Run(&out, r, false)
		require.Regexp(t, `(?m)^run +bfs by settle on `+name+`$`, out.String())
		require.Regexp(t, `(?m)^scheduler +threads=96$`, out.String())
		require.Regexp(t, `(?m)^launches +3$`, out.String())
		require.NotContains(t, out.String(), "iteration")
		if name == "sim:tiny" {
			require.Positive(t, read.Others[0]["cycles"])
		}
	}

	// It says what it does not accept, and comparisons assume no iterations
	// either.
	_, err = c.Lookup("pagerank-pull", "settle")
	require.ErrorContains(t, err, `scheduler "settle" does not run pagerank-pull: kernels.PageRankPull cannot be pushed: it defines Apply, which only a pull scheme calls, and none of Take, Update and Active; these do: block, `)
	g, _, err := graph.Open(t.Context(), "rmat:scale=6,degree=6,seed=3", graph.LoadOptions{})
	require.NoError(t, err)
	dev := function.New(function.Options{})
	defer func() { require.NoError(t, dev.Close()) }()
	for _, a := range catalog.Algorithms() {
		if _, err := c.Lookup(a.Name, "settle"); err != nil {
			require.Regexp(t, " cannot be pushed: | runs in phases, which the scheduler does not have; | looks at the neighbors of both ends of an arc ", err.Error(), a.Name)
			continue
		}
		res, err := c.Run(t.Context(), dev, catalog.Request{Algorithm: a.Name, Scheduler: "settle", Graph: g, Verify: true})
		require.NoError(t, err, a.Name)
		require.NoError(t, res.Mismatch, a.Name)
		require.True(t, res.Verified, a.Name)
	}
	side := compare.FromResult("x", compare.Simulated, &catalog.Result{Steps: []scheduler.Step{{Seconds: 1, Setup: true}, {Seconds: 2}, {Seconds: 4}}})
	require.Equal(t, 2, side.Launches)
	require.InDelta(t, 6, side.Seconds, 1e-9)
}

func names(list []scheduler.Scheme) (names []string) {
	for _, s := range list {
		names = append(names, s.Name)
	}
	return names
}
