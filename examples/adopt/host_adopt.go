//go:build !kernel

package adopt

import (
	"context"
	"embed"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

//go:embed *.go
var files embed.FS

// Sources is the device code of this package, for the compiler.
var Sources = gpu.Package{Path: "github.com/weft-gpu/weft/examples/adopt", Files: files}

// New returns Adoption with its reference, for a program that links it in.
func New() scheduler.Host {
	return scheduler.Host{
		Name:      "adoption",
		Doc:       "bootstrap percolation: a vertex adopts a habit when k of its in-neighbors have it",
		Device:    Adoption{},
		Sources:   []gpu.Package{Sources},
		Value:     "count",
		Reference: reference,
	}
}

// reference spreads the habit from a list of the vertices that have it.
func reference(ctx context.Context, in scheduler.Input) (any, error) {
	k, every := uint32(in.Params["k"].Uint()), uint32(in.Params["every"].Uint())
	count := make([]uint32, in.Graph.Vertices())
	var have []uint32
	for v := uint32(0); v < uint32(len(count)); v += every {
		count[v], have = k, append(have, v)
	}
	for len(have) > 0 && ctx.Err() == nil {
		u := have[len(have)-1]
		have = have[:len(have)-1]
		for _, v := range in.Graph.Neighbors(u) {
			if count[v] < k {
				if count[v]++; count[v] == k {
					have = append(have, v)
				}
			}
		}
	}
	return count, ctx.Err()
}
