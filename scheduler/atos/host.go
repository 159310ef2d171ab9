//go:build !kernel

package atos

import (
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// New returns the scheme.
func New() scheduler.Scheme {
	return scheduler.Scheme{
		Name:       "atos",
		Doc:        "task-parallel: threads, warps or blocks that share one queue, without barriers between iterations",
		Sources:    []gpu.Package{Sources},
		Params:     params(),
		Quantities: quantities(),
		Takes: func(a scheduler.Type, p scheduler.Values) error {
			return errors.Join(a.Pushes(), a.Unphased(), checkFetch(p))
		},
		Kernels: func(a scheduler.Type) []scheduler.EntryPoint {
			return []scheduler.EntryPoint{relaxKernel(a, blockWorker), relaxKernel(a, warpWorker), relaxKernel(a, threadWorker), initKernel(a)}
		},
		Run: run,
	}
}

// The values of the parameter worker.
const (
	threadWorker = "thread"
	warpWorker   = "warp"
	blockWorker  = "block"
)

// mappings are the types that say how large a worker is.
var mappings = map[string]string{
	threadWorker: "scheduler.ThreadPerVertex", warpWorker: "scheduler.WarpPerVertex", blockWorker: "scheduler.BlockPerVertex",
}

func params() []scheduler.Param {
	block := scheduler.BlockParam()
	block.Default = "256"
	return []scheduler.Param{
		{Name: "worker", Type: scheduler.WordParam, Words: []string{threadWorker, warpWorker, blockWorker}, Default: blockWorker,
			Doc: "the threads that take and process tasks together"},
		block,
		{Name: "fetch", Type: scheduler.IntParam, Unit: "task", Default: "0", Max: 1024,
			Doc: "most tasks that a worker takes at a time (FETCH_SIZE), at most one per thread; 0: one per thread"},
		{Name: "blocks", Type: scheduler.IntParam, Unit: "block", Default: "0", Max: scheduler.NoLimit,
			Doc: "blocks of the persistent kernel; 0: as many as are resident at the same time"},
		{Name: "sleep", Type: scheduler.IntParam, Unit: "ns", Default: "0", Max: 1e6,
			Doc: "time that a worker sleeps after it has found no task"},
	}
}

// threads returns the number of threads of a worker.
func threads(p scheduler.Values) int {
	switch p.Word("worker") {
	case threadWorker:
		return 1
	case warpWorker:
		return gpu.WarpSize
	}
	return p.Int("block")
}

// checkFetch returns an error if a worker has fewer threads than tasks.
func checkFetch(p scheduler.Values) error {
	if f := p.Int("fetch"); f > threads(p) {
		return &scheduler.ParamError{Scheme: "atos", Param: "fetch",
			Err: fmt.Errorf("%d tasks for a worker of %d threads (worker=%s); a thread takes one at a time", f, threads(p), p.Word("worker"))}
	}
	return nil
}

// The quantities of a step.
const (
	visited  = "visited"
	arcCount = "arcs"
	least    = "least"
	overwork = "overwork"
)

func quantities() []scheduler.Quantity {
	return []scheduler.Quantity{
		{Name: visited, Unit: "vertex", Doc: "vertices processed, each as often as it was"},
		{Name: arcCount, Unit: "arc", Doc: "arcs processed"},
		{Name: least, Unit: "vertex", Doc: "different vertices among them: the least number of visits"},
		{Name: overwork, Unit: "1", Doc: "visited divided by least (table 4 of the paper)"},
	}
}

func relaxKernel(a scheduler.Type, worker string) scheduler.EntryPoint {
	return scheduler.EntryPoint{Name: fmt.Sprintf("atos.Relax[%s, %s, %s]", a.Name, mappings[worker], a.Value),
		What: "all updates until none is left, one " + worker + " per worker"}
}

func initKernel(a scheduler.Type) scheduler.EntryPoint {
	return scheduler.EntryPoint{Name: fmt.Sprintf("atos.Init[%s, %s]", a.Name, a.Value), What: "initial values and first tasks"}
}
