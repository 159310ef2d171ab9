package graph

import (
	"fmt"
	"math"
	"slices"
)

// MaxVertices is the largest number of vertices of a graph: vertex numbers are
// 32 bits wide, and the largest 32-bit value stands for "no vertex".
const MaxVertices = math.MaxUint32

// CSR is a directed graph in compressed sparse row form. Arc e of vertex u,
// Row[u] <= e < Row[u+1], goes to Col[e] with weight Weight[e]. Within a row,
// targets ascend. An undirected edge is two arcs.
type CSR struct {
	Name   string
	Row    []uint64 // vertices+1
	Col    []uint32 // arcs
	Weight []uint32 // arcs, or nil: the graph has no weights
	// BadWeights says why the weights of the graph's file are not in Weight: a
	// *FileError. It is nil where the file has none, or where they are there.
	BadWeights error
	// Symmetric says that for each arc the opposite one exists, with the same weight.
	Symmetric bool
	// FirstID is the number that the file gives to the first vertex (1 for
	// Matrix Market, DIMACS and METIS), where ID is nil.
	FirstID uint32
	// ID is the number that the file gives to each vertex, ascending, where the
	// loader closed gaps; nil otherwise.
	ID []uint32
}

// Vertices is the number of vertices.
func (g *CSR) Vertices() int { return len(g.Row) - 1 }

// Arcs is the number of arcs.
func (g *CSR) Arcs() int { return len(g.Col) }

// Degree is the number of arcs that leave v.
func (g *CSR) Degree(v uint32) int { return int(g.Row[v+1] - g.Row[v]) }

// Neighbors are the targets of the arcs that leave v, ascending. The slice is
// a part of Col: do not change it.
func (g *CSR) Neighbors(v uint32) []uint32 { return g.Col[g.Row[v]:g.Row[v+1]] }

// Weights are the weights of the arcs that leave v, in the order of Neighbors;
// nil when the graph has no weights. The slice is a part of Weight.
func (g *CSR) Weights(v uint32) []uint32 {
	if g.Weight == nil {
		return nil
	}
	return g.Weight[g.Row[v]:g.Row[v+1]]
}

// Degrees is the number of arcs that leave each vertex.
func (g *CSR) Degrees() []uint32 {
	d := make([]uint32, g.Vertices())
	for v := range d {
		d[v] = uint32(g.Row[v+1] - g.Row[v])
	}
	return d
}

// MaxDegreeVertex is the vertex with the most outgoing arcs, the first of them
// when several have as many. ok is false when the graph has no vertex.
func (g *CSR) MaxDegreeVertex() (v uint32, ok bool) {
	if g.Vertices() <= 0 {
		return 0, false
	}
	var most uint64
	for u := range g.Vertices() {
		if d := g.Row[u+1] - g.Row[u]; d > most {
			most, v = d, uint32(u)
		}
	}
	return v, true
}

// FileID is the number that the graph's file gives to vertex v.
func (g *CSR) FileID(v uint32) uint64 {
	if g.ID != nil {
		return uint64(g.ID[v])
	}
	return uint64(v) + uint64(g.FirstID)
}

// VertexOf is the vertex to which the graph's file gives a number; ok is false
// when there is none.
func (g *CSR) VertexOf(fileID uint64) (v uint32, ok bool) {
	if g.ID != nil {
		if fileID > math.MaxUint32 {
			return 0, false
		}
		i, found := slices.BinarySearch(g.ID, uint32(fileID))
		return uint32(i), found
	}
	i := fileID - uint64(g.FirstID) // wraps round to a large number below the first
	return uint32(i), i < uint64(g.Vertices())
}

// Device32 gives the row offsets as devices hold them, 32 bits wide:
// vertices+1 values. It is an error for 2^32 arcs or more.
func (g *CSR) Device32() ([]uint32, error) {
	if n := len(g.Row); n > 0 && g.Row[n-1] > math.MaxUint32 {
		return nil, fmt.Errorf("graph %s has %d arcs: devices address at most %d with 32-bit row offsets",
			g.Name, g.Row[n-1], uint32(math.MaxUint32))
	}
	row := make([]uint32, len(g.Row))
	for i, r := range g.Row {
		row[i] = uint32(r)
	}
	return row, nil
}
