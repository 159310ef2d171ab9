//go:build !kernel

package octet

import (
	"context"
	"embed"
	"fmt"

	"example.com/outside/group"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

//go:embed *.go
var files embed.FS

// New returns the scheme. It runs every algorithm that can be pushed.
func New() scheduler.Scheme {
	kernel := func(a scheduler.Type) scheduler.EntryPoint {
		return scheduler.EntryPoint{Name: fmt.Sprintf("example.com/outside/octet.Push[%s, %s]", a.Name, a.Value), What: "an iteration, pushing"}
	}
	return scheduler.Scheme{
		Name:       "octet",
		Doc:        "bulk-synchronous, eight lanes of a warp a vertex",
		Sources:    []gpu.Package{{Path: "example.com/outside/octet", Files: files}, group.Sources},
		Params:     []scheduler.Param{scheduler.BlockParam(), scheduler.MaxIterationsParam()},
		Quantities: scheduler.FrontierQuantities(),
		Takes:      func(a scheduler.Type, _ scheduler.Values) error { return a.Pushes() },
		Kernels: func(a scheduler.Type) []scheduler.EntryPoint {
			return append([]scheduler.EntryPoint{kernel(a), scheduler.InitKernel(a)}, scheduler.PhaseKernels(a)...)
		},
		Run: func(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
			return scheduler.RunPush(ctx, j, kernel(j.Algorithm), scheduler.Team(Lanes))
		},
	}
}
