// Package graph holds graphs on the host: the CSR form, readers, generators
// and CPU reference answers.
package graph

// CSR is a directed graph in compressed sparse row form. Arc e of vertex u,
// Row[u] <= e < Row[u+1], goes to Col[e] with weight Weight[e]. Within a row,
// targets ascend.
type CSR struct {
	Name   string
	Row    []uint64 // vertices+1
	Col    []uint32 // arcs
	Weight []uint32 // arcs, or nil
	// Symmetric says that for each arc the opposite one exists, with the same weight.
	Symmetric bool
}

// Vertices is the number of vertices.
func (g *CSR) Vertices() int { return len(g.Row) - 1 }

// Arcs is the number of arcs.
func (g *CSR) Arcs() int { return len(g.Col) }
