// Package ranks changes one of Weft's own algorithms in one respect.
package ranks

import (
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// Personal is PageRank in which every walk starts at the source.
type Personal struct{ kernels.PageRank }

// Init gives the whole residual to the source.
func (a Personal) Init(v scheduler.Vertex, in scheduler.Problem) float32 {
	if v.ID == in.Source {
		return a.PageRank.Init(v, in)
	}
	return 0
}

// Start is true for the source.
func (a Personal) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }
