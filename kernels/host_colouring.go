//go:build !kernel

package kernels

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/scheduler"
)

// ColouringHost is the host half of Colouring.
var ColouringHost = scheduler.Host{
	Name:   "colouring",
	Doc:    "graph colouring of the symmetric closure, largest degree first (Jones-Plassmann) or speculative",
	Device: Colouring{},
	Value:  "colour",
	Answer: func(out *scheduler.Outcome) (any, error) {
		values, err := as[[]uint64](out.Values)
		if err != nil {
			return nil, err
		}
		return colours(values), nil
	},
	Summary: func(answer any) string {
		colours, _ := answer.([]uint64)
		if n := distinct(colours); n != 1 {
			return fmt.Sprintf("%d colours", n)
		}
		return "1 colour"
	},
	Check: func(ctx context.Context, in scheduler.Input, out *scheduler.Outcome, answer any) (*graph.Tolerance, error) {
		colours, err := as[[]uint64](answer)
		if err != nil {
			return nil, err
		}
		if err := reference.CheckColouring(ctx, in.Graph, colours); err != nil {
			return nil, err
		}
		values, err := as[[]uint64](out.Values)
		if err != nil || slices.ContainsFunc(values, func(x uint64) bool { return x&guessed != 0 }) {
			return nil, err
		}
		return nil, reference.CheckGreedyColouring(ctx, in.Graph, byPriority(in.Graph), colours)
	},
}

// colours returns the colours of vertices; one that has none gets all ones.
func colours(values []uint64) []uint64 {
	colours := make([]uint64, len(values))
	for v, x := range values {
		colours[v] = uint64(uint32(x))
		if x&coloured == 0 {
			colours[v] = ^uint64(0)
		}
	}
	return colours
}

// distinct returns the number of different colours.
func distinct(colours []uint64) int {
	sorted := slices.Clone(colours)
	slices.Sort(sorted)
	return len(slices.Compact(sorted))
}

// byPriority returns a number for each vertex, the larger the higher its priority.
func byPriority(g *graph.CSR) []uint64 {
	priority := make([]uint64, g.Vertices())
	for v := range priority {
		priority[v] = uint64(min(g.Degree(uint32(v)), 1<<30-1))<<32 | uint64(scatter(uint32(v)))
	}
	return priority
}
