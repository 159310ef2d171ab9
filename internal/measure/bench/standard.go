package bench

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// persistent are the schedulers with kernels that stay on the machine and share queues. What they cost differs from
// kernels with a launch for each iteration: they wait at barriers of the whole grid, and atomics contend for queues.
var persistent = []string{"simdx", "atos", "hierq"}

// grouped are the schedulers that run on several GPUs: one whose GPUs are sent values between launches, and one whose kernels store to
// other GPUs while they run.
var grouped = []string{"multi", "bitmap"}

// standard returns the runs that a plan adds to the product of its algorithms, schedulers and graphs, so that each part
// of the simulator has work: persistent kernels, several GPUs with links between them, and a dense kernel, which lives on
// shared memory and arithmetic.
func (q *SimPlan) standard() (runs []simRun) {
	if q.Group == nil {
		return nil
	}
	for _, scheduler := range persistent {
		for _, g := range q.Graphs {
			runs = append(runs, simRun{algorithm: "bfs", scheduler: scheduler, graph: g, on: q.Device})
		}
	}
	for _, scheduler := range grouped {
		for _, g := range q.Graphs {
			runs = append(runs, simRun{algorithm: "bfs", scheduler: scheduler, graph: g, on: q.Group})
		}
	}
	return append(runs, simRun{kernel: tiledProduct, on: q.Device})
}

// tiledProduct multiplies matrices of productRows rows and columns by tiles in shared memory.
const (
	tiledProduct = "internal/kernels/micro.TiledProduct"
	productRows  = 512
	productTile  = 32 // rows and columns of what a block computes
)

// multiply launches tiledProduct once.
func multiply(ctx context.Context, dev device.Device) error {
	kernels, err := catalog.Kernels()
	if err != nil {
		return err
	}
	kernel, err := kernels.Kernel(ctx, tiledProduct, nil)
	if err != nil {
		return err
	}
	args := []any{nil, nil, nil, productRows}
	for i, name := range []string{"a", "b", "c"} {
		matrix, err := dev.Alloc(name, device.F32, productRows*productRows)
		if err != nil {
			return err
		}
		if err := dev.Write(matrix, make([]float32, productRows*productRows)); err != nil {
			return err
		}
		args[i] = matrix
	}
	blocks := productRows / productTile
	_, err = dev.Launch(ctx, device.Launch{Kernel: kernel, Grid: blocks * blocks, Block: productTile * productTile, Args: args})
	return err
}

// what says for progress and errors which run it is.
func (r *simRun) what() string {
	if r.kernel != "" {
		return fmt.Sprintf("%s, %d rows", r.kernel, productRows)
	}
	return fmt.Sprintf("%s by %s on %s", r.algorithm, r.scheduler, r.graph.Name)
}
