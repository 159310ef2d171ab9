//go:build !kernel

package warpseg

import (
	"cmp"
	"context"
	"fmt"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// New returns the scheme. It accepts every algorithm that can be pulled.
func New() scheduler.Scheme {
	kernel := func(a scheduler.Type) scheduler.EntryPoint {
		return scheduler.EntryPoint{Name: fmt.Sprintf("warpseg.Pull[%s, %s]", a.Name, a.Value), What: "one pull iteration"}
	}
	return scheduler.Scheme{
		Name:       "warpseg",
		Doc:        "bulk-synchronous pull by Warp Segmentation: a warp shares the arcs of 32 vertices (Khorasani et al., PACT 2015)",
		Sources:    []gpu.Package{Sources},
		Params:     []scheduler.Param{scheduler.BlockParam(), scheduler.MaxIterationsParam()},
		Quantities: scheduler.FrontierQuantities(),
		Takes:      func(a scheduler.Type, _ scheduler.Values) error { return cmp.Or(a.Unphased(), a.Pulls()) },
		Kernels: func(a scheduler.Type) []scheduler.EntryPoint {
			return append([]scheduler.EntryPoint{kernel(a)}, scheduler.SetupKernels(a)...)
		},
		Run: func(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
			return scheduler.RunPull(ctx, j, kernel(j.Algorithm), scheduler.OneThread)
		},
	}
}
