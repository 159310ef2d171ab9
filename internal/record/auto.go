package record

import (
	"context"

	"github.com/weft-gpu/weft/experiments/catalog"
	"github.com/weft-gpu/weft/experiments/choice"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/results"
)

// measured is a pair with the scheme's parameters that differ from their defaults.
type measured struct {
	Pair
	params map[string]string
}

// toMeasure returns all pairs with default parameters, and what --scheduler auto chooses on a graph where its parameters
// differ from them.
func toMeasure(ctx context.Context, g *graph.CSR) ([]measured, error) {
	var list []measured
	for _, e := range catalog.Entries() {
		list = append(list, measured{Pair: Pair{e.Algorithm.Name, e.Scheduler.Name}})
	}
	for _, a := range catalog.Algorithms() {
		e, err := catalog.Resolve(ctx, a.Name, catalog.Auto, g)
		if err != nil {
			return nil, err
		}
		if len(e.Chosen.Params) > 0 {
			list = append(list, measured{Pair{a.Name, e.Scheduler.Name}, e.Chosen.Params})
		}
	}
	return list, nil
}

// Graph returns the facts of a graph by which --scheduler auto chooses.
func Graph(ctx context.Context, name string, g *graph.CSR) (results.Graph, error) {
	r := results.Graph{Name: name}
	var err error
	if r.Shape, err = choice.Facts(ctx, g, false); err != nil || g.Symmetric {
		return r, err
	}
	closure, err := choice.Facts(ctx, g, true)
	r.Closure = &closure
	return r, err
}
