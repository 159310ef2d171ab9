package catalog

import (
	"reflect"

	"github.com/weft-gpu/weft/scheduler"
)

// reorder gives the values their places in the order of Graph, if the scheme has renumbered the vertices. Values that are vertices get the numbers of
// Graph; which vertex stands for others, such as the smallest of a component, was decided in the order of the run.
func (r *Result) reorder(h *scheduler.Host) {
	g := r.outcome.Graph
	if g == nil {
		return
	}
	after, before := make([]uint32, g.Vertices()), make([]uint32, g.Vertices())
	for v := range after {
		after[v], _ = g.VertexOf(r.Graph.FileID(uint32(v)))
		before[after[v]] = uint32(v)
	}
	r.Values = inOrder(r.Values, after)
	for name, list := range r.Arrays {
		r.Arrays[name] = inOrder(list, after)
	}
	if vertices, ok := r.Values.([]uint32); ok && h != nil && h.Vertices {
		for i, v := range vertices {
			if int64(v) < int64(len(before)) { // others stand for no vertex
				vertices[i] = before[v]
			}
		}
	}
}

// inOrder returns a slice with the elements of another one, in which after[v] is the place of element v. What is not a slice of so many stays what it is.
func inOrder(list any, after []uint32) any {
	from := reflect.ValueOf(list)
	if from.Kind() != reflect.Slice || from.Len() != len(after) {
		return list
	}
	to := reflect.MakeSlice(from.Type(), len(after), len(after))
	for v, place := range after {
		to.Index(v).Set(from.Index(int(place)))
	}
	return to.Interface()
}
