// Package ranks changes one of Weft's own algorithms in one point.
package ranks

import (
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// Personal is PageRank where every walk starts at the source.
type Personal struct{ kernels.PageRank }

// Init is all of the residual at the source.
func (a Personal) Init(v scheduler.Vertex, in scheduler.Problem) float32 {
	if v.ID == in.Source {
		return a.PageRank.Init(v, in)
	}
	return 0
}

// Start is the source.
func (a Personal) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }
