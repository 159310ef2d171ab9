package hostloop

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/results"
)

// lengths are those of the paths: a breadth-first search has about as many iterations, each with one launch and one answer.
var lengths = [2]uint32{16, 48}

// others are vertices that the path does not reach, each with degree arcs: 2 MiB, which are copied and never read.
const others, degree = 1024, 512

// pairs is how many pairs of runs are measured, after one that does not count.
const pairs = 25

// Rows returns the rows results.HostEach and results.HostStart of a device. Runs of both lengths alternate; the time of a launch is the
// difference between the two of a pair, by its launches.
func Rows(ctx context.Context, dev device.Device) ([]results.Micro, error) {
	var graphs [2]*graph.CSR
	for i, n := range lengths {
		var err error
		if graphs[i], err = path(ctx, n); err != nil {
			return nil, err
		}
	}
	c, err := catalog.Shared()
	if err != nil {
		return nil, err
	}
	var each, start []float64
	for i := range pairs + 1 {
		var launches, us [2]float64
		for j, g := range graphs {
			r, err := c.Run(ctx, dev, catalog.Request{Algorithm: "bfs", Scheduler: "thread", Graph: g})
			if err != nil {
				return nil, err
			}
			for _, s := range r.Steps {
				if !s.Setup {
					launches[j]++
				}
			}
			us[j] = (r.SolveSeconds - r.KernelSeconds()) * 1e6
		}
		if launches[1] <= launches[0] {
			return nil, fmt.Errorf("runs of %v launches do not tell the time of one", launches)
		}
		slope := (us[1] - us[0]) / (launches[1] - launches[0])
		if i > 0 { // the first pair is a warm-up
			each, start = append(each, slope), append(start, us[0]-launches[0]*slope)
		}
	}
	return []results.Micro{row(results.HostEach, each), row(results.HostStart, start)}, nil
}

// path returns a graph that is a path of the given number of arcs, and others.
func path(ctx context.Context, arcs uint32) (*graph.CSR, error) {
	var edges []graph.Edge
	for v := range arcs {
		edges = append(edges, graph.Edge{From: v, To: v + 1})
	}
	first := lengths[1] + 1 // of the others, in both graphs
	for v := range uint32(others) {
		for i := range uint32(degree) {
			edges = append(edges, graph.Edge{From: first + v, To: first + (v+i+1)%others})
		}
	}
	g, _, err := graph.FromEdges(ctx, fmt.Sprintf("a path of %d arcs", arcs), int(first)+others, edges, graph.LoadOptions{})
	return g, err
}

func row(name string, us []float64) results.Micro {
	slices.Sort(us)
	return results.Micro{Group: "host", Name: name, Unit: "us", Median: us[len(us)/2], Min: us[0], Max: us[len(us)-1], Runs: len(us)}
}
