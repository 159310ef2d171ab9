//go:build !kernel

package scheduler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/gpu"
)

// Expansion is what the host found in the first iterations of a push run.
type Expansion struct {
	Iterations int      // iterations run; fewer than wanted if the frontier became empty
	Processed  int      // vertices of the frontiers processed
	Vertices   []uint32 // the vertices that may have changed, in ascending order
	Values     any      // their values, a slice of the algorithm's type
	Frontier   []uint32 // the next frontier
}

// CanExpand returns nil if the host can run iterations of an algorithm itself. Those of an
// algorithm in phases that only save work are of the first phase: the host leaves vertices
// that do not join it to the device.
func (t Type) CanExpand() error {
	if t.Phased && !t.Unordered {
		return fmt.Errorf("%s runs in phases, which the host does not", t.Name)
	}
	for _, f := range t.Fields {
		if f.Array {
			return fmt.Errorf("%s keeps its array %s in device memory, which the host does not change", t.Name, f.Name)
		}
	}
	return nil
}

// CanExpand returns nil if the host can run iterations of the job itself.
func (j Job) CanExpand() error {
	if j.Linked == nil {
		return fmt.Errorf("%s is compiled for devices and not a part of this program, so the host cannot run its methods", j.Algorithm.Name)
	}
	return j.Algorithm.CanExpand()
}

// Expand runs up to n iterations of a push on the host, one vertex after the other, from a
// frontier in which the vertices have their first values. The methods of the algorithm run
// as plain Go, so it must be a part of the program ([Job].Linked). The work and the memory
// depend on the vertices that it reaches, not on the size of the graph.
func Expand(ctx context.Context, j Job, frontier []uint32, n int) (*Expansion, error) {
	if err := j.CanExpand(); err != nil {
		return nil, err
	}
	alg, err := j.instance()
	if err != nil {
		return nil, err
	}
	switch a := alg.(type) {
	case Algorithm[uint32]:
		return expand(ctx, j, a, frontier, n)
	case Algorithm[int32]:
		return expand(ctx, j, a, frontier, n)
	case Algorithm[uint64]:
		return expand(ctx, j, a, frontier, n)
	case Algorithm[int64]:
		return expand(ctx, j, a, frontier, n)
	case Algorithm[float32]:
		return expand(ctx, j, a, frontier, n)
	case Algorithm[float64]:
		return expand(ctx, j, a, frontier, n)
	}
	return nil, fmt.Errorf("%s is a %T, which is no algorithm with values of a type that the host knows", j.Algorithm.Name, alg)
}

// instance returns the algorithm with the parameters of the job.
func (j Job) instance() (any, error) {
	scalars, err := j.Algorithm.Scalars(j.AlgorithmParams)
	if err != nil {
		return nil, err
	}
	alg := reflect.New(reflect.TypeOf(j.Linked)).Elem()
	for _, f := range j.Algorithm.Fields {
		alg.FieldByName(f.Name).Set(scalars[strings.ToLower(f.Name)])
	}
	return alg.Interface(), nil
}

// expand is Expand for the type of values.
func expand[V gpu.Num](ctx context.Context, j Job, alg Algorithm[V], frontier []uint32, n int) (*Expansion, error) {
	row, err := j.Graph.Device32()
	if err != nil {
		return nil, err
	}
	g := Graph{Row: row, Col: j.Graph.Col, Weight: j.Graph.Weight}
	vertex := func(id uint32) Vertex { return Vertex{ID: id, Degree: row[id+1] - row[id]} }
	in := Problem{Source: j.Source, Vertices: g.Vertices()}
	values, found := map[uint32]*V{}, &Expansion{Frontier: frontier}
	value := func(id uint32) *V {
		if values[id] == nil {
			x := alg.Init(vertex(id), in)
			values[id] = &x
		}
		return values[id]
	}
	// A launch of one thread, since methods may use functions of package gpu.
	launched := gpu.Launch(1, 1, func(gpu.Thread) {
		for ; found.Iterations < n && len(found.Frontier) > 0 && ctx.Err() == nil; found.Iterations++ {
			var next []uint32
			listed := map[uint32]bool{}
			for _, u := range found.Frontier {
				src := alg.Take(vertex(u), value(u))
				for e := row[u]; e < row[u+1]; e++ {
					SendUpdate(alg, g.Edge(e, u, g.Col[e]), src, value(g.Col[e]), func(v uint32) {
						if !listed[v] {
							listed[v] = true
							next = append(next, v)
						}
					})
				}
			}
			found.Processed += len(found.Frontier)
			found.Frontier = next
		}
	})
	found.Vertices = slices.Sorted(maps.Keys(values))
	list := make([]V, len(found.Vertices))
	for i, v := range found.Vertices {
		list[i] = *values[v]
	}
	found.Values = list
	return found, errors.Join(launched, ctx.Err())
}
