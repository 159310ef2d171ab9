package cpu

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
)

// problem is what a code solves.
type problem struct {
	g, in   *graph.CSR // in has the arcs turned round
	source  uint32
	params  map[string]string
	workers int
}

// newProblem returns a problem for one worker.
func newProblem(ctx context.Context, g *graph.CSR, source uint32, params map[string]string) (*problem, error) {
	in := g
	if !g.Symmetric || g.Weight != nil { // opposite arcs may have different weights
		var err error
		if in, err = g.Transpose(ctx); err != nil {
			return nil, err
		}
	}
	return &problem{g, in, source, params, 1}, nil
}

// number returns the value of a parameter.
func (p *problem) number(name string) (float64, error) {
	x, err := strconv.ParseFloat(p.params[name], 64)
	if err != nil {
		return 0, fmt.Errorf("parameter %s: %w", name, err)
	}
	return x, nil
}

// each calls do for parts of 0 to n-1, with the number of the worker that does the part. If there is only one part, nobody
// else is woken up for it: alone is then true.
func (p *problem) each(n, part int, do func(worker, from, to int)) (alone bool) {
	if p.workers == 1 || n <= part {
		do(0, 0, n)
		return true
	}
	var done sync.WaitGroup
	var taken atomic.Int64
	for w := range min(p.workers, (n+part-1)/part) {
		done.Go(func() {
			for {
				from := int(taken.Add(int64(part))) - part
				if from >= n {
					return
				}
				do(w, from, min(from+part, n))
			}
		})
	}
	done.Wait()
	return false
}

// gather appends what each worker found to a list, and empties theirs.
func gather(list []uint32, local [][]uint32) []uint32 {
	for w := range local {
		list = append(list, local[w]...)
		local[w] = local[w][:0]
	}
	return list
}

// unreached returns a distance for each of n vertices.
func unreached(n int) []uint32 {
	dist := make([]uint32, n)
	for v := range dist {
		dist[v] = reference.Unreached
	}
	return dist
}
