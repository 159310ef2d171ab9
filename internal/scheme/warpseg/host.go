//go:build !kernel

package warpseg

import (
	"cmp"
	"context"
	"fmt"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// The values of parameter reduce.
const (
	whole = "whole"
	sized = "sized"
)

// New returns the scheme. It accepts every algorithm that can be pulled.
func New() scheduler.Scheme {
	kernel := func(a scheduler.Type, name, how string) scheduler.EntryPoint {
		return scheduler.EntryPoint{Name: fmt.Sprintf("warpseg.%s[%s, %s]", name, a.Name, a.Value), What: "one pull iteration" + how}
	}
	pull := func(a scheduler.Type) scheduler.EntryPoint { return kernel(a, "Pull", "") }
	pullSized := func(a scheduler.Type) scheduler.EntryPoint {
		return kernel(a, "PullSized", ", with reductions that end with the largest segment")
	}
	return scheduler.Scheme{
		Name:    "warpseg",
		Doc:     "bulk-synchronous pull by Warp Segmentation: a warp shares the arcs of 32 vertices (Khorasani et al., PACT 2015)",
		Sources: []gpu.Package{Sources},
		Params: []scheduler.Param{
			scheduler.BlockParam(), scheduler.MaxIterationsParam(),
			{Name: "reduce", Type: scheduler.WordParam, Words: []string{whole, sized}, Default: whole,
				Doc: "steps of the reduction of a strip of 32 arcs: always five, or as many as the largest segment needs, which the warp asks by votes"},
		},
		Quantities: scheduler.FrontierQuantities(),
		Takes:      func(a scheduler.Type, _ scheduler.Values) error { return cmp.Or(a.Unphased(), a.Pulls()) },
		Kernels: func(a scheduler.Type) []scheduler.EntryPoint {
			return append([]scheduler.EntryPoint{pull(a), pullSized(a)}, scheduler.SetupKernels(a)...)
		},
		Run: func(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
			if j.Params.Word("reduce") == sized {
				return scheduler.RunPull(ctx, j, pullSized(j.Algorithm), scheduler.OneThread)
			}
			return scheduler.RunPull(ctx, j, pull(j.Algorithm), scheduler.OneThread)
		},
	}
}
