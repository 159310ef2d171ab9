//go:build !kernel

package linked

import (
	"context"
	"embed"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/service/catalog/testdata/linked/hop"
	"github.com/weft-gpu/weft/scheduler"
)

//go:embed *.go
var files embed.FS

// Sources is the device code of this package.
var Sources = gpu.Package{Path: "github.com/weft-gpu/weft/internal/service/catalog/testdata/linked", Files: files}

// New returns the host half of Near.
func New() scheduler.Host {
	return scheduler.Host{Name: "near", Doc: "arcs to the nearest multiple of step", Device: Near{}, Sources: []gpu.Package{Sources, hop.Sources}, Value: "hop", Reference: reference}
}

// reference relaxes all arcs until nothing changes.
func reference(ctx context.Context, in scheduler.Input) (any, error) {
	g := in.Graph
	hops := make([]uint32, g.Vertices())
	for v := range hops {
		hops[v] = hop.Far
		if v%int(in.Params["step"].Uint()) == 0 {
			hops[v] = 0
		}
	}
	for changed := true; changed && ctx.Err() == nil; {
		changed = false
		for u := range uint32(len(hops)) {
			for _, v := range g.Neighbors(u) {
				if hops[u]+1 < hops[v] {
					hops[v], changed = hops[u]+1, true
				}
			}
		}
	}
	return hops, ctx.Err()
}
