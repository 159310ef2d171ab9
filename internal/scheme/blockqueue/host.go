//go:build !kernel

package blockqueue

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// New returns the scheme. It accepts every algorithm that can be pushed.
func New() scheduler.Scheme {
	kernel := func(a scheduler.Type) scheduler.EntryPoint {
		return scheduler.EntryPoint{Name: fmt.Sprintf("blockqueue.Push[%s, %s]", a.Name, a.Value), What: "one push iteration"}
	}
	return scheduler.Scheme{
		Name:       "block-queue",
		Doc:        "bulk-synchronous, one thread per vertex, with a frontier queue in each block's shared memory",
		Sources:    []gpu.Package{Sources},
		Params:     []scheduler.Param{scheduler.BlockParam(), scheduler.MaxIterationsParam()},
		Quantities: scheduler.FrontierQuantities(),
		Takes:      func(a scheduler.Type, _ scheduler.Values) error { return a.Pushes() },
		Kernels: func(a scheduler.Type) []scheduler.EntryPoint {
			return append([]scheduler.EntryPoint{kernel(a), scheduler.InitKernel(a)}, scheduler.PhaseKernels(a)...)
		},
		Run: func(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
			return scheduler.RunPush(ctx, j, kernel(j.Algorithm), scheduler.OneThread)
		},
	}
}
