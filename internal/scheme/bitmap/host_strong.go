//go:build !kernel

package bitmap

import (
	"context"
	"fmt"
	"reflect"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

// The values of the parameters pivot and order.
const (
	always  = "always"
	never   = "never"
	random  = "random"
	numbers = "numbers"
	first   = "first"
)

// The quantities of a step of Strongly, besides those of New.
const (
	reachedTwice = "searched"
	listed       = "listed-arcs"
	rounding     = "rounds"
	roundArcs    = "round-arcs"
	sweeping     = "sweeps"
	aloneOnce    = "one-block-rounds"
	searchCycles = "search-cycles"
	listCycles   = "list-cycles"
	roundCycles  = "round-cycles"
)

// Strongly returns the scheme for strongly connected components.
func Strongly() scheduler.Scheme {
	return scheduler.Scheme{
		Name:    "forward-backward",
		Doc:     "strongly connected components in one kernel: a search along the arcs and one against them find the largest one (Fleischer et al.), signatures the others (ECL-SCC)",
		Sources: []gpu.Package{Sources},
		Params: append(append(shapeParams(), searchParams()...),
			scheduler.Param{Name: "pivot", Type: scheduler.WordParam, Words: []string{always, never}, Default: always,
				Doc: "whether the component of the vertex with the largest product of both degrees is found by searches; never: all components by signatures"},
			scheduler.Param{Name: "order", Type: scheduler.WordParam, Words: []string{first, random, numbers}, Default: first,
				Doc: "of the vertices in signatures; random: another one in each round; numbers: that of their numbers; first: in the first round by numbers, then random"},
			scheduler.Param{Name: "sweeps", Type: scheduler.IntParam, Unit: "sweep", Default: "2", Min: 1, Max: 1 << 20,
				Doc: "most sweeps of a block over its own arcs between two barriers of all blocks"},
			scheduler.Param{Name: "one-block-arcs", Type: scheduler.IntParam, Unit: "arc", Default: "4096", Max: 1 << 30,
				Doc: "one block alone runs the rounds from the one on that has at most so many arcs"}),
		Quantities: []scheduler.Quantity{
			{Name: reachedTwice, Unit: "vertex", Doc: "vertices that both searches have reached, each counted for each search"},
			{Name: "iterations", Unit: "iteration", Doc: "iterations of the searches"},
			{Name: pulls, Unit: "iteration", Doc: "of these, those that pulled"},
			{Name: aloneOnes, Unit: "iteration", Doc: "iterations that one block ran alone"},
			{Name: listed, Unit: "arc", Doc: "arcs in the first round, between vertices of which the searches have not told that they are in different components"},
			{Name: rounding, Unit: "round", Doc: "rounds of signatures"},
			{Name: roundArcs, Unit: "arc", Doc: "arcs of all rounds, at most 2³²-1"},
			{Name: sweeping, Unit: "sweep", Doc: "times that blocks passed on signatures along their arcs, from barrier to barrier"},
			{Name: aloneOnce, Unit: "round", Doc: "rounds that one block ran alone"},
			{Name: searchCycles, Unit: "cycle", Doc: "cycles of the searches, on the SM of the first block"},
			{Name: listCycles, Unit: "cycle", Doc: "cycles after them until the arcs and vertices of the first round are listed"},
			{Name: roundCycles, Unit: "cycle", Doc: "cycles of the rounds"},
		},
		WholeRows: true,
		Takes:     takesStrong,
		Kernels:   func(scheduler.Type) []scheduler.EntryPoint { return []scheduler.EntryPoint{components} },
		Run:       runStrong,
	}
}

// components is the kernel.
var components = scheduler.EntryPoint{Name: "bitmap.Components", What: "all strongly connected components"}

// takesStrong says why the scheme does not run an algorithm.
func takesStrong(a scheduler.Type, p scheduler.Values) error {
	switch {
	case !a.Strong:
		return fmt.Errorf("%s has no method Strong that returns true: its answer is not a vertex of the strongly connected component of each vertex", a.Name)
	case a.Value != reflect.TypeFor[uint32]():
		return fmt.Errorf("the values of %s are %s; scheme forward-backward gives each vertex the number of a vertex, a uint32", a.Name, a.Value)
	}
	if p.Word("pivot") == never {
		return withoutSearches(p)
	}
	return nil
}

// withoutSearches returns an error if a parameter of searches is given to a run that has none.
func withoutSearches(p scheduler.Values) error {
	params := searchParams()
	usual, err := scheduler.Scheme{Params: params}.Values(nil)
	if err != nil {
		return err
	}
	for _, q := range params {
		same := q.Type == scheduler.IntParam && p.Int(q.Name) == usual.Int(q.Name) || q.Type == scheduler.FloatParam && p.Float(q.Name) == usual.Float(q.Name) ||
			q.Type == scheduler.WordParam && p.Word(q.Name) == usual.Word(q.Name)
		if !same {
			return fmt.Errorf("%s is for searches: it needs pivot=%s", q.Name, always)
		}
	}
	return nil
}

// strongArg is a StrongMemory as a launch argument.
type strongArg struct {
	First, Second, Queue, SearchCounts, SearchBarrier, Sides, Barrier, Pivot, Dead, Arcs, NextArcs, Live, NextLive, Signatures, Ends, Counts device.Buffer
}

// runStrong is the host loop.
func runStrong(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	base, err := scheduler.Begin(j)
	if err != nil {
		return nil, err
	}
	l := &loop{Loop: base, in: j.Graph, run: runOf(base)}
	l.run.Limit = ^uint32(0)
	l.run.Pulls = j.Params.Word("direction") == auto
	how := Strong{Searches: 2, Local: uint32(j.Params.Int("sweeps")), Alone: uint32(j.Params.Int("one-block-arcs"))}
	switch j.Params.Word("order") {
	case first:
		how.Random = 1
	case numbers:
		how.Random = ^uint32(0)
	}
	if j.Graph.Symmetric {
		how.Searches = 1
	} else if l.in, err = j.Graph.Transpose(ctx); err != nil {
		return nil, err
	}
	if j.Params.Word("pivot") == never {
		how.Searches = 0
	}
	if l.kernel, err = l.Kernels.Kernel(ctx, components.Name, nil); err != nil {
		return nil, err
	}
	r, err := roomFor(j.Graph)
	if err == nil {
		err = strongRoom(j.Graph)
	}
	if err != nil {
		return nil, err
	}
	l.place(r)
	more := l.placeStrong()
	if err := l.Place(); err != nil {
		return nil, err
	}
	if err := l.Device.Write(more.Pivot, []uint64{0}); err != nil {
		return nil, err
	}
	d, err := l.launch(l.outArg, l.inArg, l.Values, l.mem, more, l.run, how)
	if err == nil {
		err = l.peel(ctx, d)
	}
	return l.Finish(err)
}

// strongRoom returns an error for a graph whose lists do not fit words with numbers of 32 bits.
func strongRoom(g *graph.CSR) error {
	const most = 1 << 31
	if g.Arcs()+g.Vertices() >= most {
		return fmt.Errorf("graph %s has %d vertices and %d arcs; scheme forward-backward has room for fewer than %d of both together", g.Name, g.Vertices(), g.Arcs(), most)
	}
	return nil
}

// placeStrong allocates the memory that New does not need.
func (l *loop) placeStrong() strongArg {
	m, n, arcs := l.Memory, l.Vertices(), l.Graph.Arcs()
	words := int(l.mem.Words)
	return strongArg{First: m.Alloc("against.first", device.U32, words), Second: m.Alloc("against.second", device.U32, words),
		Queue: m.Alloc("against.queue", device.U32, l.mem.Queue.Len), SearchCounts: m.Copy("against.counts", make([]uint32, CountWords)), SearchBarrier: m.Copy("against.barrier", make([]uint32, 1)),
		Sides: m.Copy("sides", make([]uint32, 2)), Barrier: m.Copy("all", make([]uint32, 1)), Pivot: m.Alloc("pivot", device.U64, 1),
		Dead: m.Alloc("dead", device.U32, words), Arcs: m.Alloc("arcs", device.U32, signatureWords*arcs), NextArcs: m.Alloc("next arcs", device.U32, signatureWords*arcs),
		Live: m.Alloc("live", device.U32, n), NextLive: m.Alloc("next live", device.U32, n),
		Signatures: m.Alloc("signatures", device.U32, signatureWords*n), Ends: m.Alloc("ends", device.U32, signatureWords*n),
		Counts: m.Copy("rounds", make([]uint32, PeelCountWords))}
}

// peel launches the kernel and records what it says.
func (l *loop) peel(ctx context.Context, d device.Launch) error {
	rep, err := l.LaunchRead(ctx, d, device.Answer{Buffer: l.mem.Status, To: l.status[:]})
	if err != nil {
		l.Record(l.kernel, rep, scheduler.Step{Iteration: 1})
		return err
	}
	number := func(name string, at int) scheduler.Number {
		return scheduler.Number{Name: name, Value: float64(l.status[at])}
	}
	l.Record(l.kernel, rep, scheduler.Step{Iteration: max(int(l.status[IterationStatus]+l.status[SweepStatus]), 1), Numbers: []scheduler.Number{
		number(reachedTwice, VerticesStatus), number(iterations, IterationStatus), number(pulls, PullStatus), number(aloneOnes, AloneStatus),
		number(listed, ListedStatus), number(rounding, RoundStatus), number(roundArcs, RoundArcsStatus), number(sweeping, SweepStatus), number(aloneOnce, AloneRoundStatus),
		number(searchCycles, SearchStatus), number(listCycles, CollectStatus), number(roundCycles, PeelStatus)}})
	return nil
}
