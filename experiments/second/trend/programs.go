package trend

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/experiments/second/plain"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// Program is a program that package trend runs.
type Program struct {
	Name string
	// Run runs it on a graph of n vertices, or on n points, and returns its answer.
	Run func(ctx context.Context, p *Plain, n int) (any, error)
}

// Programs are the programs: three algorithms of Weft's catalog, and two of package plain.
var Programs = []Program{
	{"pagerank-pull", pulled("pagerank-pull")},
	{"circuit", pulled("circuit")},
	{"nn", pulled("nn")},
	{"levels", levels},
	{"stencil", stencil},
}

// block is the number of threads of a block.
const block = 256

// blocks is the grid for n threads, of at most one block for each SIMD of 64 compute units.
func blocks(n int) int { return min((n+block-1)/block, 256) }

// open returns the graph of n vertices.
func open(ctx context.Context, n int) (*graph.CSR, error) {
	g, _, err := graph.Open(ctx, fmt.Sprintf("smallworld:n=%d,degree=8,rewire=0.1,seed=1", n), graph.LoadOptions{})
	return g, err
}

// pulled runs an algorithm of the catalog, whose answer must be that of the CPU reference.
func pulled(name string) func(ctx context.Context, p *Plain, n int) (any, error) {
	return func(ctx context.Context, p *Plain, n int) (any, error) {
		g, err := open(ctx, n)
		if err != nil {
			return nil, err
		}
		res, err := catalog.Run(ctx, p, catalog.Request{Algorithm: name, Scheduler: "thread", Graph: g, Verify: true})
		if err != nil {
			return nil, err
		}
		if !res.Verified {
			return nil, fmt.Errorf("%s: wrong answer: %w", name, res.Mismatch)
		}
		return res.Values, nil
	}
}

// levels runs breadth-first search from vertex 0, a launch for each level.
func levels(ctx context.Context, p *Plain, n int) (any, error) {
	g, err := open(ctx, n)
	if err != nil {
		return nil, err
	}
	level := slices.Repeat([]uint32{plain.Unreached}, n)
	level[0] = 0
	var list [3]device.Buffer
	row := make([]uint32, len(g.Row))
	for i, at := range g.Row {
		row[i] = uint32(at)
	}
	for i, words := range [][]uint32{row, g.Col, level} {
		if list[i], err = put(p, []string{"row", "col", "level"}[i], device.U32, words); err != nil {
			return nil, err
		}
	}
	flags, err := p.flags(n)
	if err != nil {
		return nil, err
	}
	for now := uint32(1); ; now++ {
		if _, err := p.run(ctx, "plain.Levels", device.Launch{Grid: blocks(n), Block: block, Args: []any{list[0], list[1], list[2], flags, now}}); err != nil {
			return nil, err
		}
		if changed, err := p.sum(flags); err != nil || changed == 0 {
			if err == nil {
				err = p.Read(list[2], level)
			}
			return level, err
		}
	}
}

// steps is the number of steps of stencil.
const steps = 10

// stencil runs some steps on the largest square of at most n points whose side is a power of two.
func stencil(ctx context.Context, p *Plain, n int) (any, error) {
	side := uint32(1)
	for 4*side*side <= uint32(n) {
		side *= 2
	}
	points := make([]float32, side*side)
	for i := range points {
		points[i] = float32(i*7919%1000) / 8
	}
	a, err := put(p, "a", device.F32, points)
	if err != nil {
		return nil, err
	}
	b, err := put(p, "b", device.F32, points)
	if err != nil {
		return nil, err
	}
	for range steps {
		if _, err := p.run(ctx, "plain.Stencil", device.Launch{Grid: blocks(n), Block: block, Args: []any{a, b, side}}); err != nil {
			return nil, err
		}
		a, b = b, a
	}
	return points, p.Read(a, points)
}
