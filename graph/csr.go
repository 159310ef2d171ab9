package graph

import (
	"fmt"
	"math"
	"slices"
)

// MaxVertices is the largest number of vertices of a graph: vertex numbers have 32 bits,
// and the largest 32-bit value means "no vertex".
const MaxVertices = math.MaxUint32

// CSR is a directed graph in compressed sparse row form. It can have 2^32 arcs and more, which kernels
// cannot: see Device32. The arcs of vertex u have the
// indices Row[u] <= e < Row[u+1]; arc e goes to Col[e] and has weight Weight[e]. Targets
// ascend within a row. An undirected edge is two arcs.
type CSR struct {
	Name   string
	Row    []uint64 // offsets into Col, vertices+1
	Col    []uint32 // targets, one per arc
	Weight []uint32 // one per arc; nil if the graph has no weights
	// BadWeights is a *FileError that says why the weights of the file are not in Weight.
	// It is nil if the file has no weights or if they are used.
	BadWeights error
	// Symmetric is set if each arc has an opposite arc with the same weight.
	Symmetric bool
	// FirstID is the id of the first vertex in the file (1 for Matrix Market, DIMACS and
	// METIS). It is used if ID is nil.
	FirstID uint32
	// ID is the id of each vertex in the file, ascending, if the loader closed gaps;
	// otherwise nil. In a permuted graph the vertices are here in their order before the
	// permutation; FileID and VertexOf know it.
	ID []uint32

	order *order  // of a permuted graph; otherwise nil
	from  *origin // where the graph can be read again; otherwise nil
}

// Vertices returns the number of vertices.
func (g *CSR) Vertices() int { return len(g.Row) - 1 }

// Arcs returns the number of arcs.
func (g *CSR) Arcs() int { return len(g.Col) }

// Bytes returns the size of the graph in memory.
func (g *CSR) Bytes() uint64 {
	return 8*uint64(len(g.Row)) + 4*uint64(len(g.Col)+len(g.Weight)+len(g.ID))
}

// Degree returns the number of outgoing arcs of v.
func (g *CSR) Degree(v uint32) int { return int(g.Row[v+1] - g.Row[v]) }

// Neighbors returns the targets of the outgoing arcs of v, ascending. The slice is part of
// Col; do not modify it.
func (g *CSR) Neighbors(v uint32) []uint32 { return g.Col[g.Row[v]:g.Row[v+1]] }

// Weights returns the weights of the outgoing arcs of v in the order of Neighbors, or nil
// if the graph has no weights. The slice is part of Weight; do not modify it.
func (g *CSR) Weights(v uint32) []uint32 {
	if g.Weight == nil {
		return nil
	}
	return g.Weight[g.Row[v]:g.Row[v+1]]
}

// Degrees returns the number of outgoing arcs of each vertex.
func (g *CSR) Degrees() []uint32 {
	d := make([]uint32, g.Vertices())
	for v := range d {
		d[v] = uint32(g.Row[v+1] - g.Row[v])
	}
	return d
}

// MaxDegreeVertex returns the vertex with the most outgoing arcs, and the first one if
// there are several. ok is false if the graph has no vertices.
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

// FileID returns the id of vertex v in the graph's file.
func (g *CSR) FileID(v uint32) uint64 {
	v = g.unpermuted(v)
	if g.ID != nil {
		return uint64(g.ID[v])
	}
	return uint64(v) + uint64(g.FirstID)
}

// VertexOf returns the vertex with the given id in the graph's file; ok is false if there
// is none.
func (g *CSR) VertexOf(fileID uint64) (v uint32, ok bool) {
	if v, ok = g.numbered(fileID); ok && g.order != nil {
		v = g.order.after[v]
	}
	return v, ok
}

// numbered is VertexOf before the permutation.
func (g *CSR) numbered(fileID uint64) (v uint32, ok bool) {
	if g.ID != nil {
		if fileID > math.MaxUint32 {
			return 0, false
		}
		i, found := slices.BinarySearch(g.ID, uint32(fileID))
		return uint32(i), found
	}
	i := fileID - uint64(g.FirstID) // wraps around to a large number below the first
	return uint32(i), i < uint64(g.Vertices())
}

// Device32 returns the row offsets in the form that devices use, as 32-bit numbers:
// vertices+1 of them. It returns an error for 2^32 or more arcs, since kernels take the offsets as
// []uint32: 64 bits would double the traffic for offsets of all smaller graphs.
func (g *CSR) Device32() ([]uint32, error) {
	if n := len(g.Row); n > 0 && g.Row[n-1] > math.MaxUint32 {
		return nil, fmt.Errorf("graph %s has %d arcs: kernels take row offsets of 32 bits, for at most %d arcs; only the host (\"weft graph\", CPU references) takes more",
			g.Name, g.Row[n-1], uint32(math.MaxUint32))
	}
	row := make([]uint32, len(g.Row))
	for i, r := range g.Row {
		row[i] = uint32(r)
	}
	return row, nil
}
