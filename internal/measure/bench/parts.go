package bench

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/graphs"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/scheduler"
)

// The graphs of the benchmarks are large enough to make start-up costs
// negligible.
const (
	benchReadGraph = "rmat:scale=16,degree=16,seed=1"
	benchFuncGraph = "rmat:scale=17,degree=16,seed=1"
	benchSimGraph  = "rmat:scale=14,degree=16,seed=1"
)

// Parts returns the parts of `weft bench`. Inputs are made on first use and
// kept.
func Parts() []Part {
	text := cached(func(ctx context.Context) ([]byte, error) { return edgeList(ctx, benchReadGraph) })
	funcGraph := cached(func(ctx context.Context) (*graph.CSR, error) { return generated(ctx, benchFuncGraph) })
	simGraph := cached(func(ctx context.Context) (*graph.CSR, error) { return generated(ctx, benchSimGraph) })
	return []Part{
		{"compile", "Go source to programs, all kernels that schemes launch, with loading", "kernel/s", benchCompile},
		{"read", "edge list text to CSR, " + benchReadGraph, "B/s", func(ctx context.Context) (float64, error) {
			t, err := text(ctx)
			if err != nil {
				return 0, err
			}
			start := time.Now()
			_, _, err = graph.Read(ctx, "bench.txt", bytes.NewReader(t), int64(len(t)), graph.LoadOptions{})
			return float64(len(t)) / format.Since(start), err
		}},
		{"func", "BFS by warp on func, " + benchFuncGraph, "warp inst/s", func(ctx context.Context) (float64, error) {
			return benchBFS(ctx, devices.Func, funcGraph)
		}},
		{"sim", "BFS by warp on sim:h200, " + benchSimGraph, "warp inst/s", func(ctx context.Context) (float64, error) {
			return benchBFS(ctx, devices.Default, simGraph)
		}},
	}
}

// cached returns a function that calls f until it succeeds once, and then
// returns its value.
func cached[T any](f func(context.Context) (T, error)) func(context.Context) (T, error) {
	var value T
	have := false
	return func(ctx context.Context) (T, error) {
		if have {
			return value, nil
		}
		v, err := f(ctx)
		value, have = v, err == nil
		return v, err
	}
}

func generated(ctx context.Context, spec string) (*graph.CSR, error) {
	g, _, err := graphs.Open(ctx, spec, graph.LoadOptions{})
	return g, err
}

// edgeList writes a graph in the format of SNAP.
func edgeList(ctx context.Context, spec string) ([]byte, error) {
	g, err := generated(ctx, spec)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for u := range g.Vertices() {
		for _, v := range g.Col[g.Row[u]:g.Row[u+1]] {
			fmt.Fprintf(&b, "%d\t%d\n", u, v)
		}
	}
	return b.Bytes(), nil
}

// benchCompile compiles every entry point with a fresh compiler.
func benchCompile(ctx context.Context) (float64, error) {
	return compiled(ctx, catalog.EntryPoints())
}

// compiled compiles entry points with a fresh compiler, and returns how many a second.
func compiled(ctx context.Context, all []scheduler.EntryPoint) (float64, error) {
	start := time.Now()
	c := compile.New(catalog.Sources()...)
	for _, e := range all {
		if _, err := c.Kernel(ctx, e.Name, e.Bind); err != nil {
			return 0, err
		}
	}
	return float64(len(all)) / format.Since(start), nil
}

// benchBFS runs BFS once and returns warp instructions per second inside the
// launches.
func benchBFS(ctx context.Context, name string, input func(context.Context) (*graph.CSR, error)) (float64, error) {
	g, err := input(ctx)
	if err != nil {
		return 0, err
	}
	spec, err := devices.New(name, devices.Options{Seed: 1})
	if err != nil {
		return 0, err
	}
	dev, err := spec.Open(ctx, devices.Watch{})
	if err != nil {
		return 0, err
	}
	defer dev.Close()
	clock := run.NewTimed(dev)
	source, _ := g.MaxDegreeVertex()
	res, err := catalog.Run(ctx, clock, catalog.Request{Algorithm: "bfs", Scheduler: "warp", Graph: g, Source: source})
	if err != nil {
		return 0, err
	}
	n, _ := res.Report.Counter(run.WarpInstructions)
	return n / clock.Inside.Seconds(), nil
}
