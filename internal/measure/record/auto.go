package record

import (
	"context"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
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
		e, err := catalog.Resolve(ctx, a.Name, catalog.Auto, g, 1)
		if err != nil {
			return nil, err
		}
		if len(e.Chosen.Params) > 0 {
			list = append(list, measured{Pair{a.Name, e.Scheduler.Name}, e.Chosen.Params})
		}
	}
	return list, nil
}
