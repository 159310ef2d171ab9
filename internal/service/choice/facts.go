package choice

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"weak"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/results"
)

// shapes are the shapes computed so far, for as long as their graphs are in use: a graph.Shape by key.
var shapes sync.Map

type key struct {
	graph   weak.Pointer[graph.CSR]
	closure bool
}

// Facts returns the shape of a graph, or of its symmetric closure. It is computed once for each graph in memory, which
// must not change.
func Facts(ctx context.Context, g *graph.CSR, closure bool) (graph.Shape, error) {
	k := key{weak.Make(g), closure && !g.Symmetric}
	if s, ok := shapes.Load(k); ok {
		return s.(graph.Shape), nil
	}
	of := g
	if k.closure {
		var err error
		if of, err = g.Symmetrize(ctx); err != nil {
			return graph.Shape{}, err
		}
	}
	s, err := of.Shape(ctx)
	if err != nil {
		return s, err
	}
	if _, twice := shapes.LoadOrStore(k, s); !twice {
		runtime.AddCleanup(g, func(k key) { shapes.Delete(k) }, k)
	}
	return s, nil
}

// Describe returns the facts of a graph for a record.
func Describe(ctx context.Context, name string, g *graph.CSR) (results.Graph, error) {
	r := results.Graph{Name: name}
	var err error
	if r.Shape, err = Facts(ctx, g, false); err != nil || g.Symmetric {
		return r, err
	}
	closure, err := Facts(ctx, g, true)
	r.Closure = &closure
	return r, err
}

// describe returns the facts of a graph as part of a sentence.
func describe(s graph.Shape) string {
	text := fmt.Sprintf("%d vertices, degrees %.3g on average, %d at most, variation %.2g; %d levels, %.4g vertices each",
		s.Vertices, s.MeanDegree, s.MaxDegree, s.DegreeVariation, s.Levels, s.LevelSize)
	if s.Cut {
		text += " in the part that was searched"
	}
	return text
}
